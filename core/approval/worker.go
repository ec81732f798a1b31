package approval

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Worker publishes and unpublishes entries with due schedules. Any number of workers may run on
// one database: exactly one of them applies each due schedule, in a transaction that also records
// it and removes the schedule. A transaction applies up to ten schedules. The database's clock
// decides which schedules are due, so that a wrong clock of this machine publishes nothing early.
type Worker struct {
	schedules ports.DueSchedules
	tx        ports.Tx
	publisher *publishing.Publisher
	clock     ports.Clock

	// PublishUngoverned publishes a release whose time has come and that has no request, and removes its schedule. The
	// caller holds the Project.
	PublishUngoverned func(ctx context.Context, stores ports.Stores, project *core.Project, releaseID int64) error
	// Observe, when not nil, is called after each attempt. late is the delay by this
	// machine's clock; fault is nil when the attempt succeeded.
	Observe func(p schedule.Schedule, late time.Duration, fault error)
}

// NewWorker returns a Worker.
func NewWorker(schedules ports.DueSchedules, tx ports.Tx, publisher *publishing.Publisher, clock ports.Clock) *Worker {
	return &Worker{schedules: schedules, tx: tx, publisher: publisher, clock: clock}
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

// PublishDue applies every schedule that is due and, if it is of an entry, not locked by another worker or
// editor: it publishes or unpublishes the entry or publishes the release. It records the fault of a schedule that
// fails, which is tried again later, and continues with the others. Releases come after the entries that are due,
// one by one. It returns how many succeeded and failed. The error is core.ErrUnavailable or the error of ctx.
func (w *Worker) PublishDue(ctx context.Context) (published, failed int, err error) {
	for {
		some, faults, err := w.publishEntries(ctx)
		published, failed = published+some, failed+faults
		if err != nil {
			return published, failed, err
		}
		found, fault, err := w.publishRelease(ctx)
		switch {
		case err != nil || !found:
			return published, failed, err
		case fault != nil:
			failed++
		default:
			published++
		}
	}
}

// publishEntries is PublishDue for the schedules of entries.
func (w *Worker) publishEntries(ctx context.Context) (published, failed int, err error) {
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
func (w *Worker) publishSome(ctx context.Context, size int) (some []schedule.Schedule, fault, err error) {
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
) (some []schedule.Schedule, held map[int64]*core.Project, err error) {
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
	slices.SortFunc(some, func(a, b schedule.Schedule) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.CollectionID, b.CollectionID), cmp.Compare(a.EntryID, b.EntryID), a.DueAt.Compare(b.DueAt))
	})
	return some, held, nil
}

