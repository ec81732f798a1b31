package approval

import (
	"context"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// lend sets on whose behalf actor may decide r now. It reads nothing unless a step of r is delegable.
func lend(ctx context.Context, stores ports.Stores, actor *core.Actor, r *review.Request) error {
	actor.Lent = nil
	if !slices.ContainsFunc(r.Steps, func(s review.Step) bool { return s.Delegable }) {
		return nil
	}
	now, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	lenders, err := ports.Lenders(ctx, stores, actor.UserID(), now)
	actor.Lent = core.LentAt(lenders, now)
	return err
}

// behalfOf returns the time of a decision and the user on whose behalf it is; nil means none. It keeps the delegation
// from ending until the transaction ends, and returns core.KindForbidden if it has ended meanwhile.
func behalfOf(ctx context.Context, stores ports.Stores, as *review.Behalf) (now time.Time, by core.ActorRef, err error) {
	var held core.Delegation
	if as != nil {
		if held, err = stores.Delegations.Hold(ctx, as.DelegationID); err != nil && !errors.Is(err, core.ErrNotFound) {
			return now, by, err
		}
		by = as.Person
	}
	if now, err = stores.Clock.Now(ctx); err == nil && as != nil && !held.Holds(now) {
		err = core.Forbidden("the delegation has ended")
	}
	return now, by, err
}

// refusedFor is refused for a decision on behalf of one user.
func refusedFor(r *review.Request, actor core.Actor, s review.Standing) error {
	if s.Refusal == review.RefusedRole {
		return core.Forbidden("you may not decide an open step of the request on behalf of this user: a delegation that holds now, a step that is delegable, and the role of the user are required")
	}
	return refused(r, actor, s)
}
