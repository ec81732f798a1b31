package content

import (
	"context"

	"imprimatur/core"
)

// Unpublish takes the published version away from readers and withdraws what is
// pending for the entry. The draft stays.
func (w *Writer) Unpublish(ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64) (*Managed, error) {
	return nil, nil
}
