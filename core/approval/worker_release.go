package approval

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// publishRelease applies the first due schedule of a release in a transaction of its own. found is false when none is
// due. fault is the reason why the release could not be published, which is recorded.
func (w *Worker) publishRelease(ctx context.Context) (found bool, fault, err error) {
	due, err := w.schedules.DueReleases(ctx, 1)
	if err != nil || len(due) == 0 {
		return false, nil, err
	}
	p := due[0]
	fault = w.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error { return w.applyRelease(ctx, stores, &p) })
	switch {
	case fault == nil:
	case ctx.Err() != nil || errors.Is(fault, core.ErrUnavailable):
		return true, nil, fault
	case errors.Is(fault, core.ErrChangedMeanwhile):
		return true, nil, nil // what it waited for has decided the release: the schedule is gone, or is read again
	default:
		err = w.noteRelease(ctx, &p, fault)
	}
	if w.Observe != nil {
		w.Observe(p, w.clock.Now().Sub(p.DueAt), fault)
	}
	return true, fault, err
}

// applyRelease publishes the release of p. It takes no lock before those of the entries, for which it waits. If
// another transaction has applied or moved p meanwhile, it changes nothing.
func (w *Worker) applyRelease(ctx context.Context, stores ports.Stores, p *schedule.Schedule) error {
	project, err := stores.Projects.Hold(ctx, p.ProjectID)
	if errors.Is(err, core.ErrNotFound) {
		return nil // its schedules went with it
	}
	if err != nil {
		return err
	}
	if p.RequestID == 0 {
		return w.PublishUngoverned(ctx, stores, project, p.ReleaseID)
	}
	r, err := stores.Requests.Request(ctx, p.ProjectID, p.RequestID)
	if err != nil {
		return err
	}
	if r.Status != review.RequestApproved || !r.ScheduledAt.Equal(p.DueAt) {
		return stores.Schedules.CancelRelease(ctx, p.ProjectID, p.ReleaseID)
	}
	set, err := w.publisher.Lock(ctx, stores, project)
	if err != nil {
		return err
	}
	_, err = transit(ctx, stores, set, r, transition{what: review.ActionPublish, by: core.SystemActor.Ref(), due: true})
	if !publishing.ItemsChanged(err) {
		return err
	}
	t := transition{what: review.ActionWithdraw, by: core.SystemActor.Ref(), comment: clipped(sentence(err))}
	if t.at, err = stores.Clock.Now(ctx); err != nil {
		return err
	}
	_, err = transit(ctx, stores, set, r, t)
	return err
}

// clipped returns the beginning of text that fits into a comment.
func clipped(text string) string {
	if runes := []rune(text); len(runes) > maxComment {
		return string(runes[:maxComment-1]) + "…"
	}
	return text
}

// noteRelease records that p failed, unless its schedule was changed or cancelled since.
func (w *Worker) noteRelease(ctx context.Context, p *schedule.Schedule, fault error) error {
	return w.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		now, err := stores.Schedules.ScheduledRelease(ctx, p.ProjectID, p.ReleaseID)
		if errors.Is(err, core.ErrNotFound) || err == nil && (now.Attempts != p.Attempts || !now.DueAt.Equal(p.DueAt)) {
			return nil
		}
		if err != nil {
			return err
		}
		return stores.Schedules.RecordFailure(ctx, *p, sentence(fault), backoff(p.Attempts))
	})
}

// skipReleases is SkipDue for the schedules of releases. One without a request is open again.
func (w *Worker) skipReleases(ctx context.Context) (skipped int, err error) {
	for {
		due, err := w.schedules.DueReleases(ctx, 1)
		if err != nil || len(due) == 0 {
			return skipped, err
		}
		p := &due[0]
		if err := w.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error { return w.skipRelease(ctx, stores, p) }); err != nil {
			return skipped, err
		}
		skipped++
	}
}

// skipRelease removes the schedule of a release.
func (w *Worker) skipRelease(ctx context.Context, stores ports.Stores, p *schedule.Schedule) error {
	project, err := stores.Projects.Hold(ctx, p.ProjectID)
	if err != nil {
		return err
	}
	if p.RequestID == 0 {
		return reopen(ctx, stores, p)
	}
	if err := w.clearTimes(ctx, stores, project, p); err != nil {
		return err
	}
	return stores.Schedules.CancelRelease(ctx, p.ProjectID, p.ReleaseID)
}

// reopen opens the release of p, which waits for its time without a request, and removes its time.
func reopen(ctx context.Context, stores ports.Stores, p *schedule.Schedule) error {
	reopened, err := stores.Releases.Lock(ctx, p.ProjectID, p.ReleaseID)
	if err != nil {
		return err
	}
	if reopened.State != release.Approved {
		return stores.Schedules.CancelRelease(ctx, p.ProjectID, p.ReleaseID)
	}
	reopened.PublishAt = time.Time{}
	return publishing.Reopen(ctx, stores, reopened, "")
}
