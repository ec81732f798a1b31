package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/core/words"
)

type entries struct {
	scoped

	seen *release.Seen // notes what reads see; nil: not
}

func (s entries) Entry(ctx context.Context, projectID, id int64) (core.Entry, error) {
	return get[core.Entry](ctx, s.store, in{projectID, id})
}

func (s entries) Lock(ctx context.Context, projectID, id int64) (core.Entry, error) {
	e, err := s.Entry(ctx, projectID, id)
	if err == nil {
		_, err = s.LockGroups(ctx, projectID, e.Group)
	}
	return e, err
}

func (s entries) LockGroups(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error) {
	rows, err := s.Translations(ctx, projectID, groups...)
	for _, e := range rows {
		err = cmp.Or(err, s.hold(ctx, s.thing, e.ID))
	}
	return rows, err
}

func (s entries) LockAll(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	rows, err := s.Entries(ctx, projectID, ids)
	var groups []int64
	for _, e := range rows {
		groups = append(groups, e.Group)
	}
	_, locked := s.LockGroups(ctx, projectID, groups...)
	return rows, cmp.Or(err, locked)
}

func (s entries) Moment(ctx context.Context, projectID int64, ids []int64) (time.Time, error) {
	return view(ctx, s.conn, func(st *state) (time.Time, error) {
		at := s.now()
		for _, id := range ids {
			kept, _ := st.publications.get(entryKey{projectID, id})
			at = core.NextMoment(at, latestOf(kept))
		}
		return at, nil
	})
}

func (s entries) TryLock(ctx context.Context, projectID, id int64) (core.Entry, bool, error) {
	e, err := s.Lock(ctx, projectID, id)
	return e, err == nil, err
}

func (s entries) Entries(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	return where(ctx, s.store, func(e core.Entry) bool { return e.ProjectID == projectID && slices.Contains(ids, e.ID) })
}

func (s entries) Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error) {
	return where(ctx, s.store, func(e core.Entry) bool { return e.ProjectID == projectID && slices.Contains(groups, e.Group) })
}

func (s entries) Trash(ctx context.Context, projectID, collectionID int64, offset, limit int64) ([]core.Entry, error) {
	rows, err := where(ctx, s.store, func(e core.Entry) bool {
		return e.ProjectID == projectID && e.CollectionID == collectionID && !e.TrashedAt.IsZero()
	})
	sort(rows, func(a, b core.Entry) int { return cmp.Or(b.TrashedAt.Compare(a.TrashedAt), cmp.Compare(b.ID, a.ID)) })
	return window(rows, offset, limit), err
}

func (s entries) Titled(ctx context.Context, q query.TitleQuery) ([]core.Entry, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Entry, error) {
		return first(st.entries.where(func(e core.Entry) bool { return words.Indexable(q.Text) && !e.Trashed() && st.titled(e, q) }), q.Limit), nil
	})
}

func (s entries) Worded(ctx context.Context, q query.WordsQuery) ([]core.Entry, error) {
	rows, err := where(ctx, s.store, func(e core.Entry) bool { return !e.Trashed() && q.Matches(&e) })
	sort(rows, query.NewestMoment)
	return first(rows, q.Limit), err
}

// titled reports whether the title of a draft contains the text of q.
func (st *state) titled(e core.Entry, q query.TitleQuery) bool {
	c, _ := st.definition(e.CollectionID)
	return slices.ContainsFunc(c.Fields, func(f *core.Field) bool {
		if !slices.Contains(q.Titles, query.TitleOf{ProjectID: e.ProjectID, CollectionID: e.CollectionID, FieldID: f.ID}) {
			return false
		}
		value, ok := core.DecodeValue(f.Type, e.Draft.Value(f.Name))
		return ok && strings.Contains(words.Ordered(value.Text), q.Text)
	})
}

func (s entries) Walk(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Entry, error) {
	rows, err := where(ctx, s.store, func(e core.Entry) bool {
		return e.ProjectID == projectID && e.CollectionID == collectionID && e.ID > after
	})
	return first(rows, limit), err
}

