package definition

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// rebuildBatch is the number of entries that Rebuild indexes in one transaction.
const rebuildBatch = 500

// Rebuild makes the index of all entries of the Project, of which none has rows yet. It calls progress
// with the number of entries of each batch.
func (c *Checker) Rebuild(ctx context.Context, project *core.Project, progress func(entries int)) error {
	collections, err := c.collections.Collections(ctx, project.ID)
	if err != nil {
		return err
	}
	for _, collection := range collections {
		for after, more := int64(0), true; more; more = after != 0 {
			err := c.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
				schema, err := stores.Collections.Hold(ctx, project.ID, collection.ID)
				if err != nil {
					return err
				}
				after, err = stores.Entries.Reindex(ctx, schema, after, rebuildBatch)
				return err
			})
			if err != nil {
				return err
			}
			progress(rebuildBatch)
		}
	}
	return nil
}
