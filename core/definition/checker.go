package definition

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// Checker compares the data derived from entries, such as the index, with the documents. It
// runs beside writers, one batch of entries at a time. Its memory use does not grow with the
// number of entries.
type Checker struct {
	tx          ports.Tx
	collections ports.CollectionStore
	checks      ports.IndexChecker
}

// NewChecker returns a Checker with these dependencies.
func NewChecker(collections ports.CollectionStore, checks ports.IndexChecker, tx ports.Tx) *Checker {
	return &Checker{collections: collections, checks: checks, tx: tx}
}

// CheckReport counts differences.
type CheckReport struct {
	Found int64
	Left  int64 // not repaired
}

// checkBatch is the number of entries that are checked in one transaction.
const checkBatch = 200

// Check calls each with every difference in the Project and the slug of its collection, "" for
// none. With repair it then rebuilds the derived data from the documents, and counts the remaining
// differences: it cannot repair two entries with the same unique value. It skips entries and
// collections that are deleted during the run.
func (c *Checker) Check(ctx context.Context, project *core.Project, repair bool, each func(collection string, d core.Difference)) (report CheckReport, err error) {
	collections, err := c.collections.Collections(ctx, project.ID)
	if err != nil {
		return report, err
	}
	run := &checkRun{Checker: c, project: project, collections: collections, repair: repair, each: each}
	checks := c.checks
	// Strays come first, because a stray may block a row that an entry needs. Totals come last,
	// because they count the rows of the entries.
	err = run.whole(ctx, checks.CheckStrays, ports.IndexChecker.RepairStrays)
	if err == nil {
		err = run.entries(ctx)
	}
	if err == nil {
		err = run.whole(ctx, checks.CheckTotals, ports.IndexChecker.RepairTotals)
	}
	return run.report, err
}

// checkRun is one run of a Checker.
type checkRun struct {
	*Checker
	project     *core.Project
	collections []*core.Collection
	repair      bool
	each        func(collection string, d core.Difference)
	report      CheckReport
}

// entries checks every entry of every collection.
func (r *checkRun) entries(ctx context.Context) (err error) {
	for _, collection := range r.collections {
		for after, more := int64(0), true; more; more = after != 0 {
			if after, err = r.batch(ctx, collection, after); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch checks the next entries of a collection and returns the id of the last one, or 0 when
// none was left.
func (r *checkRun) batch(ctx context.Context, collection *core.Collection, after int64) (last int64, err error) {
	var found, left []core.Difference
	err = r.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		schema, err := stores.Collections.Hold(ctx, collection.ProjectID, collection.ID)
		if err != nil {
			return err
		}
		if last, found, err = stores.IndexChecks.CheckEntries(ctx, schema, after, checkBatch); err != nil {
			return err
		}
		if left = found; !r.repair || len(found) == 0 {
			return nil
		}
		if _, err := stores.Entries.Reindex(ctx, schema, after, checkBatch); err != nil {
			return err
		}
		if err := recordRepair(ctx, stores.Events, collection.ProjectID); err != nil {
			return err
		}
		_, left, err = stores.IndexChecks.CheckEntries(ctx, schema, after, checkBatch)
		return err
	})
	if errors.Is(err, core.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, d := range found {
		r.each(collection.Slug, d)
	}
	r.report.Found += int64(len(found))
	r.report.Left += int64(len(left))
	return last, nil
}

// whole checks, and with r.repair repairs, data about all entries of the Project together.
func (r *checkRun) whole(
	ctx context.Context, check func(context.Context, int64, func(core.Difference)) error,
	repair func(ports.IndexChecker, context.Context, int64) error,
) error {
	var found, left int64
	if err := check(ctx, r.project.ID, func(d core.Difference) {
		found++
		r.each(r.slug(d.CollectionID), d)
	}); err != nil {
		return err
	}
	r.report.Found += found
	if !r.repair || found == 0 {
		r.report.Left += found
		return nil
	}
	err := r.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, r.project.ID); err != nil {
			return err
		}
		if err := repair(stores.IndexChecks, ctx, r.project.ID); err != nil {
			return err
		}
		return recordRepair(ctx, stores.Events, r.project.ID)
	})
	if err != nil {
		return err
	}
	err = check(ctx, r.project.ID, func(core.Difference) { left++ })
	r.report.Left += left
	return err
}

func (r *checkRun) slug(collectionID int64) string {
	if c := (core.Schema{Collections: r.collections}).ByID(collectionID); c != nil {
		return c.Slug
	}
	return ""
}

// recordRepair records the repair, so that every process drops its cached results of the
// Project.
func recordRepair(ctx context.Context, events ports.EventStore, projectID int64) error {
	return events.Record(ctx, event.Event{Type: event.ProjectRepaired, ProjectID: projectID})
}
