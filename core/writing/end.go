package writing

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// timetable reads the schedules of entries and decides on times of publication.
type timetable struct {
	schedules ports.EntrySchedules
	requests  ports.RequestReader
	clock     ports.DatabaseClock
}

// endAfter returns the end of the publication that the intent starts at the time at (zero: now).
// deferred is false for a version that becomes public immediately. An absent result leaves the
// present end as it is.
func (t timetable) endAfter(
	ctx context.Context, e *core.Entry, intent publishIntent, deferred bool, at time.Time,
) (core.Optional[time.Time], error) {
	switch {
	case !intent.until.Given:
		return t.keptEnd(ctx, e, deferred, at)
	case intent.until.Value == nil:
		return intent.until, nil
	}
	until := intent.until.Value.UTC().Truncate(time.Millisecond)
	now, err := t.clock.Now(ctx)
	if err == nil && !until.After(now) {
		err = core.Invalid(core.FieldError{Location: "unpublishAt", Message: "must be later than now"})
	}
	return core.Some(until), err
}

// keptEnd is endAfter for an intent without an end. The publication keeps the end of the scheduled
// publication that it replaces or, without one, the present end. Ends that are past are not kept.
func (t timetable) keptEnd(ctx context.Context, e *core.Entry, deferred bool, at time.Time) (end core.Optional[time.Time], err error) {
	next, err := t.due(ctx, e, schedule.Publish)
	if err != nil || next.DueAt.IsZero() && !deferred {
		return end, err
	}
	present, err := t.due(ctx, e, schedule.Unpublish)
	if err != nil || next.UnpublishAt.IsZero() && present.DueAt.IsZero() {
		return core.Null[time.Time](), err
	}
	now, err := t.clock.Now(ctx)
	switch {
	case err != nil:
		return end, err
	case next.UnpublishAt.After(now) && !next.UnpublishAt.After(at):
		return end, core.Invalid(core.FieldError{Location: "unpublishAt", Message: "must be later than publishAt"})
	case next.UnpublishAt.After(now):
		return core.Some(next.UnpublishAt), nil
	case !next.DueAt.IsZero() && next.UnpublishAt.IsZero() && present.DueAt.After(next.DueAt):
		// The client removed the end: otherwise the schedule would have the present one.
		return core.Null[time.Time](), nil
	case present.DueAt.After(now) && present.DueAt.After(at):
		return core.Some(present.DueAt), nil
	default:
		return core.Null[time.Time](), nil
	}
}

// due returns e's schedule for the action, or the zero Schedule if e has none.
func (t timetable) due(ctx context.Context, e *core.Entry, action schedule.Action) (schedule.Schedule, error) {
	if e.ID == 0 {
		return schedule.Schedule{}, nil
	}
	return publishing.Scheduled(ctx, t.schedules, e.ProjectID, e.ID, action)
}

// keepsEnd reports whether until does not change the end of e's present publication.
func (t timetable) keepsEnd(ctx context.Context, e *core.Entry, until core.Optional[time.Time]) (bool, error) {
	if !until.Given {
		return true, nil
	}
	end, err := t.due(ctx, e, schedule.Unpublish)
	if until.Value == nil {
		return end.DueAt.IsZero(), err
	}
	return end.DueAt.Equal(until.Value.Truncate(time.Millisecond)), err
}

// futureTime returns at, or zero when at is past. It compares with the database's clock, as
// the worker does, so that a wrong local clock cannot publish too early.
func (t timetable) futureTime(ctx context.Context, at time.Time) (time.Time, error) {
	if at.IsZero() {
		return at, nil
	}
	now, err := t.clock.Now(ctx)
	if !at.After(now) {
		at = time.Time{}
	}
	return at, err
}

// pending reports whether a request for e is open or e is scheduled.
func (t timetable) pending(ctx context.Context, e *core.Entry) (bool, error) {
	open, err := publishing.Requested(ctx, t.requests, e.ProjectID, e.ID)
	if err != nil || open {
		return open, err
	}
	scheduled, err := t.due(ctx, e, schedule.Publish)
	return !scheduled.DueAt.IsZero(), err
}

// awaitsTime reports whether the draft of e becomes public at a time: a scheduled draft does, but an approved
// request publishes its snapshot.
func (t timetable) awaitsTime(ctx context.Context, e *core.Entry) (bool, error) {
	p, err := t.due(ctx, e, schedule.Publish)
	return !p.DueAt.IsZero() && p.RequestID == 0, err
}

var errEndGoverned = core.Conflict("governed", `a workflow governs the entry: publish it with "unpublishAt": null to have the end of its publication removed`)

// unschedule cancels all schedules of e; Writer.Unschedule documents its errors.
func unschedule(ctx context.Context, tx *transaction, e *core.Entry) (*core.Written, error) {
	none := core.Null[time.Time]()
	err := tx.writer.approval.Reschedule(ctx, tx.stores, tx.actor, tx.schema.Project, e.ID, schedule.Times{PublishAt: none, UnpublishAt: none})
	if errors.Is(err, core.ErrInvalid) { // an approved request needs a time
		return nil, errScheduledByRequest
	}
	if err != nil {
		return nil, err
	}
	scheduled, err := tx.stores.Schedules.ScheduledOf(ctx, e.ProjectID, []int64{e.ID})
	if err != nil {
		return nil, err
	}
	for _, p := range scheduled {
		switch {
		case p.Action == schedule.Unpublish:
			governed, err := tx.workflow.governs(ctx, e)
			if err != nil {
				return nil, err
			}
			if governed {
				return nil, errEndGoverned
			}
		case p.RequestID != 0:
			return nil, errScheduledByRequest
		}
		if err := tx.stores.Schedules.Cancel(ctx, e.ProjectID, e.ID, p.Action); err != nil {
			return nil, err
		}
	}
	return &core.Written{Entry: *e, Schema: tx.schema, Planned: true}, nil
}
