package content

import (
	"context"

	"imprimatur/core"
)

// Destroy removes an entry that is in the trash for good; core.ErrConflict when it
// is not in the trash.
func (w *Writer) Destroy(ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64) error {
	return nil
}
