package content

import (
	"context"

	"imprimatur/core"
)

// Update changes a collection's name, description and order of fields.
func (c *Collections) Update(ctx context.Context, project *core.Project, id int64, change CollectionChange) (*core.Collection, error) {
	return nil, nil
}
