package sqlstore

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// change runs do in the transaction that s is in, or else in one of its own.
func (s entryStore) change(ctx context.Context, do func(context.Context, entryStore) error) error {
	if s.tx != nil {
		return s.db.fault(do(ctx, s), "entry")
	}
	return s.db.Do(ctx, func(ctx context.Context, stores ports.Stores) error {
		inside, ok := stores.Entries.(entryStore)
		if !ok {
			return errors.New("sqlstore: a transaction without an entry store")
		}
		return do(ctx, inside)
	})
}

// exec runs one statement of a write.
func (s entryStore) exec(ctx context.Context, text string, args ...any) (affected int64, err error) {
	countStatement(ctx)
	result, err := s.tx.ExecContext(ctx, text, s.db.dialect.Prepared(args)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s entryStore) Insert(ctx context.Context, schema core.Schema, e *core.Entry) error {
	inserted := *e
	err := s.change(ctx, func(ctx context.Context, s entryStore) error {
		inserted = *e
		return s.insert(ctx, schema, &inserted)
	})
	if err == nil {
		e.ID, e.Group = inserted.ID, inserted.Group
	}
	return err
}

func (s entryStore) insert(ctx context.Context, schema core.Schema, e *core.Entry) error {
	founded := e.Group == 0
	if !founded {
		if _, err := s.lockGroup(ctx, e.ProjectID, e.Group); err != nil {
			return err
		}
	}
	if err := s.tx.QueryRowContext(ctx, s.db.dialect.NextEntryID(), s.db.dialect.Prepared(nil)...).Scan(&e.ID); err != nil {
		return err
	}
	countStatement(ctx)
	if founded {
		e.Group = e.ID
	}
	found := readContent(schema.Collection, e)
	if err := s.claim(ctx, schema, e, found.claims, false); err != nil {
		return err
	}
	stored, err := s.exec(ctx, insertEntry, e.ID, e.ProjectID, e.CollectionID, e.Locale, e.Group, e.Version, string(e.Draft), nullable(e.Published),
		instant(e.PublishedAt), instant(e.CreatedAt), instant(e.UpdatedAt), instant(e.ReleasedAt), instant(e.TrashedAt), e.CreatedBy, e.UpdatedBy)
	if err != nil {
		return err
	}
	if stored == 0 {
		if err := s.unclaim(ctx, e, found.claims); err != nil {
			return err
		}
		return core.Conflict("locale_taken", "the entry has a translation in that locale")
	}
	var members []member
	if !founded {
		if members, err = s.members(ctx, e.ProjectID, e.Group); err != nil {
			return err
		}
	}
	if err := s.place(ctx, schema, e, found, members); err != nil {
		return err
	}
	return s.addContent(ctx, e, found)
}

const insertEntry = "INSERT INTO entries (id, project_id, collection_id, locale, group_id, version, draft, published," +
	" published_at, created_at, updated_at, released_at, trashed_at, created_by, updated_by)" +
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (project_id, group_id, locale) DO NOTHING"

func (s entryStore) Update(ctx context.Context, schema core.Schema, e *core.Entry) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		next := *e
		if err := s.lock(ctx, &next); err != nil {
			return err
		}
		if next.Version != e.Version-1 {
			return core.Conflict("changed_meanwhile", "the entry was changed meanwhile")
		}
		next.Version = e.Version
		return s.replace(ctx, schema, &next)
	})
}

func (s entryStore) replace(ctx context.Context, schema core.Schema, e *core.Entry) error {
	found := readContent(schema.Collection, e)
	if err := s.reclaim(ctx, schema, e, found.claims, false); err != nil {
		return err
	}
	if _, err := s.exec(ctx, updateEntry, e.ProjectID, e.ID, e.Version, string(e.Draft), nullable(e.Published),
		instant(e.PublishedAt), instant(e.UpdatedAt), instant(e.ReleasedAt), instant(e.TrashedAt), e.UpdatedBy); err != nil {
		return err
	}
	return s.index(ctx, schema, e, found)
}

const updateEntry = "UPDATE entries SET version = $3, draft = $4, published = $5, published_at = $6, updated_at = $7," +
	" released_at = $8, trashed_at = $9, updated_by = $10 WHERE project_id = $1 AND id = $2"

// index makes all that finds e again anew, its claims aside.
func (s entryStore) index(ctx context.Context, schema core.Schema, e *core.Entry, found content) error {
	members, err := s.members(ctx, e.ProjectID, e.Group)
	if err != nil {
		return err
	}
	if err := s.place(ctx, schema, e, found, members); err != nil {
		return err
	}
	if err := s.removeContent(ctx, e); err != nil {
		return err
	}
	return s.addContent(ctx, e, found)
}

