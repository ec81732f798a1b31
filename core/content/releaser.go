package content

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Releaser implements ports.Publisher for the approval workflow. It does not call the gate:
// its caller has decided.
type Releaser struct {
	clock ports.Clock
}

// NewReleaser returns a Releaser.
func NewReleaser(clock ports.Clock) *Releaser { return &Releaser{clock: clock} }

// Release implements ports.Publisher.
func (r *Releaser) Release(ctx context.Context, stores ports.Stores, project *core.Project, entryID int64, doc core.Document, at time.Time) error {
	return r.change(ctx, stores, project, entryID, at, func(*work, *core.Entry) (core.Document, error) { return doc, nil })
}

// ReleaseDraft implements ports.Publisher.
func (r *Releaser) ReleaseDraft(ctx context.Context, stores ports.Stores, project *core.Project, entryID int64) error {
	return r.change(ctx, stores, project, entryID, r.clock.Now(), func(k *work, e *core.Entry) (core.Document, error) {
		found := documentFaults(k.schema.Collection, e.Draft.Values(), nil)
		return e.Draft, found.Err()
	})
}

func (r *Releaser) change(
	ctx context.Context, stores ports.Stores, project *core.Project, entryID int64, at time.Time,
	version func(*work, *core.Entry) (core.Document, error),
) error {
	e, err := stores.Entries.Lock(ctx, project.ID, entryID)
	if err != nil {
		return err
	}
	if err := live(&e); err != nil {
		return err
	}
	schema, err := schemaOf(ctx, stores.Collections, project, e.CollectionID)
	if err != nil {
		return err
	}
	k := &work{stores: stores, schema: schema, now: at}
	doc, err := version(k, &e)
	if err != nil {
		return err
	}
	before := e
	if err := k.show(ctx, &e, doc); err != nil {
		return err
	}
	if !changed(&before, &e) {
		return nil
	}
	e.Version++
	return core.ChangedMeanwhile(stores.Entries.Update(ctx, schema, &e))
}