func (s entries) Holders(ctx context.Context, schema core.Schema, locales []string, values []core.UniqueValue) ([]core.Holder, error) {
	return view(ctx, s.conn, func(st *state) (holders []core.Holder, err error) {
		for _, e := range st.entries.each {
			if e.CollectionID != schema.Collection.ID || !slices.Contains(locales, e.Locale) || e.Trashed() {
				continue
			}
			held := heldBy(schema.Collection, e)
			for _, v := range values {
				if slices.Contains(held, v) {
					holders = append(holders, core.Holder{UniqueValue: v, Locale: e.Locale, Entry: e.ID})
				}
			}
		}
		return holders, nil
	})
}

func (s entries) Unsealed(ctx context.Context, projectID int64) (ids []int64, err error) {
	return view(ctx, s.conn, func(st *state) ([]int64, error) {
		for _, e := range st.entries.of(projectID) {
			if e.Published == nil || e.PublishedMedia != nil || !e.TrashedAt.IsZero() {
				continue
			}
			c, ok := st.definition(e.CollectionID)
			if !ok {
				continue
			}
			if shown := c.References(e.Published); len(shown.Media) > 0 || len(shown.Files) > 0 {
				ids = append(ids, e.ID)
			}
		}
		return ids, nil
	})
}

func (s entries) NewIDs(ctx context.Context, n int) (ids []int64, err error) {
	err = s.apply(ctx, func(st *state) {
		ids = make([]int64, n)
		for i := range ids {
			ids[i] = st.entries.next()
		}
	})
	return ids, err
}

func (s entries) Insert(ctx context.Context, schema core.Schema, e *core.Entry) error {
	return s.change(ctx, func(st *state) error {
		inserted := *e
		inserted.ID = st.entries.next()
		if inserted.Group == 0 {
			inserted.Group = inserted.ID
		}
		if err := st.joinable(&inserted); err != nil {
			return err
		}
		if err := st.claimable(schema, &inserted); err != nil {
			return err
		}
		s.add(st, schema, &inserted)
		e.ID, e.Group, e.PublishedAt, e.ReleasedAt = inserted.ID, inserted.Group, inserted.PublishedAt, inserted.ReleasedAt
		return nil
	})
}

func (s entries) Update(ctx context.Context, schema core.Schema, e *core.Entry) error {
	return s.change(ctx, func(st *state) error {
		next, err := st.successor(schema, e)
		if err != nil {
			return err
		}
		if err := st.claimable(schema, &next); err != nil {
			return err
		}
		s.replace(st, schema, &next, e)
		return nil
	})
}

// mixForms clears the Forms of a collection that are not those of this program.
func (st *state) mixForms(schema core.Schema) {
	c, ok := st.collections.get(schema.Collection.ID)
	if !ok || c.Forms == words.Version || c.Forms == "" {
		return
	}
	next := *c
	next.Forms, next.FormsReady = "", false
	next.Version++
	st.collections.put(c.ID, &next)
}

// replace stores next, a copy of e, in place of the entry with its id. The comparison of versions gives
// the transaction the lock, as an UPDATE does.
func (s entries) replace(st *state, schema core.Schema, next, e *core.Entry) {
	before, _ := st.entries.get(next.ID)
	st.mixForms(schema)
	s.publish(st, schema, &before, next)
	st.entries.put(next.ID, plain(*next))
	st.lock(s.thing, next.ID)
	e.PublishedAt, e.ReleasedAt = next.PublishedAt, next.ReleasedAt
	st.record(event.OfEntry(schema, &before, next)...)
}

// add stores a new entry.
func (s entries) add(st *state, schema core.Schema, e *core.Entry) {
	st.mixForms(schema)
	s.publish(st, schema, nil, e)
	st.entries.put(e.ID, plain(*e))
	st.lock(s.thing, e.ID)
	st.record(event.OfEntry(schema, nil, e)...)
}

func (s entries) SetRevision(ctx context.Context, projectID, id int64, revision core.Document) error {
	return set(ctx, s.store, in{projectID, id}, func(e *core.Entry) { e.Revision = revision })
}

