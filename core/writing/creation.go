package writing

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// dateCreation sets the time of creation that in, a write of e, names, and adds its faults to found. It
// returns core.KindForbidden unless the actor may set it. An import may.
func (tx *transaction) dateCreation(ctx context.Context, e *core.Entry, in request, found *core.Faults) error {
	if in.CreatedAt.IsZero() {
		return nil
	}
	now, err := tx.clock.began(ctx)
	if err != nil {
		return err
	}
	at := in.CreatedAt.UTC().Truncate(time.Millisecond)
	if at.After(now) || !core.TimeInRange(at) {
		found.Add("createdAt", nil, "must not be in the future, and not before the year 1")
	}
	if in.from != fromBatch {
		if !tx.actor.RoleInProject(tx.schema.Project).Includes(core.RoleAdmin) {
			return core.Forbidden("createdAt is only for admins of the project")
		}
		governed, err := tx.workflow.governs(ctx, e)
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

// storeClock is the database's clock in one transaction.
type storeClock struct {
	ports.DatabaseClock
	first time.Time // zero: not read yet
}

// began returns the time as it was when the transaction first asked for it.
func (c *storeClock) began(ctx context.Context) (time.Time, error) {
	if !c.first.IsZero() {
		return c.first, nil
	}
	now, err := c.Now(ctx)
	c.first = now
	return now, err
}
