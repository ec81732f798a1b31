package writing

import (
	"context"
	"time"

	"imprimatur/core"
)

// dateCreation sets the time of creation that in, a write of e, names, and adds its faults to found. It
// returns core.KindForbidden unless the actor may set it. An import may.
func (k *work) dateCreation(ctx context.Context, e *core.Entry, in input, found *core.Faults) error {
	if in.CreatedAt.IsZero() {
		return nil
	}
	now, err := k.storeTime(ctx)
	if err != nil {
		return err
	}
	at := in.CreatedAt.UTC().Truncate(time.Millisecond)
	if at.After(now) || !core.TimeInRange(at) {
		found.Add("createdAt", nil, "must not be in the future, and not before the year 1")
	}
	if !k.batched {
		if !k.actor.RoleInProject(k.schema.Project).Includes(core.RoleAdmin) {
			return core.Forbidden("createdAt is only for admins of the project")
		}
		governed, err := k.governs(ctx, e)
		if err != nil {
			return err
		}
		if governed && e.Published != nil && !at.Equal(e.CreatedAt) { // readers would see a change without a review
			found.Add("createdAt", nil, "cannot be changed where a workflow governs the project and the entry is published")
		}
	}
	e.CreatedAt = at
	return nil
}

// storeTime returns the time of the database's clock, as it was when the transaction first asked.
func (k *work) storeTime(ctx context.Context) (time.Time, error) {
	if !k.began.IsZero() {
		return k.began, nil
	}
	now, err := k.stores.Clock.Now(ctx)
	k.began = now
	return now, err
}