func (s entries) SetRevisions(ctx context.Context, project *core.Project, revisions map[int64]core.Document) error {
	for _, id := range slices.Sorted(maps.Keys(revisions)) {
		if err := s.SetRevision(ctx, project.ID, id, revisions[id]); err != nil {
			return err
		}
	}
	return nil
}

// Save checks unique values after all entries are stored.
func (s entries) Save(ctx context.Context, schema core.Schema, inserted, updated []*core.Entry) error {
	return s.change(ctx, func(st *state) error {
		before := map[int64][]core.UniqueValue{}
		for _, e := range updated {
			next, err := st.successor(schema, e)
			if err != nil {
				return err
			}
			if old, err := st.entries.in(e.ProjectID, e.ID); err == nil && !old.Trashed() {
				before[e.ID] = heldBy(schema.Collection, old)
			}
			s.replace(st, schema, &next, e)
		}
		for _, e := range inserted {
			if err := st.joinable(e); err != nil {
				return err
			}
			s.add(st, schema, e)
		}
		return st.claimableTogether(schema, slices.Concat(updated, inserted), before)
	})
}

// claimableTogether is claimable for the new values of stored entries. before has the values that they held before.
func (st *state) claimableTogether(schema core.Schema, batch []*core.Entry, before map[int64][]core.UniqueValue) error {
	var faults []core.FieldError
	for _, e := range batch {
		stored, err := st.entries.in(e.ProjectID, e.ID)
		if err != nil {
			return err
		}
		faults = append(faults, st.taken(schema, &stored, before[e.ID])...)
	}
	if faults == nil {
		return nil
	}
	order := func(f core.FieldError) int {
		return slices.IndexFunc(schema.Collection.Fields, func(other *core.Field) bool { return "fields."+other.Name == f.Location })
	}
	sort(faults, func(a, b core.FieldError) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.Entry, b.Entry))
	})
	return core.Invalid(faults...)
}

// entry returns the entry of that id, an empty one if it does not exist.
func (st *state) entry(id int64) core.Entry {
	e, _ := st.entries.get(id)
	return e
}

// joinable returns core.ErrConflict when e's group has an entry in its locale.
func (st *state) joinable(e *core.Entry) error {
	if st.entries.any(func(o core.Entry) bool {
		return o.ProjectID == e.ProjectID && o.Group == e.Group && o.Locale == e.Locale
	}) {
		return core.Conflict("locale_taken", "the entry has a translation in that locale")
	}
	return nil
}

// successor returns e as it will be stored. The stored entry must have the previous
// version.
func (st *state) successor(schema core.Schema, e *core.Entry) (core.Entry, error) {
	old, err := st.entries.in(e.ProjectID, e.ID)
	switch {
	case err != nil:
		return core.Entry{}, err
	case old.CollectionID != schema.Collection.ID:
		return core.Entry{}, core.NotFound("entry")
	case old.Version != e.Version-1:
		return core.Entry{}, core.Conflict("changed_meanwhile", "the entry was changed meanwhile")
	}
	next := *e
	next.CollectionID, next.Locale, next.Group = old.CollectionID, old.Locale, old.Group
	next.CreatedBy = old.CreatedBy
	return next, nil
}

func (s entries) Destroy(ctx context.Context, schema core.Schema, id int64, reason string) error {
	return s.change(ctx, func(st *state) error {
		e, err := st.entries.in(schema.Project.ID, id)
		if err != nil {
			return err
		}
		if e.CollectionID != schema.Collection.ID {
			return core.NotFound("entry")
		}
		s.publish(st, schema, &e, &core.Entry{ProjectID: e.ProjectID, ID: id})
		st.needLock(s.thing, id)
		st.entries.remove(id)
		st.pastGroups.put(pastGroup{e.ProjectID, e.Group}, schema.Collection.Slug)
		st.record(event.OfDestroyed(schema, &e, reason))
		return nil
	})
}

