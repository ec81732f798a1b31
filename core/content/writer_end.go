package content

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
)

// endAfter returns the end of the publication that the intent starts at the time at (zero: now),
// or zero for none. It is the end in the intent, if any. Otherwise a deferred publication keeps
// the present end if that is later than its start. For an immediate publication endAfter returns
// zero, because the present end stays scheduled.
func (k *work) endAfter(ctx context.Context, e *core.Entry, intent publishIntent, deferred bool, at time.Time) (time.Time, error) {
	var until time.Time
	switch {
	case intent.until.Value != nil:
		until = intent.until.Value.UTC().Truncate(time.Millisecond)
	case !intent.until.Given && deferred:
		end, err := k.due(ctx, e, core.ScheduleUnpublish)
		if err != nil {
			return time.Time{}, err
		}
		until = end.DueAt
	}
	if until.IsZero() {
		return until, nil
	}
	now, err := k.stores.Schedules.Now(ctx)
	switch {
	case err != nil, until.After(now) && until.After(at):
		return until, err
	case intent.until.Given:
		return until, core.Invalid(core.FieldError{Location: "unpublishAt", Message: "must be later than now"})
	default:
		return time.Time{}, nil
	}
}

// due returns e's schedule for the action, or the zero Schedule if e has none.
func (k *work) due(ctx context.Context, e *core.Entry, action core.ScheduleAction) (core.Schedule, error) {
	if e.ID == 0 {
		return core.Schedule{}, nil
	}
	s, err := k.stores.Schedules.Scheduled(ctx, e.ProjectID, e.ID, action)
	if errors.Is(err, core.ErrNotFound) {
		return core.Schedule{}, nil
	}
	return s, err
}

// keepsEnd reports whether until does not change the end of e's present publication.
func (k *work) keepsEnd(ctx context.Context, e *core.Entry, until core.Optional[time.Time]) (bool, error) {
	if !until.Given {
		return true, nil
	}
	end, err := k.due(ctx, e, core.ScheduleUnpublish)
	if until.Value == nil {
		return end.DueAt.IsZero(), err
	}
	return end.DueAt.Equal(until.Value.Truncate(time.Millisecond)), err
}

// withEnd returns a settle function that calls settle and then sets the end of e's publication. An
// absent until does not change the end.
func (k *work) withEnd(ctx context.Context, e *core.Entry, until core.Optional[time.Time], settle func() error) func() error {
	if !until.Given {
		return settle
	}
	var at time.Time
	if until.Value != nil {
		at, k.scheduled = until.Value.UTC(), true
	}
	return func() error {
		if err := settle(); err != nil {
			return err
		}
		if keeps, err := k.keepsEnd(ctx, e, until); err != nil || keeps {
			return err
		}
		return k.gate.End(ctx, k.stores, k.actor, e, at)
	}
}

var errEndGoverned = core.Conflict("governed", `a workflow governs the entry: publish it with "unpublishAt": null to have the end of its publication removed`)

// unschedule cancels all schedules of e; Writer.Unschedule documents its errors.
func unschedule(ctx context.Context, k *work, e *core.Entry) error {
	scheduled, err := k.stores.Schedules.ScheduledOf(ctx, e.ProjectID, []int64{e.ID})
	if err != nil {
		return err
	}
	for _, p := range scheduled {
		switch {
		case p.Action == core.ScheduleUnpublish:
			governed, err := k.governs(ctx, e)
			if err != nil {
				return err
			}
			if governed {
				return errEndGoverned
			}
		case p.RequestID != 0:
			return errScheduledByRequest
		}
	}
	for _, p := range scheduled {
		if err := k.stores.Schedules.Cancel(ctx, e.ProjectID, e.ID, p.Action); err != nil {
			return err
		}
	}
	return nil
}
