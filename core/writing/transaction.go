package writing

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/ports"
)

// transaction is one transaction of a Writer on one collection.
type transaction struct {
	composer // of the drafts

	writer   *Writer
	versions *publishing.Versions
	actor    core.Actor
	workflow governance
	times    timetable
	clock    storeClock
	single   singleton
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
	return &transaction{
		composer: composer{stores, schema, w.publisher.Files}, writer: w, versions: w.publisher.In(stores, schema, actor.Ref()), actor: actor,
		workflow: governance{stores, schema, map[int64]bool{}}, times: timetable{stores.Schedules, stores.Requests, stores.Clock},
		clock: storeClock{DatabaseClock: stores.Clock}, single: singleton{alone: alone},
	}, nil
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
func (tx *transaction) save(ctx context.Context, before core.Entry, e *core.Entry, intent publishIntent) (*core.Written, error) {
	if err := tx.mayPropose(ctx, e, intent); err != nil {
		return nil, err
	}
	if e.ID == 0 || intent.kind == intentRestore {
		if err := tx.single.admit(ctx, tx.stores.Entries, tx.schema, e); err != nil {
			return nil, err
		}
	}
	do, err := tx.release(ctx, e, intent)
	if err != nil {
		return nil, err
	}
	revision := intent.revision
	revision.Submitted, revision.Chosen = do.submit != nil, do.chosen
	if err := tx.versions.Record(ctx, &before, e, revision); err != nil {
		return nil, err
	}
	if err := tx.store(ctx, &before, e); err != nil {
		return nil, err
	}
	if err := tx.apply(ctx, e, do, intent.comment); err != nil {
		return nil, err
	}
	submitted := do.submit != nil || do.reschedule != nil || do.joined
	planned := before.Draft != nil || submitted || do.schedule || do.end.Value != nil
	return &core.Written{Entry: *e, Schema: tx.schema, Submitted: submitted, Planned: planned}, nil
}

// store stores e if it differs from before.
func (tx *transaction) store(ctx context.Context, before, e *core.Entry) (err error) {
	if string(e.Draft) != string(before.Draft) {
		e.UpdatedAt = tx.versions.Now
	}
	if changed(before, e) {
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
			return core.ChangedMeanwhile(withValues(tx.schema.Collection, e, err))
		}
		e.Publishing, e.Move = nil, core.Move{}
		if before.Draft == nil {
			tx.single.group = e.Group
		}
	} else if string(e.Revision) != string(before.Revision) {
		return tx.stores.Entries.SetRevision(ctx, e.ProjectID, e.ID, e.Revision)
	}
	return nil
}

func changed(before, after *core.Entry) bool {
	return string(before.Draft) != string(after.Draft) || after.Publishing != nil ||
		string(before.Published) != string(after.Published) ||
		!before.TrashedAt.Equal(after.TrashedAt) ||
		!before.CreatedAt.Equal(after.CreatedAt)
}
