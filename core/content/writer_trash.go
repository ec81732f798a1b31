package content

import (
	"context"

	"imprimatur/core"
)

// Trash moves the entry to the trash, out of every reader's sight, and withdraws
// what is pending for it.
func (w *Writer) Trash(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64,
) (*Managed, error) {
	return w.change(ctx, actor, project, collectionID, id, ifMatch, func(ctx context.Context, k *work, e *core.Entry) error {
		if err := live(e); err != nil {
			return err
		}
		before := *e
		e.TrashedAt = k.now
		return k.update(ctx, before, e, aim{wish: wishTrash})
	})
}
