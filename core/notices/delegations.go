package notices

import (
	"context"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// delegation makes the notices of a delegation that was set or ended, for both of its users.
func (n *round) delegation(ctx context.Context, e *event.Event) error {
	d, err := n.stores.Delegations.Delegation(ctx, e.SubjectID)
	if err != nil {
		return err
	}
	about := notice.Notice{
		Key: fmt.Sprintf("event %d", e.ID), Kind: notice.Delegation, Event: e.Type, Actor: e.Actor, Title: d.From.Name, Place: d.To.Name, Comment: d.Note,
	}
	return n.tell(ctx, about, nil, nil, notice.Persons(d.From, d.To))
}

// delegates returns the users that may decide a step of r on behalf of one of users, those whose turn it is.
func (n *round) delegates(ctx context.Context, p *core.Project, r *review.Request, stepID int, users []int64) (found []int64, err error) {
	if !r.Steps[stepID-1].Delegable || len(users) == 0 {
		return nil, nil
	}
	now, err := n.stores.Clock.Now(ctx)
	if err != nil {
		return nil, err
	}
	given, err := n.stores.Delegations.Delegations(ctx, review.DelegationQuery{From: users, After: now})
	if err != nil {
		return nil, err
	}
	for i := range given {
		to := given[i].To.ID
		if !given[i].Holds(now) || slices.Contains(found, to) {
			continue
		}
		actor, err := n.actor(ctx, to)
		if err != nil {
			return nil, err
		}
		lenders, err := ports.Lenders(ctx, n.stores, to, now)
		if err != nil {
			return nil, err
		}
		actor.Lent = core.LentAt(lenders, now)
		if may := r.StandingOf(actor, p); slices.ContainsFunc(may.Behalf, func(b review.Behalf) bool {
			return b.StepID == stepID && slices.Contains(users, b.Person.ID)
		}) {
			found = append(found, to)
		}
	}
	return found, nil
}
