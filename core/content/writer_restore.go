package content

import (
	"context"
	"time"

	"imprimatur/core"
)

// Restore takes the entry out of the trash. One that was Published is so again,
// unless a workflow governs the Project by now: then it comes back as a draft.
// core.ErrConflict when it is not in the trash, core.ErrInvalid when another entry
// has taken a unique value meanwhile.
func (w *Writer) Restore(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64,
) (*Managed, error) {
	return w.change(ctx, actor, project, collectionID, id, ifMatch, func(ctx context.Context, k *work, e *core.Entry) error {
		if e.TrashedAt.IsZero() {
			return errNotTrashed
		}
		before := *e
		e.TrashedAt = time.Time{}
		return k.update(ctx, before, e, aim{wish: wishBack})
	})
}

var errNotTrashed = core.Conflict("not_trashed", "the entry is not in the trash")
