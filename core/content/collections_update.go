package content

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Update changes a collection's name, description and order of fields.
func (c *Collections) Update(
	ctx context.Context, actor core.Actor, project *core.Project, id int64, change CollectionChange,
) (*core.Collection, error) {
	return c.change(ctx, actor, project, id, false, func(_ context.Context, _ ports.Stores, d *definition) error {
		d.describe(change.Name, change.Description)
		if change.Order != nil {
			d.order(change.Order)
		}
		return d.faults.Err()
	})
}

// order puts the fields in the order of names, which must be all of theirs.
func (d *definition) order(names []string) {
	fields := make([]*core.Field, 0, len(names))
	for _, name := range names {
		if f := d.Field(name); f != nil && !slices.Contains(fields, f) {
			fields = append(fields, f)
		}
	}
	if len(fields) != len(names) || len(fields) != len(d.Fields) {
		d.faults.Add("order", nil, "must name every field of the collection once")
		return
	}
	d.Fields = fields
}