// Reindex only walks the entries, because this store has no index.
func (s entries) Reindex(ctx context.Context, schema core.Schema, after int64, limit int) (int64, error) {
	if err := s.apply(ctx, func(st *state) { st.mixForms(schema) }); err != nil {
		return 0, err
	}
	rows, err := s.Walk(ctx, schema.Project.ID, schema.Collection.ID, after, limit)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[len(rows)-1].ID, nil
}

// Serve does nothing, because this store has no index.
func (s entries) Serve(context.Context, *core.Project, int64, int) (int64, error) { return 0, nil }

// FewRows reports true, because a change of an index that does not exist takes no time.
func (s entries) FewRows(context.Context, int64, int) (bool, error) { return true, nil }

// claimable returns core.ErrInvalid when another entry has a unique value of e, in the
// draft or the published version. Entries in the trash do not count.
func (st *state) claimable(schema core.Schema, e *core.Entry) error {
	if faults := st.taken(schema, e, nil); faults != nil {
		return core.Invalid(faults...)
	}
	return nil
}

// taken returns a fault of each field of e with a value that another entry holds, save for those of held.
func (st *state) taken(schema core.Schema, e *core.Entry, held []core.UniqueValue) (faults []core.FieldError) {
	wanted := slices.DeleteFunc(heldBy(schema.Collection, *e), func(v core.UniqueValue) bool { return slices.Contains(held, v) })
	if len(wanted) == 0 || !e.TrashedAt.IsZero() {
		return nil
	}
	taken := map[string]bool{} // by field
	for _, o := range st.entries.where(func(o core.Entry) bool {
		return o.CollectionID == schema.Collection.ID && o.Locale == e.Locale && o.ID != e.ID && o.TrashedAt.IsZero()
	}) {
		for _, v := range heldBy(schema.Collection, o) {
			taken[v.Field] = taken[v.Field] || slices.Contains(wanted, v)
		}
	}
	for _, f := range schema.Collection.Fields {
		if taken[f.Name] {
			faults = append(faults, core.FieldError{Location: "fields." + f.Name, Message: "is taken by another entry", Entry: e.ID})
		}
	}
	return faults
}

// heldBy returns the unique values of e in both versions.
func heldBy(c *core.Collection, e core.Entry) []core.UniqueValue {
	return append(c.UniqueValues(e.Draft), c.UniqueValues(e.Published)...)
}

// plain returns e without what only its write needs.
func plain(e core.Entry) core.Entry {
	e.Publishing, e.Move = nil, core.Move{}
	return e
}

// indexChecks only walks the entries, because this store has no index to check.
type indexChecks struct{ entries }

func (s indexChecks) CheckEntries(ctx context.Context, schema core.Schema, after int64, limit int) (int64, []core.Difference, error) {
	last, err := s.Reindex(ctx, schema, after, limit)
	return last, nil, err
}

func (indexChecks) CheckStrays(context.Context, int64, func(core.Difference)) error { return nil }
func (indexChecks) RepairStrays(context.Context, int64) error                       { return nil }
func (indexChecks) CheckTotals(context.Context, int64, func(core.Difference)) error { return nil }
func (indexChecks) RepairTotals(context.Context, int64) error                       { return nil }

type origins struct{ store }

// originKey is a reference in a Project.
type originKey struct {
	projectID int64
	reference string
}

func (s origins) Origins(ctx context.Context, projectID int64, references []string) ([]core.Origin, error) {
	return where(ctx, s.store, func(o core.Origin) bool { return o.ProjectID == projectID && slices.Contains(references, o.Reference) })
}

func (s origins) OriginsOf(ctx context.Context, projectID int64, groups []int64) ([]core.Origin, error) {
	return where(ctx, s.store, func(o core.Origin) bool { return o.ProjectID == projectID && slices.Contains(groups, o.Group) })
}

func (s origins) Save(ctx context.Context, all []core.Origin) error {
	return s.change(ctx, func(st *state) error {
		for _, o := range all {
			if _, err := st.collections.in(o.ProjectID, o.CollectionID); err != nil {
				return err
			}
		}
		for _, o := range all {
			st.origins.put(originKey{o.ProjectID, o.Reference}, o)
		}
		return nil
	})
}
