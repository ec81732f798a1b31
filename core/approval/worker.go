package approval

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Worker publishes and unpublishes entries with due schedules. Any number of workers may run on
// one database: exactly one of them applies each due schedule, in a transaction that also records
// it and removes the schedule. A transaction applies up to ten schedules. The database's clock
// decides which schedules are due, so that a wrong clock of this machine publishes nothing early.
type Worker struct {
	schedules ports.DueSchedules
	tx        ports.Tx
	publisher ports.Publisher
	clock     ports.Clock

	// Observe, when not nil, is called after each attempt. late is the delay by this
	// machine's clock; fault is nil when the attempt succeeded.
	Observe func(p core.Schedule, late time.Duration, fault error)

	gate *Gate
}

// NewWorker returns a Worker.
func NewWorker(schedules ports.DueSchedules, tx ports.Tx, publisher ports.Publisher, clock ports.Clock) *Worker {
	return &Worker{schedules: schedules, tx: tx, publisher: publisher, clock: clock, gate: NewGate(nil)}
}

const (
	// reachAhead is the number of due schedules that are read to find some that no other
	// transaction has locked.
	reachAhead = 20
	// together is the maximum number of schedules in one transaction. A commit costs at least as
	// much as a publication, but editors of all these entries wait for the commit.
	together = 10
	// fresh is how long a transaction applies further schedules: readers see the first publication
	// only after the commit, and its time must be close to that.
	fresh = 20 * time.Millisecond
	// longestWait is the interval at which a worker looks for due schedules.
	longestWait = 500 * time.Millisecond
	// firstRetry doubles with each failed attempt, up to lastRetry.
	firstRetry = time.Second
	lastRetry  = 10 * time.Minute
)

// PublishDue applies every schedule that is due and not locked by another worker or editor: it
// publishes or unpublishes the entry. It records the fault of a schedule that fails, which is
// tried again later, and continues with the others. It returns how many succeeded and failed. The
// error is core.ErrUnavailable or the error of ctx.
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
			size = 1 // one at a time, to find the one that fails
		default:
			failed++
			size = together
		}
	}
	return published, failed, ctx.Err()
}

// Wait returns the time until the next schedule is due: zero when one is due, and at most
// half a second, because another process may schedule one.
func (w *Worker) Wait(ctx context.Context) (time.Duration, error) {
	wait, ok, err := w.schedules.NextDue(ctx)
	if err != nil || !ok {
		return longestWait, err
	}
	return min(max(wait, 0), longestWait), nil
}

// publishSome applies up to size due schedules, all or none, and returns them. It applies fewer if
// they take longer than fresh. It returns none when no due schedule is unlocked. fault is the reason
// why they could not be applied; it is recorded only for a single schedule.
func (w *Worker) publishSome(ctx context.Context, size int) (some []core.Schedule, fault, err error) {
	err = w.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		var projects map[int64]*core.Project
		if some, projects, err = claim(ctx, stores.Entries, stores.Projects, stores.Schedules, size); err != nil {
			return err
		}
		begun := time.Now()
		for i := range some {
			if err := w.apply(ctx, stores, projects[some[i].ProjectID], &some[i]); err != nil {
				return err
			}
			if time.Since(begun) > fresh {
				some = some[:i+1]
				break
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
	if w.Observe != nil {
		for _, p := range some {
			w.Observe(p, w.clock.Now().Sub(p.DueAt), fault)
		}
	}
	return some, fault, err
}

// claim locks up to size due schedules, their Projects and their entries. All workers apply them
// in the order of the result, so that they cannot deadlock; schedules of one entry are in the
// order of their times. claim never waits: it skips rows that another transaction has locked. If
// these are all that it has read, it reads again without their Projects, so that locks of one
// Project delay no other. held has the Projects by id, nil for a Project that could not be locked.
func claim(
	ctx context.Context, entries ports.EntryStore, projects ports.ProjectStore, schedules ports.ScheduleStore, size int,
) (some []core.Schedule, held map[int64]*core.Project, err error) {
	held = map[int64]*core.Project{}
	for full := true; full && len(some) == 0; {
		due, err := schedules.Due(ctx, reachAhead, slices.Collect(maps.Keys(held))...)
		if err != nil {
			return nil, nil, err
		}
		full = len(due) == reachAhead
		if some, err = lock(ctx, entries, projects, due, held, size); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(some, func(a, b core.Schedule) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.CollectionID, b.CollectionID), cmp.Compare(a.EntryID, b.EntryID), a.DueAt.Compare(b.DueAt))
	})
	return some, held, nil
}

// lock locks the entries of up to size of the schedules due, and returns these schedules. It adds
// the Projects of due to held.
func lock(
	ctx context.Context, entries ports.EntryStore, projects ports.ProjectStore, due []core.Schedule, held map[int64]*core.Project, size int,
) (some []core.Schedule, err error) {
	for _, p := range due {
		if _, tried := held[p.ProjectID]; !tried {
			held[p.ProjectID], _, err = projects.TryHold(ctx, p.ProjectID)
			if err != nil && !errors.Is(err, core.ErrNotFound) {
				return nil, err
			}
		}
		if held[p.ProjectID] == nil {
			continue
		}
		_, ok, err := entries.TryLock(ctx, p.ProjectID, p.EntryID)
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return nil, err
		}
		if ok || err != nil {
			some = append(some, p)
		}
		if len(some) == size {
			break
		}
	}
	return some, nil
}

