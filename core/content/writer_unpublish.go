package content

import (
	"context"

	"imprimatur/core"
)

// Unpublish takes the published version away from readers and withdraws what is
// pending for the entry. The draft stays.
func (w *Writer) Unpublish(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64,
) (*Managed, error) {
	return w.change(ctx, actor, project, collectionID, id, ifMatch, func(ctx context.Context, k *work, e *core.Entry) error {
		if err := live(e); err != nil {
			return err
		}
		return k.update(ctx, *e, e, aim{wish: wishPrivate})
	})
}
