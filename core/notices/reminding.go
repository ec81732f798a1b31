package notices

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Reminding reminds the reviewers of requests that wait too long. One goroutine uses it at a time.
type Reminding struct {
	reminders ports.Reminders
	notifier  *Notifier
	tx        ports.Tx
	failed    []int64 // requests whose reminders failed alone
}

// NewReminding returns a Reminding.
func NewReminding(stores ports.Stores, tx ports.Tx, notifier *Notifier) *Reminding {
	return &Reminding{reminders: stores.Reminders, notifier: notifier, tx: tx}
}

// together is the number of reminders that one transaction takes.
const together = 100

// Remind makes the notices of all due reminders. It begins no transaction if none is due. Any number of
// processes may call it: each reminder is taken once. One that fails alone holds up no other; it stays
// until the process ends.
func (rs *Reminding) Remind(ctx context.Context) (fault error) {
	for size := together; ctx.Err() == nil; {
		if due, err := rs.reminders.AnyDue(ctx, rs.failed...); err != nil || !due {
			return errors.Join(fault, err)
		}
		taken, err := rs.take(ctx, size)
		switch {
		case err == nil && len(taken) == 0: // another process takes them
			return fault
		case err == nil:
		case len(taken) == 0 || errors.Is(err, core.ErrUnavailable):
			return errors.Join(fault, err)
		case len(taken) > 1:
			size = 1 // to find the one that fails
		default:
			rs.failed, fault, size = append(rs.failed, taken[0].RequestID), errors.Join(fault, err), together
		}
	}
	return errors.Join(fault, ctx.Err())
}

// take makes the notices of up to limit due reminders. It returns the reminders, also with an error.
func (rs *Reminding) take(ctx context.Context, limit int) (taken []review.Reminder, err error) {
	err = rs.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) (err error) {
		if taken, err = stores.Reminders.TakeDue(ctx, limit, rs.failed...); err != nil {
			return err
		}
		return rs.notifier.remind(ctx, stores, taken)
	})
	return taken, err
}

// remind stores the notices of reminders. It skips those of what was deleted or decided since.
func (r *Notifier) remind(ctx context.Context, stores ports.Stores, reminders []review.Reminder) error {
	n := newRound(stores, r.mails)
	for _, due := range reminders {
		if err := n.remind(ctx, due); err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
	}
	return n.store(ctx)
}

// remind makes the notices of a reminder: those of the action that began the wait, again.
func (n *round) remind(ctx context.Context, due review.Reminder) error {
	r, project, actions, err := n.find(ctx, due.ProjectID, due.RequestID)
	if err != nil {
		return err
	}
	switch {
	case due.Kind == review.RemindOverdue:
		return n.overdue(ctx, project, r, actions)
	case !slices.Contains(r.OpenSteps(), due.StepID):
		return nil
	}
	for _, action := range slices.Backward(actions) {
		if !arrived(&action, r) {
			continue
		}
		about := aboutRequest(r, &action)
		about.Event, about.Reminder = event.RequestSubmitted, true
		if action.Type == review.ActionApprove {
			about.Event = event.RequestApproved
		}
		if about.Key = fmt.Sprintf("remind %d %d", r.ID, due.StepID); due.Kind == review.RemindEscalated {
			about.Key = fmt.Sprintf("escalated %d %d", r.ID, due.StepID)
			if step := r.Escalated(due.StepID); step != nil {
				return n.turnAt(ctx, about, project, r, due.StepID, step)
			}
			return nil
		}
		return n.turn(ctx, about, project, r, due.StepID)
	}
	return nil
}

// overdue makes the notices of a request whose time of publication has come before it is approved: those of its
// submitter, and of those who may decide its open steps.
func (n *round) overdue(ctx context.Context, p *core.Project, r *review.Request, actions []review.Action) error {
	if r.Status != review.RequestPending || len(actions) == 0 {
		return nil
	}
	about := aboutRequest(r, &actions[0])
	about.Key, about.Kind, about.Event = fmt.Sprintf("overdue %d %d", r.ID, r.ScheduledAt.UnixMilli()), notice.Overdue, event.RequestSubmitted
	about.Actor, about.Comment = core.ActorRef{}, ""
	told := notice.Persons(r.SubmittedBy)
	for _, id := range r.OpenSteps() {
		users, err := n.deciders(ctx, p, r, id, &r.Steps[id-1])
		if err != nil {
			return err
		}
		told = append(told, users...)
	}
	slices.Sort(told)
	return n.tell(ctx, about, p, r, slices.Compact(told))
}

// arrived reports whether action brought r to the steps where it waits.
func arrived(action *review.Action, r *review.Request) bool {
	if action.Type != review.ActionSubmit && action.Type != review.ActionApprove {
		return false
	}
	then := *r
	then.Approvals = r.Approvals[:min(len(r.Approvals), action.Outcome.Approved())]
	return then.Arrived()
}
