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

// apply asks for the requests of the effects, with a comment for their record, and stores their schedules. e is stored.
func (tx *transaction) apply(ctx context.Context, e *core.Entry, do effects, comment string) (err error) {
	project := tx.schema.Project
	due := schedule.Schedule{ProjectID: e.ProjectID, EntryID: e.ID, CollectionID: e.CollectionID, ScheduledBy: tx.actor.Ref()}
	switch {
	case do.withdraw:
		err = tx.writer.approval.Withdraw(ctx, tx.stores, tx.actor, project, e.ID, comment, tx.writer.withdrawsReleases)
	case do.submit != nil:
		submitted := *e
		submitted.Draft = do.submit
		err = tx.writer.approval.Submit(ctx, tx.stores, tx.actor, tx.schema, &submitted, do.period, comment)
	case do.reschedule != nil:
		err = tx.writer.approval.Reschedule(ctx, tx.stores, tx.actor, project, e.ID, *do.reschedule)
	case do.schedule:
		draft := due
		draft.Action, draft.DueAt, draft.UnpublishAt = schedule.Publish, do.period.From, do.period.Until
		err = tx.writer.publisher.Schedule(ctx, tx.stores.Schedules, draft)
	}
	if err != nil || !do.end.Given {
		return err
	}
	if keeps, err := tx.times.keepsEnd(ctx, e, do.end); err != nil || keeps {
		return err
	}
	if do.end.Value != nil {
		due.DueAt = do.end.Value.UTC()
	}
	return tx.writer.publisher.End(ctx, tx.stores.Schedules, due)
}
