package approval

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Worker publishes what is due. Any number of them may work on one database: each due
// publication is taken by one of them, in a transaction that publishes it, writes it
// down and takes it off the list, or does nothing; a few share one. The database's
// clock says what is due, so that a wrong clock of this machine makes nothing early.
type Worker struct {
	Deps

	// Observe, when not nil, is told how each attempt ended: how late it was by this
	// machine's clock, and why it failed.
	Observe func(p core.Publication, late time.Duration, fault error)

	gate *Gate
}

// NewWorker returns a Worker over these parts.
func NewWorker(deps Deps) *Worker { return &Worker{Deps: deps, gate: NewGate(deps.Clock, nil)} }

const (
	// reachAhead is how many due publications are looked at for some that nobody else
	// is at.
	reachAhead = 20
	// together is how many are published in one transaction. To commit costs as much as
	// to publish, or more; but editors of all of them wait until it is done.
	together = 10
	// longestWait is how long something may have been due before anybody looks.
	longestWait = 500 * time.Millisecond
	// firstRetry doubles with each failed attempt, up to lastRetry.
	firstRetry = time.Second
	lastRetry  = 10 * time.Minute
)

// PublishDue publishes everything that is due and that no other worker or editor is
// at. What cannot be published is noted with its fault, tried again later, and holds
// nothing else up. The error is of the database being away, or of ctx.
func (w *Worker) PublishDue(ctx context.Context) (published, failed int, err error) {
	for size := together; ctx.Err() == nil; {
		some, fault, err := w.publishSome(ctx, size)
		switch {
		case err != nil:
			return published, failed, err
		case len(some) == 0:
			return published, failed, nil
		case fault == nil:
			published += len(some)
		case len(some) > 1:
			size = 1 // which of them it was comes out one by one
		default:
			failed++
			size = together
		}
	}
	return published, failed, ctx.Err()
}

// Wait returns how long there is nothing to do: until the next publication is due, and
// at most half a second, for others may schedule. It is zero when one is due.
func (w *Worker) Wait(ctx context.Context) (time.Duration, error) {
	wait, ok, err := w.Stores.Publications.NextDue(ctx)
	if err != nil || !ok {
		return longestWait, err
	}
	return min(max(wait, 0), longestWait), nil
}

// publishSome publishes up to size due publications, all or none, and returns them:
// none when there are none to be had. fault is why they could not be published, which
// is noted when it was one alone.
func (w *Worker) publishSome(ctx context.Context, size int) (some []core.Publication, fault, err error) {
	err = w.Tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		var projects heldProjects
		if some, projects, err = claim(ctx, stores, size); err != nil {
			return err
		}
		for i := range some {
			if err := w.publish(ctx, stores, projects[some[i].ProjectID], &some[i]); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err == nil:
	case len(some) == 0 || ctx.Err() != nil || errors.Is(err, core.ErrUnavailable):
		return nil, nil, err
	case len(some) > 1:
		return some, err, nil
	default:
		fault, err = err, w.note(ctx, &some[0], err)
	}
	w.observe(some, fault)
	return some, fault, err
}

// observe tells the observer what was published, or why it was not.
func (w *Worker) observe(some []core.Publication, fault error) {
	if w.Observe == nil {
		return
	}
	for _, p := range some {
		w.Observe(p, w.Clock.Now().Sub(p.DueAt), fault)
	}
}

// heldProjects are the Projects that a transaction holds, by id; nil for one that it could
// not hold.
type heldProjects map[int64]*core.Project

// hold has the transaction hold the Project, and reports false when it would have to wait.
func (held heldProjects) hold(ctx context.Context, stores ports.Stores, id int64) (bool, error) {
	project, tried := held[id]
	if !tried {
		var err error
		if project, _, err = stores.Projects.TryHold(ctx, id); err != nil && !errors.Is(err, core.ErrNotFound) {
			return false, err
		}
		held[id] = project
	}
	return project != nil, nil
}

