package content

import (
	"context"

	"imprimatur/core"
)

// Create adds a collection to the Project.
func (c *Collections) Create(ctx context.Context, project *core.Project, in CollectionInput) (*core.Collection, error) {
	return nil, nil
}
