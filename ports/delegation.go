package ports

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/review"
)

// DelegationStore stores delegations. They stay when they have ended.
type DelegationStore interface {
	DelegationReader

	// Hold returns the delegation and keeps it from being ended until the transaction ends.
	Hold(ctx context.Context, id int64) (core.Delegation, error)
	// Insert adds d and sets its ID. It records event.DelegationCreated.
	Insert(ctx context.Context, d *core.Delegation) error
	// End sets EndedAt to that of d, and records event.DelegationEnded. It returns core.ErrNotFound if the
	// delegation does not exist or has been ended.
	End(ctx context.Context, d *core.Delegation) error
}

// DelegationReader reads delegations.
type DelegationReader interface {
	// Delegations returns the delegations that q selects, by id.
	Delegations(ctx context.Context, q review.DelegationQuery) ([]core.Delegation, error)
	Delegation(ctx context.Context, id int64) (core.Delegation, error)
}

// Lenders returns the users on whose behalf a user may decide at a time or later, by the id of the delegation, with
// their present roles; see core.LentAt. They are active. Without a delegation it reads nothing else.
func Lenders(ctx context.Context, stores Stores, userID int64, at time.Time) ([]core.Lender, error) {
	found, err := stores.Delegations.Delegations(ctx, review.DelegationQuery{To: userID, After: at})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	ids := make([]int64, len(found))
	for i := range found {
		ids[i] = found[i].From.ID
	}
	users, err := stores.Users.UsersByIDs(ctx, core.Distinct(ids))
	if err != nil {
		return nil, err
	}
	held, err := stores.Grants.Roles(ctx, core.Distinct(ids))
	if err != nil {
		return nil, err
	}
	var lent []core.Lender
	for i := range found {
		for u := range users {
			if users[u].ID == found[i].From.ID && users[u].Active {
				lent = append(lent, review.LenderOf(found[i], &users[u], held))
			}
		}
	}
	return lent, nil
}
