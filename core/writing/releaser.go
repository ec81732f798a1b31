package writing

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

// Releaser implements ports.Publisher for the approval workflow. It does not call the gate,
// because its caller has already made that decision.
type Releaser struct {
	clock ports.Clock
	files []core.FileBase
}

// NewReleaser returns a Releaser. Revisions have the times of clock. files are the base URLs of the
// files of this installation.
func NewReleaser(clock ports.Clock, files ...core.FileBase) *Releaser { return &Releaser{clock, files} }

// Release implements ports.Publisher.
func (r *Releaser) Release(
	ctx context.Context, stores ports.Stores, project *core.Project, entryID int64, release core.Release,
) (time.Time, error) {
	return r.change(ctx, stores, project, entryID, func(core.Schema, *core.Entry) (core.Release, error) { return release, nil })
}

// ReleaseDraft implements ports.Publisher.
func (r *Releaser) ReleaseDraft(ctx context.Context, stores ports.Stores, project *core.Project, entryID int64, by core.ActorRef) error {
	_, err := r.change(ctx, stores, project, entryID, func(schema core.Schema, e *core.Entry) (core.Release, error) {
		found, err := ports.TargetsIn(stores).Faults(ctx, schema, e.Draft)
		if err == nil {
			err = found.Err()
		}
		return core.Release{Document: e.Draft, By: by}, err
	})
	return err
}

// Submitted implements ports.Publisher.
func (r *Releaser) Submitted(ctx context.Context, stores ports.Stores, schema core.Schema, entryID int64) error {
	e, err := stores.Entries.Lock(ctx, schema.Project.ID, entryID)
	if err != nil {
		return err
	}
	found, err := ports.TargetsIn(stores).Faults(ctx, schema, e.Draft)
	if err == nil {
		validation.ForeignPictures(schema.Collection, e.Draft, r.files, &found)
		err = found.Err()
	}
	if err != nil {
		return err
	}
	k, before := &work{stores: stores, schema: schema, now: r.clock.Now()}, e
	if err := k.record(ctx, &before, &e, true); err != nil {
		return err
	}
	return stores.Entries.SetRevision(ctx, e.ProjectID, e.ID, e.Revision)
}

// change publishes the release that version returns for the entry and its schema. It returns the time
// of the publication, or the present time if readers see the release already.
func (r *Releaser) change(
	ctx context.Context, stores ports.Stores, project *core.Project, entryID int64,
	version func(core.Schema, *core.Entry) (core.Release, error),
) (at time.Time, err error) {
	e, err := stores.Entries.Lock(ctx, project.ID, entryID)
	if err != nil {
		return at, err
	}
	if err := live(&e); err != nil {
		return at, err
	}
	schema, err := ports.SchemaOf(ctx, stores.Collections, project, e.CollectionID)
	if err != nil {
		return at, err
	}
	release, err := version(schema, &e)
	if err != nil {
		return at, err
	}
	k := &work{stores: stores, schema: schema, now: r.clock.Now()}
	before := e
	if err := k.show(ctx, &e, release); err != nil {
		return at, err
	}
	if !changed(&before, &e) {
		return stores.Clock.Now(ctx)
	}
	if err := k.record(ctx, &before, &e, false); err != nil {
		return at, err
	}
	e.Version++
	err = core.ChangedMeanwhile(stores.Entries.Update(ctx, schema, &e))
	return e.ReleasedAt, err
}

// Retract implements ports.Publisher.
func (r *Releaser) Retract(ctx context.Context, stores ports.Stores, project *core.Project, entryID int64) error {
	e, err := stores.Entries.Lock(ctx, project.ID, entryID)
	if errors.Is(err, core.ErrNotFound) || err == nil && e.Published == nil {
		return nil
	}
	if err != nil {
		return err
	}
	schema, err := ports.SchemaOf(ctx, stores.Collections, project, e.CollectionID)
	if err != nil {
		return err
	}
	hide(&e)
	e.Version++
	return core.ChangedMeanwhile(stores.Entries.Update(ctx, schema, &e))
}
