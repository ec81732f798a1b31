package content

import (
	"context"

	"imprimatur/core"
)

// Update replaces the fields that wr names and leaves the others.
func (w *Writer) Update(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64, wr Write,
) (*Managed, error) {
	in, err := w.prepare(ctx, project, collectionID, wr.Fields)
	if err != nil {
		return nil, err
	}
	return w.change(ctx, actor, project, collectionID, id, ifMatch, func(ctx context.Context, k *work, e *core.Entry) error {
		if err := live(e); err != nil {
			return err
		}
		return k.revise(ctx, e, wr, input{draft: in})
	})
}
