package content

import (
	"context"
	"time"

	"imprimatur/core"
)

// Publish wants the entry's draft public, at the given time or, when at is nil or
// past, at once. Where a workflow governs the Project the wish becomes a request,
// and pending is true. A draft without a value that is required by now is refused.
func (w *Writer) Publish(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, at *time.Time, ifMatch *int64,
) (m *Managed, pending bool, err error) {
	m, err = w.change(ctx, actor, project, collectionID, id, ifMatch,
		func(ctx context.Context, k *work, e *core.Entry) error {
			if err := live(e); err != nil {
				return err
			}
			var found faults
			a := k.public(at, &found)
			k.checkRequired(e.Draft.Values(), nil, &found)
			if err := found.err(); err != nil {
				return err
			}
			err := k.update(ctx, *e, e, a)
			pending = k.submitted
			return err
		})
	return m, pending, err
}