// claim takes up to size due publications, their Projects and their entries for this
// transaction, in the order in which all workers publish, so that none waits for one that
// waits for it. It waits for no other transaction: what another has is left for the next
// look.
func claim(ctx context.Context, stores ports.Stores, size int) (some []core.Publication, held heldProjects, err error) {
	due, err := stores.Publications.Due(ctx, reachAhead)
	if err != nil {
		return nil, nil, err
	}
	held = heldProjects{}
	for _, p := range due {
		if ok, err := held.hold(ctx, stores, p.ProjectID); err != nil {
			return nil, nil, err
		} else if !ok {
			continue
		}
		_, ok, err := stores.Entries.TryLock(ctx, p.ProjectID, p.EntryID)
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return nil, nil, err
		}
		if ok || err != nil {
			some = append(some, p)
		}
		if len(some) == size {
			break
		}
	}
	slices.SortFunc(some, func(a, b core.Publication) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.CollectionID, b.CollectionID), cmp.Compare(a.EntryID, b.EntryID))
	})
	return some, held, nil
}

// publish makes p public and takes it off the list.
func (w *Worker) publish(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Publication) (err error) {
	if p.RequestID == 0 {
		err = w.publishDraft(ctx, stores, project, p)
	} else {
		err = w.publishRequest(ctx, stores, project, p)
	}
	if err != nil {
		return err
	}
	return stores.Publications.Cancel(ctx, p.ProjectID, p.EntryID)
}

// publishRequest publishes what was approved. A request that is approved no longer
// publishes nothing.
func (w *Worker) publishRequest(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Publication) error {
	r, err := stores.Requests.Request(ctx, p.ProjectID, p.RequestID)
	if err != nil || r.Status != core.RequestApproved {
		return err
	}
	due := turn{what: core.ActionPublish, by: core.Actor{System: true}.Ref(), at: w.Clock.Now(), come: true}
	_, err = move(ctx, stores, w.Publisher, project, r, due)
	return err
}

// publishDraft publishes what no workflow governed when it was scheduled. If one does
// by now, the time has come to ask for approval.
func (w *Worker) publishDraft(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Publication) error {
	governed, err := w.gate.Governs(ctx, stores, project, p.EntryID)
	if err != nil {
		return err
	}
	if !governed {
		return w.Publisher.ReleaseDraft(ctx, stores, project, p.EntryID)
	}
	e, err := stores.Entries.Entry(ctx, p.ProjectID, p.EntryID)
	if err != nil {
		return err
	}
	related, err := stores.Collections.Related(ctx, p.ProjectID, e.CollectionID)
	if err != nil {
		return err
	}
	schema := core.Schema{Project: project, Collection: related[0], Collections: related}
	return w.gate.submit(ctx, stores, p.ScheduledBy, schema, &e, time.Time{})
}

// note writes down that p failed, unless somebody has scheduled anew or taken back
// what it was about.
func (w *Worker) note(ctx context.Context, p *core.Publication, fault error) error {
	return w.Tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if _, err := stores.Entries.Lock(ctx, p.ProjectID, p.EntryID); err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		now, err := stores.Publications.Scheduled(ctx, p.ProjectID, p.EntryID)
		if errors.Is(err, core.ErrNotFound) || err == nil && (now.Attempts != p.Attempts || !now.DueAt.Equal(p.DueAt)) {
			return nil
		}
		if err != nil {
			return err
		}
		return stores.Publications.Failed(ctx, p.ProjectID, p.EntryID, sentence(fault), backoff(p.Attempts))
	})
}

// backoff returns how long to wait after an attempt that others failed before.
func backoff(before int) time.Duration {
	if before > 10 {
		return lastRetry
	}
	return min(firstRetry<<before, lastRetry)
}

// sentence words a fault for people, without internals.
func sentence(fault error) string {
	var e *core.Error
	if !errors.As(fault, &e) || e.Kind == core.KindInternal {
		return "an internal fault; the log says more"
	}
	text := e.Message
	for _, f := range e.Fields {
		text += "; " + f.Location + " " + f.Message
	}
	return text
}
