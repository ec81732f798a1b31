package writing

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/schedule"
)

// effects is what happens after the entry of a write is stored: at most one of the first four,
// and then the end.
type effects struct {
	withdraw   bool            // withdraws the pending request or schedule
	submit     core.Document   // opens a request for this version, for the period
	chosen     bool            // the write names the version, which may differ from the draft
	reschedule *schedule.Times // gives the open request these times
	joined     bool            // the entry is in a submitted release, with which it is published
	schedule   bool            // schedules the draft for the period
	period     schedule.Period
	// end is the end of the publication; absent: as it is.
	end core.Optional[time.Time]
}

// apply asks for the requests of the effects, and stores their schedules. e is stored.
func (k *work) apply(ctx context.Context, e *core.Entry, do effects) (err error) {
	project := k.schema.Project
	due := schedule.Schedule{ProjectID: e.ProjectID, EntryID: e.ID, CollectionID: e.CollectionID, ScheduledBy: k.actor.Ref()}
	switch {
	case do.withdraw:
		err = k.writer.approval.Withdraw(ctx, k.stores, k.actor, project, e.ID, k.comment, k.writer.withdrawsReleases)
	case do.submit != nil:
		submitted := *e
		submitted.Draft = do.submit
		err = k.writer.approval.Submit(ctx, k.stores, k.actor, k.schema, &submitted, do.period, k.comment)
	case do.reschedule != nil:
		err = k.writer.approval.Reschedule(ctx, k.stores, k.actor, project, e.ID, *do.reschedule)
	case do.schedule:
		draft := due
		draft.Action, draft.DueAt, draft.UnpublishAt = schedule.Publish, do.period.From, do.period.Until
		err = k.writer.publisher.Schedule(ctx, k.stores.Schedules, draft)
	}
	if err != nil || !do.end.Given {
		return err
	}
	if keeps, err := k.keepsEnd(ctx, e, do.end); err != nil || keeps {
		return err
	}
	if do.end.Value != nil {
		due.DueAt = do.end.Value.UTC()
	}
	return k.writer.publisher.End(ctx, k.stores.Schedules, due)
}
