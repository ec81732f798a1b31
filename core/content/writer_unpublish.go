package content

import (
	"context"
	"errors"

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

// Unschedule cancels the publication that the entry is scheduled for. Both of its
// versions stay as they are. Where nothing is scheduled it does nothing.
// core.ErrConflict when the schedule is that of an approved request.
func (w *Writer) Unschedule(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64,
) (*Managed, error) {
	return w.change(ctx, actor, project, collectionID, id, ifMatch, func(ctx context.Context, k *work, e *core.Entry) error {
		if err := live(e); err != nil {
			return err
		}
		p, err := k.stores.Publications.Scheduled(ctx, e.ProjectID, e.ID)
		if errors.Is(err, core.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if p.RequestID != 0 {
			return errScheduledByRequest
		}
		return k.stores.Publications.Cancel(ctx, e.ProjectID, e.ID)
	})
}

var errScheduledByRequest = core.Conflict("scheduled_by_request", "an approved request is scheduled: change its schedule, or withdraw it")
