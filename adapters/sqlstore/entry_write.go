package sqlstore

import (
	"bytes"
	"context"
	"slices"
	"time"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// change is an entry after a write, with the content of its index rows. A write of many entries
// of one collection takes as many statements as a write of one. It takes locks in this order:
// translation groups, unique values, counters.
type change struct {
	entryindex.Change
	fresh bool // the entry is new: it has no stored rows
}

func changeOf(schema core.Schema, e *core.Entry, fresh bool) change {
	return change{entryindex.Change{Entry: e, Found: entryindex.Read(schema.Collection, e)}, fresh}
}

// change runs do in the transaction of s. Outside a transaction it begins one.
func (s entryStore) change(ctx context.Context, do func(context.Context, entryStore) error) error {
	return s.Conn.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		return s.DB.Fault(do(ctx, entryStore{c}), "entry")
	})
}

func (s entryStore) NewIDs(ctx context.Context, n int) (ids []int64, err error) {
	type run struct{ first, last int64 }
	err = s.change(ctx, func(ctx context.Context, s entryStore) error {
		ids = make([]int64, 0, n)
		runs, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(r *run) []any { return []any{&r.first, &r.last} }), s.DB.Dialect.NewEntryIDs(), int64(n))
		for _, r := range runs {
			for id := r.first; id <= r.last; id++ {
				ids = append(ids, id)
			}
		}
		return err
	})
	return ids, err
}

func (s entryStore) Insert(ctx context.Context, schema core.Schema, e *core.Entry) error {
	inserted := *e
	err := s.change(ctx, func(ctx context.Context, s entryStore) error {
		inserted = *e
		ids, err := s.NewIDs(ctx, 1)
		if err != nil {
			return err
		}
		inserted.ID = ids[0]
		if inserted.Group == 0 {
			inserted.Group = inserted.ID
		}
		return s.Save(ctx, schema, []*core.Entry{&inserted}, nil)
	})
	if err == nil {
		e.ID, e.Group, e.PublishedAt, e.ReleasedAt = inserted.ID, inserted.Group, inserted.PublishedAt, inserted.ReleasedAt
	}
	return err
}

func (s entryStore) Update(ctx context.Context, schema core.Schema, e *core.Entry) error {
	return s.Save(ctx, schema, nil, []*core.Entry{e})
}

func (s entryStore) Save(ctx context.Context, schema core.Schema, inserted, updated []*core.Entry) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		joined := joinedGroups(inserted)
		stored, err := s.lock(ctx, schema, sqldb.Mapped(updated, func(e *core.Entry) int64 { return e.ID }), joined)
		if err != nil {
			return err
		}
		batch := make([]change, 0, len(inserted)+len(updated))
		for _, e := range updated {
			next, err := stored.successor(schema, e)
			if err != nil {
				return err
			}
			batch = append(batch, changeOf(schema, next, false))
		}
		groups := append(groupsOf(batch), joined...)
		for _, e := range inserted {
			batch = append(batch, changeOf(schema, e, true))
		}
		moments := newMoments(stored, batch)
		found, err := s.indexed(ctx, schema, batch, groups, moments.read(s, schema))
		if err != nil {
			return err
		}
		publications := moments.date(s, schema)
		for i, e := range updated {
			e.PublishedAt, e.ReleasedAt = batch[i].PublishedAt, batch[i].ReleasedAt
		}
		return s.write(ctx, schema, plan{batch[:len(updated)], batch[len(updated):], found, publications, s.formerSlugs(schema, moments, publications)})
	})
}

// joinedGroups returns the groups of the new entries that do not found their own group.
func joinedGroups(inserted []*core.Entry) []int64 {
	var joined []int64
	for _, e := range inserted {
		if e.Group != e.ID {
			joined = append(joined, e.Group)
		}
	}
	return joined
}

// plan is what a write of entries changes.
type plan struct {
	updated, inserted []change
	before            indexed // the stored index rows
	publications      []core.PublicationChange
	former            []sqldb.Statement // those of formerSlugs
}

