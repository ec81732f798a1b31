package definition

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// deleteRest deletes a portion of each deleted Project and collection. It reports whether it had work.
func (c *Collections) deleteRest(ctx context.Context) (did bool, err error) {
	deletions, err := c.deletions.Deletions(ctx)
	for _, d := range deletions {
		var taken bool
		failed := c.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) (err error) {
			_, taken, err = stores.Deletions.DeleteSome(ctx, d, core.PortionRows)
			return err
		})
		did, err = did || taken && failed == nil, errors.Join(err, failed)
	}
	return did, err
}
