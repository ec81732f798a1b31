package changefeed

import (
	"context"

	"imprimatur/ports"
)

// Tx is a ports.Tx that knows when nobody knows whether a commit took place: its
// answer was lost. Whoever made it cannot announce it then, so that ChangeAll is.
type Tx struct {
	ports.Tx
	changes ports.Changes
}

// NewTx returns a Tx that runs its transactions in tx.
func NewTx(tx ports.Tx, changes ports.Changes) *Tx { return &Tx{tx, changes} }

// Do is described at ports.Tx.
func (t *Tx) Do(ctx context.Context, do func(context.Context, ports.Stores) error) error {
	committing := false
	err := t.Tx.Do(ctx, func(ctx context.Context, stores ports.Stores) error {
		err := do(ctx, stores)
		committing = err == nil
		return err
	})
	if err != nil && committing {
		t.changes.Announce(ctx, ports.Change{Kind: ports.ChangeAll})
	}
	return err
}
