package content

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// work is one transaction of a Writer on one collection.
type work struct {
	stores ports.Stores
	gate   ports.PublishGate
	hasher ports.PasswordHasher
	actor  core.Actor
	schema core.Schema
	now    time.Time
	// submitted says that a wish to publish went to the gate.
	submitted bool
	// governed says whether the gate governs new entries; nil: not asked yet.
	governed *bool
}

// begin holds the Project's definitions and reads them: they may have changed since the
// caller read project.
func (w *Writer) begin(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, collectionID int64) (*work, error) {
	schema, err := heldSchema(ctx, stores, project.ID, collectionID)
	if err != nil {
		return nil, err
	}
	return &work{
		stores: stores, gate: w.gate, hasher: w.hasher, actor: actor, schema: schema, now: w.clock.Now(),
	}, nil
}

// heldSchema returns what writing to the collection needs, and holds the Project, so that
// none of it changes until the transaction ends.
func heldSchema(ctx context.Context, stores ports.Stores, projectID, collectionID int64) (core.Schema, error) {
	project, err := stores.Projects.Hold(ctx, projectID)
	if err != nil {
		return core.Schema{}, err
	}
	return schemaOf(ctx, stores, project, collectionID)
}

// lockedSchema returns the collection with all others of its Project: what changing the
// collection itself needs. It locks the Project, so that no other transaction changes one
// of them, or writes an entry by them, until this one ends.
func lockedSchema(ctx context.Context, stores ports.Stores, projectID, collectionID int64) (core.Schema, error) {
	if err := stores.Projects.Lock(ctx, projectID); err != nil {
		return core.Schema{}, err
	}
	project, err := stores.Projects.Project(ctx, projectID)
	if err != nil {
		return core.Schema{}, err
	}
	collections, err := stores.Collections.Collections(ctx, projectID)
	if err != nil {
		return core.Schema{}, err
	}
	schema := core.Schema{Project: project, Collections: collections}
	if schema.Collection = schema.ByID(collectionID); schema.Collection == nil {
		return core.Schema{}, core.NotFound("collection")
	}
	return schema, nil
}

// schemaOf returns what writing to the collection needs, as stores have it now: it and
// those that it points to, however many there are in the Project.
func schemaOf(ctx context.Context, stores ports.Stores, project *core.Project, collectionID int64) (core.Schema, error) {
	related, err := stores.Collections.Related(ctx, project.ID, collectionID)
	if err != nil {
		return core.Schema{}, named(err, "collection")
	}
	return core.Schema{Project: project, Collection: related[0], Collections: related}, nil
}

// entry returns the collection's entry, in the trash or not, if it is at the
// version that the caller knows. Nobody else changes it, or decides what becomes of
// it, until the transaction ends.
func (k *work) entry(ctx context.Context, id int64, ifMatch *int64) (core.Entry, error) {
	e, err := k.stores.Entries.Lock(ctx, k.schema.Project.ID, id)
	switch {
	case errors.Is(err, core.ErrNotFound), err == nil && e.CollectionID != k.schema.Collection.ID:
		return core.Entry{}, core.NotFound("entry")
	case err != nil:
		return core.Entry{}, err
	case ifMatch != nil && *ifMatch != e.Version:
		return core.Entry{}, core.Stale("entry")
	}
	return e, nil
}

// live refuses an entry in the trash.
func live(e *core.Entry) error {
	if !e.TrashedAt.IsZero() {
		return core.NotFound("entry")
	}
	return nil
}

// insert stores a new entry.
func (k *work) insert(ctx context.Context, e *core.Entry, a aim) error {
	settle, err := k.release(ctx, e, a)
	if err != nil {
		return err
	}
	e.Version = 1
	e.CreatedAt, e.UpdatedAt = k.now, k.now
	e.CreatedBy, e.UpdatedBy = k.actor.UserID(), k.actor.UserID()
	if err := k.stores.Entries.Insert(ctx, k.schema, e); err != nil {
		return core.ChangedMeanwhile(err)
	}
	return settle()
}

// update stores e in place of before, unless they are the same.
func (k *work) update(ctx context.Context, before core.Entry, e *core.Entry, a aim) error {
	settle, err := k.release(ctx, e, a)
	if err != nil {
		return err
	}
	if string(e.Draft) != string(before.Draft) {
		e.UpdatedAt = k.now
	}
	if changed(&before, e) {
		e.Version++
		e.UpdatedBy = k.actor.UserID()
		if err := k.stores.Entries.Update(ctx, k.schema, e); err != nil {
			return core.ChangedMeanwhile(err)
		}
	}
	return settle()
}

func changed(before, after *core.Entry) bool {
	return string(before.Draft) != string(after.Draft) ||
		(before.Published == nil) != (after.Published == nil) ||
		string(before.Published) != string(after.Published) ||
		!before.TrashedAt.Equal(after.TrashedAt)
}