// lock locks the entries of up to size of the schedules due, and returns these schedules. It adds
// the Projects of due to held.
func lock(
	ctx context.Context, entries ports.EntryStore, projects ports.ProjectStore, due []schedule.Schedule, held map[int64]*core.Project, size int,
) (some []schedule.Schedule, err error) {
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
func (w *Worker) apply(ctx context.Context, stores ports.Stores, project *core.Project, p *schedule.Schedule) error {
	set, err := w.publisher.Lock(ctx, stores, project, p.EntryID)
	if err != nil {
		return err
	}
	switch {
	case p.Action == schedule.Unpublish:
		err = set.Unpublish(ctx)
	case p.RequestID == 0:
		err = publishDraft(ctx, stores, set, p)
	default:
		err = publishRequest(ctx, stores, set, p)
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
func (w *Worker) applyPastEnd(ctx context.Context, stores ports.Stores, project *core.Project, p *schedule.Schedule) error {
	if p.UnpublishAt.IsZero() {
		return nil
	}
	now, err := stores.Clock.Now(ctx)
	if err != nil || p.UnpublishAt.After(now) {
		return err
	}
	end, err := publishing.Scheduled(ctx, stores.Schedules, p.ProjectID, p.EntryID, schedule.Unpublish)
	if err != nil || end.DueAt.IsZero() || end.DueAt.After(now) { // p published nothing
		return err
	}
	return w.apply(ctx, stores, project, &end)
}

// SkipDue removes every schedule that is due without applying it, and returns their number. An approved
// request loses its times and stays approved, until someone publishes it or gives it new times.
func (w *Worker) SkipDue(ctx context.Context) (skipped int, err error) {
	if skipped, err = w.skipReleases(ctx); err != nil {
		return skipped, err
	}
	for {
		some := 0
		err := w.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			due, projects, err := claim(ctx, stores.Entries, stores.Projects, stores.Schedules, together)
			if err != nil {
				return err
			}
			some = len(due)
			for i := range due {
				if err := w.skip(ctx, stores, projects[due[i].ProjectID], &due[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if skipped += some; err != nil || some == 0 {
			return skipped, err
		}
	}
}

// skip removes a schedule.
func (w *Worker) skip(ctx context.Context, stores ports.Stores, project *core.Project, p *schedule.Schedule) error {
	if p.RequestID != 0 && p.Action == schedule.Publish {
		if err := w.clearTimes(ctx, stores, project, p); err != nil {
			return err
		}
	}
	return stores.Schedules.Cancel(ctx, p.ProjectID, p.EntryID, p.Action)
}

// clearTimes clears the times of the request of p, if it is approved, and records that.
func (w *Worker) clearTimes(ctx context.Context, stores ports.Stores, project *core.Project, p *schedule.Schedule) error {
	r, err := stores.Requests.Request(ctx, p.ProjectID, p.RequestID)
	if err != nil || r.Status != review.RequestApproved {
		return err
	}
	set, err := w.publisher.Lock(ctx, stores, project, r.EntryIDs()...)
	if err != nil {
		return err
	}
	never := core.Null[time.Time]()
	t := transition{what: review.ActionReschedule, by: core.SystemActor.Ref(), times: schedule.Times{PublishAt: never, UnpublishAt: never}, skips: true}
	if t.at, err = stores.Clock.Now(ctx); err != nil {
		return err
	}
	_, err = transit(ctx, stores, set, r, t)
	return err
}

// publishRequest publishes the item of the request. It does nothing when the request is no longer
// approved.
func publishRequest(ctx context.Context, stores ports.Stores, set *publishing.Set, p *schedule.Schedule) error {
	r, err := stores.Requests.Request(ctx, p.ProjectID, p.RequestID)
	if err != nil || r.Status != review.RequestApproved {
		return err
	}
	_, err = transit(ctx, stores, set, r, transition{what: review.ActionPublish, by: core.SystemActor.Ref(), due: true})
	return err
}

// publishDraft publishes an entry that no workflow governed when it was scheduled. If a
// workflow governs it now, publishDraft submits it for approval instead.
func publishDraft(ctx context.Context, stores ports.Stores, set *publishing.Set, p *schedule.Schedule) error {
	schema, err := set.Schema(ctx, p.CollectionID)
	if err != nil {
		return err
	}
	governed, err := publishing.Governs(ctx, stores, p.ProjectID, schema.Collection.Slug, p.EntryID)
	if err != nil {
		return err
	}
	if !governed {
		return set.PublishDrafts(ctx, p.ScheduledBy, p.UnpublishAt)
	}
	if err := set.SubmitDrafts(ctx); err != nil {
		return err
	}
	return submit(ctx, stores, p.ScheduledBy, schema, set.Entry(p.EntryID), schedule.Period{Until: p.UnpublishAt}, "")
}

// note records that p failed, unless its schedule was changed or cancelled since.
func (w *Worker) note(ctx context.Context, p *schedule.Schedule, fault error) error {
	return w.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if _, err := stores.Entries.Lock(ctx, p.ProjectID, p.EntryID); err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		now, err := publishing.Scheduled(ctx, stores.Schedules, p.ProjectID, p.EntryID, p.Action)
		if err != nil || now.Attempts != p.Attempts || !now.DueAt.Equal(p.DueAt) {
			return err
		}
		return stores.Schedules.RecordFailure(ctx, *p, sentence(fault), backoff(p.Attempts))
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
