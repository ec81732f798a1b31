package writing

import (
	"context"
	"time"

	"imprimatur/core"
)

// effects is what the gate does after the entry of a write is stored: at most one of the first four,
// and then the end.
type effects struct {
	withdraw   bool         // withdraws the pending request or schedule
	submit     *submission  // opens a request
	reschedule *core.Times  // gives the open request these times
	schedule   *core.Period // schedules the draft
	// end is the end of the publication; absent: as it is.
	end core.Optional[time.Time]
}

// submission is a request to publish a version for a period.
type submission struct {
	version core.Document
	chosen  bool // the write names the version, which may differ from the draft
	period  core.Period
}

// apply has the gate do the effects. e is stored.
func (k *work) apply(ctx context.Context, e *core.Entry, do effects) (err error) {
	switch {
	case do.withdraw:
		err = k.gate.Withdraw(ctx, k.stores, k.actor, e, k.comment)
	case do.submit != nil:
		submitted := *e
		submitted.Draft = do.submit.version
		err = k.gate.Submit(ctx, k.stores, k.actor, k.schema, &submitted, do.submit.period, k.comment)
	case do.reschedule != nil:
		_, err = k.gate.Reschedule(ctx, k.stores, k.actor, k.schema.Project, e.ID, *do.reschedule)
	case do.schedule != nil:
		err = k.gate.Schedule(ctx, k.stores, k.actor, e, *do.schedule)
	}
	if err != nil || !do.end.Given {
		return err
	}
	if keeps, err := k.keepsEnd(ctx, e, do.end); err != nil || keeps {
		return err
	}
	var at time.Time
	if do.end.Value != nil {
		at = do.end.Value.UTC()
	}
	return k.gate.End(ctx, k.stores, k.actor, e, at)
}