// write writes entries and their index rows, and adds and ends publications, in one round trip.
// After an error, the transaction must roll back.
func (s entryStore) write(ctx context.Context, schema core.Schema, p plan) error {
	u, err := s.upkeep(schema, slices.Concat(p.updated, p.inserted), p.before)
	if err != nil {
		return err
	}
	affected, err := s.Run(ctx, p.former, u.give, u.take, s.replace(schema, p.updated), insert(p.inserted), u.index,
		pendingRevisions(s.Conn), s.publications(schema, p.publications), u.counters)
	switch {
	case err != nil:
		return err
	case affected[2] < int64(len(u.wanted)):
		return s.takenFault(ctx, schema, u.wanted)
	case affected[4] < int64(len(p.inserted)):
		return core.Conflict("locale_taken", "the entry has a translation in that locale")
	}
	return nil
}

// insert returns the statements that add the rows of new entries. An entry is skipped if its
// group has an entry in its locale; the group of a founder has none.
func insert(batch []change) []sqldb.Statement {
	var founders, joining [][]any
	for _, e := range batch {
		draft, published := versionsOf(&e)
		row := []any{
			e.ProjectID, e.ID, e.CollectionID, e.Locale, e.Group, e.Version, draft, published,
			e.PublishedHash, nullable(e.PublishedMedia), nullable(e.Revision),
			entryindex.Milliseconds(e.PublishedAt), entryindex.Milliseconds(e.CreatedAt), entryindex.Milliseconds(e.UpdatedAt), entryindex.Milliseconds(e.ReleasedAt),
			entryindex.Milliseconds(e.TrashedAt),
			e.CreatedBy, e.UpdatedBy,
		}
		if e.Group == e.ID {
			founders = append(founders, row)
		} else {
			joining = append(joining, row)
		}
	}
	return slices.Concat(sqldb.Added(entryTable, founders, ""), sqldb.Added(entryTable, joining, " ON CONFLICT (project_id, group_id, locale) DO NOTHING"))
}

var entryTable = sqldb.NewTable("entries",
	"project_id bigint", "id bigint", "collection_id bigint", "locale text", "group_id bigint", "version bigint", "draft text", "published text",
	"published_hash text", "published_media text", "revision text",
	"published_at bigint", "created_at bigint", "updated_at bigint", "released_at bigint", "trashed_at bigint", "created_by bigint", "updated_by bigint",
)

// replace returns the statements that update the rows of entries.
func (s entryStore) replace(schema core.Schema, batch []change) []sqldb.Statement {
	return s.Changed(replacedEntry, schema.Project, 1, sqldb.Mapped(batch, func(e change) []any {
		draft, published := versionsOf(&e)
		return []any{
			e.ID, e.Version, draft, published, e.PublishedHash, nullable(e.PublishedMedia), nullable(e.Revision),
			entryindex.Milliseconds(e.PublishedAt), entryindex.Milliseconds(e.CreatedAt), entryindex.Milliseconds(e.UpdatedAt),
			entryindex.Milliseconds(e.ReleasedAt), entryindex.Milliseconds(e.TrashedAt), e.UpdatedBy,
		}
	}))
}

var replacedEntry = sqldb.NewTable("entries",
	"id bigint", "version bigint", "draft text", "published text",
	"published_hash text", "published_media text", "revision text", "published_at bigint", "created_at bigint", "updated_at bigint",
	"released_at bigint", "trashed_at bigint", "updated_by bigint",
)

