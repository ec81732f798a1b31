package content

import (
	"context"

	"imprimatur/core"
)

// Create adds an entry to the collection.
func (w *Writer) Create(ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, wr Write) (*Managed, error) {
	return nil, nil
}
