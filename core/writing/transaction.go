package writing

import (
	"context"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/ports"
)

// transaction is one transaction of a Writer on one collection.
type transaction struct {
	writer   *Writer
	stores   ports.Stores
	versions *publishing.Versions
	actor    core.Actor
	schema   core.Schema
	// submitted reports that the write asked for a publication that needs an approval request.
	submitted bool
	// scheduled reports that the write scheduled a publication.
	scheduled bool
	// cleaned has what the write removed from its values.
	cleaned []core.Cleaned
	// restoring reports that the write restores a revision.
	restoring bool
	// batched reports that the write is one of a batch.
	batched bool
	// governed caches the results of governs, by id; 0: new entries.
	governed map[int64]bool
	// began is the result of storeTime; zero: not read yet.
	began time.Time
	// group is the translation group of a singleton; 0: not known, or none.
	group int64
	// alone reports that the transaction has the exclusive lock of the Project.
	alone bool
}

// begin takes the shared lock of ports.CollectionStore.Hold and reads the definitions again,
// because they may have changed since the caller read project. With alone it first takes the exclusive
// lock of the Project.
func (w *Writer) begin(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, collectionID int64, alone bool) (*transaction, error) {
	if alone {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return nil, err
		}
	}
	schema, err := stores.Collections.Hold(ctx, project.ID, collectionID)
	if err != nil {
		return nil, err
	}
	stores.Media = &knownMedia{MediaStore: stores.Media}
	return &transaction{writer: w, stores: stores, versions: w.publisher.In(stores, schema, actor.Ref()), actor: actor, schema: schema, alone: alone}, nil
}

// knownMedia is the MediaStore of one transaction. It reads each item once, although a write
// first checks that the items of its fields exist and later seals them.
type knownMedia struct {
	ports.MediaStore
	items map[int64]*core.MediaItem // nil: no such item
}

// MediaByIDs implements ports.MediaReader.
func (m *knownMedia) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { _, known := m.items[id]; return known })
	if len(unknown) > 0 {
		read, err := m.MediaStore.MediaByIDs(ctx, projectID, unknown)
		if err != nil {
			return nil, err
		}
		if m.items == nil {
			m.items = map[int64]*core.MediaItem{}
		}
		for _, id := range unknown {
			m.items[id] = nil
		}
		for i := range read {
			m.items[read[i].ID] = &read[i]
		}
	}
	var items []core.MediaItem
	for _, id := range ids {
		if item := m.items[id]; item != nil {
			items = append(items, *item)
		}
	}
	return items, nil
}

// entry returns the collection's entry, in the trash or not, if ifMatch is its tag (nil: any).
// It locks the entry: until this transaction ends, no other one changes the entry, its request
// or its schedule.
func (tx *transaction) entry(ctx context.Context, id int64, ifMatch *core.EntryTag) (core.Entry, error) {
	e, err := tx.stores.Entries.Lock(ctx, tx.schema.Project.ID, id)
	switch {
	case errors.Is(err, core.ErrNotFound), err == nil && e.CollectionID != tx.schema.Collection.ID:
		return core.Entry{}, core.NotFound("entry")
	case err != nil:
		return core.Entry{}, err
	case ifMatch != nil && !ifMatch.Of(&e, tx.schema.Collection):
		return core.Entry{}, core.Stale("entry")
	}
	return e, nil
}

// live returns core.ErrNotFound for an entry in the trash.
func live(e *core.Entry) error {
	if e.Trashed() {
		return core.NotFound("entry")
	}
	return nil
}

// trashed returns core.ErrConflict for an entry that is not in the trash.
func trashed(e *core.Entry) error {
	if !e.Trashed() {
		return core.Conflict("not_trashed", "the entry is not in the trash")
	}
	return nil
}

// save publishes or unpublishes e by the intent, and stores it if it differs from before. For a
// new entry before.Draft is nil.
func (tx *transaction) save(ctx context.Context, before core.Entry, e *core.Entry, intent publishIntent) error {
	if err := tx.mayPropose(ctx, e, intent); err != nil {
		return err
	}
	if e.ID == 0 || intent.kind == intentRestore {
		if err := tx.single(ctx, e); err != nil {
			return err
		}
	}
	do, err := tx.release(ctx, e, intent)
	if err != nil {
		return err
	}
	opens := do.submit != nil
	tx.submitted = opens || do.reschedule != nil || do.joined
	tx.scheduled = tx.scheduled || do.schedule || do.end.Value != nil
	revision := publishing.RevisionWrite{Submitted: opens, Chosen: do.chosen, Restoring: tx.restoring, Note: intent.note}
	if err := tx.versions.Record(ctx, &before, e, revision); err != nil {
		return err
	}
	if string(e.Draft) != string(before.Draft) {
		e.UpdatedAt = tx.versions.Now
	}
	if changed(&before, e) {
		e.Version++
		e.UpdatedBy = tx.actor.UserID()
		if e.ID == 0 {
			e.CreatedBy = e.UpdatedBy
			if e.CreatedAt.IsZero() {
				e.CreatedAt = tx.versions.Now
			}
			err = tx.stores.Entries.Insert(ctx, tx.schema, e)
		} else {
			err = tx.stores.Entries.Update(ctx, tx.schema, e)
		}
		if err != nil {
			return core.ChangedMeanwhile(tx.withValues(e, err))
		}
		e.Publishing, e.Move = nil, core.Move{}
		if before.Draft == nil {
			tx.group = e.Group
		}
	} else if string(e.Revision) != string(before.Revision) {
		if err := tx.stores.Entries.SetRevision(ctx, e.ProjectID, e.ID, e.Revision); err != nil {
			return err
		}
	}
	return tx.apply(ctx, e, do, intent.comment)
}

func changed(before, after *core.Entry) bool {
	return string(before.Draft) != string(after.Draft) || after.Publishing != nil ||
		string(before.Published) != string(after.Published) ||
		!before.TrashedAt.Equal(after.TrashedAt) ||
		!before.CreatedAt.Equal(after.CreatedAt)
}

// written returns e as the result of the write.
func (tx *transaction) written(e core.Entry) *core.Written {
	return &core.Written{Entry: e, Schema: tx.schema, Submitted: tx.submitted, Planned: true, Cleaned: tx.cleaned}
}