func (s entryStore) Destroy(ctx context.Context, schema core.Schema, id int64) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		e := core.Entry{ID: id, ProjectID: schema.Project.ID}
		if err := s.lock(ctx, &e); err != nil {
			return err
		}
		if e.CollectionID != schema.Collection.ID {
			return core.NotFound("entry")
		}
		if err := s.reclaim(ctx, schema, &e, nil, false); err != nil {
			return err
		}
		e.TrashedAt = e.CreatedAt // out of every state
		if err := s.index(ctx, schema, &e, readContent(schema.Collection, &e)); err != nil {
			return err
		}
		for _, text := range []string{
			"DELETE FROM publications WHERE project_id = $1 AND entry_id = $2", "DELETE FROM entries WHERE project_id = $1 AND id = $2",
		} {
			if _, err := s.exec(ctx, text, e.ProjectID, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// purge removes the entries of a Project, or of one collection of it unless that is 0,
// and all that is kept about them.
func (s entryStore) purge(ctx context.Context, projectID, collectionID int64) error {
	condition, args := "project_id = $1", []any{projectID}
	if collectionID != 0 {
		condition, args = condition+" AND collection_id = $2", append(args, collectionID)
	}
	for _, table := range []string{"publications", "entry_counters", "entry_claims", "entry_texts", "entry_values", "entries"} {
		if _, err := s.exec(ctx, "DELETE FROM "+table+" WHERE "+condition, args...); err != nil {
			return err
		}
	}
	condition, args = "project_id = $1", args[:1]
	if collectionID != 0 {
		condition, args = condition+" AND scope BETWEEN $2 AND $3", append(args, indexScope(collectionID, 0, 0), indexScope(collectionID+1, 0, 0)-1)
	}
	_, err := s.exec(ctx, "DELETE FROM entry_index WHERE "+condition, args...)
	return err
}

func (s entryStore) Reindex(ctx context.Context, schema core.Schema, after int64, limit int) (last int64, err error) {
	err = s.change(ctx, func(ctx context.Context, s entryStore) error {
		last = 0
		batch, err := s.Walk(ctx, schema.Project.ID, schema.Collection.ID, after, limit)
		for i := range batch {
			last = batch[i].ID
			if err := s.reindex(ctx, schema, last); err != nil {
				return err
			}
		}
		return err
	})
	return last, err
}

// reindex locks the entry before it reads it, so that it indexes what is there. It
// leaves a unique value that two entries hold to the one that has it.
func (s entryStore) reindex(ctx context.Context, schema core.Schema, id int64) error {
	if err := s.lock(ctx, &core.Entry{ID: id, ProjectID: schema.Project.ID}); err != nil {
		return ignoreMissing(err)
	}
	e, err := s.Entry(ctx, schema.Project.ID, id)
	if err != nil {
		return ignoreMissing(err)
	}
	found := readContent(schema.Collection, &e)
	if err := s.reclaim(ctx, schema, &e, found.claims, true); err != nil {
		return err
	}
	return s.index(ctx, schema, &e, found)
}

// ignoreMissing is for an entry that was destroyed meanwhile.
func ignoreMissing(err error) error {
	if errors.Is(err, core.ErrNotFound) {
		return nil
	}
	return err
}

// lock takes e's translation group for this transaction and reads into e what of
// the stored entry does not change, and its version.
func (s entryStore) lock(ctx context.Context, e *core.Entry) error {
	found, err := collect(ctx, s.conn, scanEntry, "SELECT "+entryColumns+" FROM entries WHERE project_id = $1 AND group_id ="+
		" (SELECT o.group_id FROM entries o WHERE o.project_id = $1 AND o.id = $2) ORDER BY id"+s.db.dialect.LockUpdate(), e.ProjectID, e.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(found, func(o core.Entry) bool { return o.ID == e.ID })
	if i < 0 {
		return core.NotFound("entry")
	}
	old := found[i]
	e.CollectionID, e.Locale, e.Group, e.Version = old.CollectionID, old.Locale, old.Group, old.Version
	e.CreatedAt, e.CreatedBy = old.CreatedAt, old.CreatedBy
	return nil
}

// lockGroup takes a translation group for this transaction: whoever else adds to it
// or changes what its members serve waits.
func (s entryStore) lockGroup(ctx context.Context, projectID, group int64) ([]core.Entry, error) {
	return collect(ctx, s.conn, scanEntry, "SELECT "+entryColumns+" FROM entries WHERE project_id = $1 AND group_id = $2 ORDER BY id"+
		s.db.dialect.LockUpdate(), projectID, group)
}

func nullable(doc core.Document) any {
	if doc == nil {
		return nil
	}
	return string(doc)
}