func (s entryStore) Destroy(ctx context.Context, schema core.Schema, id int64, reason string) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		stored, err := s.lock(ctx, schema, []int64{id}, nil)
		if err != nil {
			return err
		}
		e, found := stored[id]
		if !found || e.CollectionID != schema.Collection.ID {
			return core.NotFound("entry")
		}
		s.Record(event.OfDestroyed(schema, &e, reason))
		ended := schema.Collection.PublicationChange(&e, &core.Entry{ID: id}, time.Time{})
		e.TrashedAt = e.CreatedAt // removes it from the index
		batch := []change{changeOf(schema, &e, false)}
		if err := s.reindex(ctx, schema, batch); err != nil {
			return err
		}
		if _, err := s.Run(ctx, s.publications(schema, []core.PublicationChange{ended})); err != nil {
			return err
		}
		if err := s.empty(ctx, []string{"schedules", "revisions", "former_slugs"}, "project_id = @project AND entry_id = ?", e.ProjectID, id); err != nil {
			return err
		}
		if _, err := s.Exec(ctx, "INSERT INTO past_groups (project_id, group_id, collection) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			e.ProjectID, e.Group, schema.Collection.Slug); err != nil {
			return err
		}
		return s.empty(ctx, []string{"entries"}, "project_id = @project AND id = ?", e.ProjectID, id)
	})
}

// empty deletes the rows of tables that meet a condition.
func (s entryStore) empty(ctx context.Context, tables []string, condition string, args ...any) error {
	for _, table := range tables {
		if _, err := s.Exec(ctx, "DELETE FROM "+table+" WHERE "+condition, args...); err != nil {
			return err
		}
	}
	return nil
}

// Reindex locks the entries before it reads them, so that no write changes them meanwhile. Of two
// entries with the same unique value, the one that has the claim keeps it.
func (s entryStore) Reindex(ctx context.Context, schema core.Schema, after int64, limit int) (last int64, err error) {
	err = s.change(ctx, func(ctx context.Context, s entryStore) (err error) {
		var batch []change
		if batch, last, err = s.lockedBatch(ctx, schema, after, limit); err != nil || last == 0 {
			return err
		}
		return s.reindex(ctx, schema, batch)
	})
	return last, err
}

// reindex updates the index rows and the claims of stored entries.
func (s entryStore) reindex(ctx context.Context, schema core.Schema, batch []change) error {
	before, err := s.indexed(ctx, schema, batch, groupsOf(batch), nil)
	if err != nil {
		return err
	}
	u, err := s.upkeep(schema, batch, before)
	if err == nil {
		_, err = s.Run(ctx, u.give, u.take, u.index, u.counters)
	}
	return err
}

// lockedBatch locks up to limit entries with an id greater than after. It returns them in the
// order of ids, with the content of their index rows, and the last id, 0 if no entry is left.
func (s entryStore) lockedBatch(ctx context.Context, schema core.Schema, after int64, limit int) (batch []change, last int64, err error) {
	ids, err := sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[int64], "SELECT id FROM entries WHERE project_id = @project AND collection_id = ? AND id > ?"+
		" ORDER BY id LIMIT ?", schema.Project.ID, schema.Collection.ID, after, int64(limit))
	if err != nil || len(ids) == 0 {
		return nil, 0, err
	}
	if _, err := s.lock(ctx, schema, ids, nil); err != nil {
		return nil, 0, err
	}
	entries, err := s.Entries(ctx, schema.Project.ID, ids)
	slices.SortFunc(entries, func(a, b core.Entry) int { return int(a.ID - b.ID) })
	batch = make([]change, len(entries))
	for i := range entries {
		batch[i] = changeOf(schema, &entries[i], false)
	}
	return batch, ids[len(ids)-1], err
}

func groupsOf(batch []change) []int64 {
	return sqldb.Mapped(batch, func(c change) int64 { return c.Group })
}

// versionsOf returns the draft and the published version of e as text: the same text if they are equal, because the
// entries of a release can be large.
func versionsOf(e *change) (draft string, published any) {
	draft = string(e.Draft)
	if e.Published != nil && bytes.Equal(e.Draft, e.Published) {
		return draft, draft
	}
	return draft, nullable(e.Published)
}

func nullable(doc core.Document) any {
	if doc == nil {
		return nil
	}
	return string(doc)
}