// apply performs the action of p and removes p.
func (w *Worker) apply(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Schedule) (err error) {
	switch {
	case p.Action == core.ScheduleUnpublish:
		err = w.publisher.Retract(ctx, stores, project, p.EntryID)
	case p.RequestID == 0:
		err = w.publishDraft(ctx, stores, project, p)
	default:
		err = w.publishRequest(ctx, stores, project, p)
	}
	if err != nil {
		return err
	}
	if err := stores.Schedules.Cancel(ctx, p.ProjectID, p.EntryID, p.Action); err != nil {
		return err
	}
	return w.applyPastEnd(ctx, stores, project, p)
}

// applyPastEnd also unpublishes, in the transaction of the publication p, if the end of p is past,
// because no worker ran or p failed before. Readers never see a version after its end.
func (w *Worker) applyPastEnd(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Schedule) error {
	if p.UnpublishAt.IsZero() {
		return nil
	}
	now, err := stores.Clock.Now(ctx)
	if err != nil || p.UnpublishAt.After(now) {
		return err
	}
	end, err := stores.Schedules.Scheduled(ctx, p.ProjectID, p.EntryID, core.ScheduleUnpublish)
	if errors.Is(err, core.ErrNotFound) || err == nil && end.DueAt.After(now) {
		return nil // p published nothing
	}
	if err != nil {
		return err
	}
	return w.apply(ctx, stores, project, &end)
}

// publishRequest publishes the snapshot of the request. It does nothing when the request is
// no longer approved.
func (w *Worker) publishRequest(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Schedule) error {
	r, err := stores.Requests.Request(ctx, p.ProjectID, p.RequestID)
	if err != nil || r.Status != core.RequestApproved {
		return err
	}
	publish := transition{what: core.ActionPublish, by: core.SystemActor.Ref(), due: true}
	_, err = applyTransition(ctx, stores, w.publisher, project, r, publish)
	return err
}

// publishDraft publishes an entry that no workflow governed when it was scheduled. If a
// workflow governs it now, publishDraft submits it for approval instead.
func (w *Worker) publishDraft(ctx context.Context, stores ports.Stores, project *core.Project, p *core.Schedule) error {
	governed, err := w.gate.Governs(ctx, stores, project, p.EntryID)
	if err != nil {
		return err
	}
	if !governed {
		if err := w.publisher.ReleaseDraft(ctx, stores, project, p.EntryID, p.ScheduledBy); err != nil {
			return err
		}
		return scheduleEnd(ctx, stores.Schedules, core.Schedule{
			ProjectID: p.ProjectID, EntryID: p.EntryID, CollectionID: p.CollectionID, DueAt: p.UnpublishAt, ScheduledBy: p.ScheduledBy,
		})
	}
	e, err := stores.Entries.Entry(ctx, p.ProjectID, p.EntryID)
	if err != nil {
		return err
	}
	schema, err := ports.SchemaOf(ctx, stores.Collections, project, e.CollectionID)
	if err != nil {
		return err
	}
	if err := w.publisher.Submitted(ctx, stores, schema, p.EntryID); err != nil {
		return err
	}
	return w.gate.submit(ctx, stores, p.ScheduledBy, schema, &e, core.Period{Until: p.UnpublishAt}, "")
}

// note records that p failed, unless its schedule was changed or cancelled since.
func (w *Worker) note(ctx context.Context, p *core.Schedule, fault error) error {
	return w.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if _, err := stores.Entries.Lock(ctx, p.ProjectID, p.EntryID); err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		now, err := stores.Schedules.Scheduled(ctx, p.ProjectID, p.EntryID, p.Action)
		if errors.Is(err, core.ErrNotFound) || err == nil && (now.Attempts != p.Attempts || !now.DueAt.Equal(p.DueAt)) {
			return nil
		}
		if err != nil {
			return err
		}
		return stores.Schedules.RecordFailure(ctx, p.ProjectID, p.EntryID, p.Action, sentence(fault), backoff(p.Attempts))
	})
}

// backoff returns the delay before the next attempt. before is the number of failed attempts
// before the last one.
func backoff(before int) time.Duration {
	if before > 10 {
		return lastRetry
	}
	return min(firstRetry<<before, lastRetry)
}

// sentence returns the fault as a text for users, without internal details.
func sentence(fault error) string {
	e, ok := errors.AsType[*core.Error](fault)
	if !ok || e.Kind == core.KindInternal {
		return "internal error; see the log of the service"
	}
	text := e.Message
	for _, f := range e.Fields {
		text += "; " + f.Location + " " + f.Message
	}
	return text
}
