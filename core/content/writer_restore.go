package content

import (
	"context"

	"imprimatur/core"
)

// Restore takes the entry out of the trash. One that was Published is again, unless
// a workflow governs the Project by now: then it comes back as a draft.
func (w *Writer) Restore(ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64) (*Managed, error) {
	return nil, nil
}
