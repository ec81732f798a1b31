package publishing

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Schedule stores s, which replaces the entry's schedule of that action.
func (p *Publisher) Schedule(ctx context.Context, schedules ports.EntrySchedules, s schedule.Schedule) error {
	defer p.Wake()
	return schedules.Schedule(ctx, s)
}

// End stores end as the scheduled end of the present publication of its entry. Without DueAt it removes
// the scheduled end.
func (p *Publisher) End(ctx context.Context, schedules ports.EntrySchedules, end schedule.Schedule) error {
	if end.Action = schedule.Unpublish; end.DueAt.IsZero() {
		return schedules.Cancel(ctx, end.ProjectID, end.EntryID, end.Action)
	}
	return p.Schedule(ctx, schedules, end)
}

// Scheduled returns the entry's schedule of that action, or the zero Schedule if it has none.
func Scheduled(
	ctx context.Context, schedules ports.EntrySchedules, projectID, entryID int64, action schedule.Action,
) (schedule.Schedule, error) {
	s, err := schedules.Scheduled(ctx, projectID, entryID, action)
	if errors.Is(err, core.ErrNotFound) {
		return schedule.Schedule{}, nil
	}
	return s, err
}
