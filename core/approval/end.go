package approval

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// End implements ports.PublishGate.
func (g *Gate) End(ctx context.Context, stores ports.Stores, actor core.Actor, e *core.Entry, until time.Time) error {
	if g.wake != nil && !until.IsZero() {
		defer g.wake()
	}
	return scheduleEnd(ctx, stores.Schedules, core.Schedule{
		ProjectID: e.ProjectID, EntryID: e.ID, CollectionID: e.CollectionID, DueAt: until, ScheduledBy: actor.Ref(),
	})
}

// endOf returns the end of the publication of r.
func endOf(r *core.Request, by core.ActorRef) core.Schedule {
	return core.Schedule{
		ProjectID: r.ProjectID, EntryID: r.EntryID, CollectionID: r.CollectionID, RequestID: r.ID, DueAt: r.UnpublishAt, ScheduledBy: by,
	}
}

// scheduleEnd makes end the scheduled end of the publication of its entry, or removes the
// present one when end has no DueAt.
func scheduleEnd(ctx context.Context, schedules ports.ScheduleStore, end core.Schedule) error {
	if end.Action = core.ScheduleUnpublish; end.DueAt.IsZero() {
		return schedules.Cancel(ctx, end.ProjectID, end.EntryID, end.Action)
	}
	return schedules.Schedule(ctx, end)
}
