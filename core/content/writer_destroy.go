package content

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Destroy removes an entry that is in the trash for good; core.ErrConflict when it
// is not in the trash.
func (w *Writer) Destroy(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64,
) error {
	return w.tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) error {
		k, err := w.begin(ctx, stores, actor, project, collectionID)
		if err != nil {
			return err
		}
		e, err := k.entry(ctx, id, ifMatch)
		if err != nil {
			return err
		}
		if e.TrashedAt.IsZero() {
			return errNotTrashed
		}
		return stores.Entries.Destroy(ctx, k.schema, id)
	})
}
