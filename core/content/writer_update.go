package content

import (
	"context"

	"imprimatur/core"
)

// Update replaces the fields that wr names and leaves the others.
func (w *Writer) Update(ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64, wr Write) (*Managed, error) {
	return nil, nil
}
