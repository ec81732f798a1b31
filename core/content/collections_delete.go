package content

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Delete removes the collection with everything in it and withdraws what is pending
// for its entries; core.ErrConflict while a field of another collection points to it. It requires
// acknowledged while an entry of the collection is published.
func (c *Collections) Delete(ctx context.Context, actor core.Actor, project *core.Project, id int64, acknowledged bool) error {
	return transact(ctx, c.tx, actor, func(ctx context.Context, stores ports.Stores) error {
		schema, err := lockedSchema(ctx, stores.Collections, stores.Projects, project.ID, id)
		if err != nil {
			return err
		}
		for _, other := range schema.Collections {
			for _, f := range other.Fields {
				if other.ID != id && f.Collection == schema.Collection.Slug {
					return core.Conflict("collection_in_use", "%s.%s points to the collection", other.Slug, f.Name)
				}
			}
		}
		if err := c.gate.Redefine(ctx, stores, schema, core.Schema{Project: schema.Project}, acknowledged); err != nil {
			return err
		}
		if err := stores.Collections.Delete(ctx, project.ID, id); err != nil {
			return err
		}
		// After the deletion no transaction can submit an entry of the collection.
		return c.gate.Close(ctx, stores, actor, project.ID, id)
	})
}
