package content

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Create adds an entry to the collection. Fields that wr does not name start from
// their defaults.
func (w *Writer) Create(ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, wr Write) (*Managed, error) {
	in, err := w.prepare(ctx, project, collectionID, wr.Fields)
	if err != nil {
		return nil, err
	}
	var k *work
	var e *core.Entry
	err = retry(ctx, func() error {
		return w.tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) (err error) {
			if k, err = w.begin(ctx, stores, actor, project, collectionID); err != nil {
				return err
			}
			e, err = k.create(ctx, wr, input{draft: in})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return w.answer(ctx, k.schema, *e)
}
