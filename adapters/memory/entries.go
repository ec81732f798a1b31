package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
)

type entries struct{ conn }

func (s entries) Entry(ctx context.Context, projectID, id int64) (core.Entry, error) {
	return view(ctx, s.conn, func(st *state) (core.Entry, error) {
		e, err := st.entry(projectID, id)
		return copyEntry(e), err
	})
}

// Lock needs no lock: transactions run one after another.
func (s entries) Lock(ctx context.Context, projectID, id int64) (core.Entry, error) {
	return s.Entry(ctx, projectID, id)
}

func (s entries) TryLock(ctx context.Context, projectID, id int64) (core.Entry, bool, error) {
	e, err := s.Entry(ctx, projectID, id)
	return e, err == nil, err
}

func (s entries) Entries(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	return s.list(ctx, byEntryID, func(e core.Entry) bool { return e.ProjectID == projectID && slices.Contains(ids, e.ID) })
}

func (s entries) Translations(ctx context.Context, projectID, group int64) ([]core.Entry, error) {
	return s.list(ctx, byEntryID, func(e core.Entry) bool { return e.ProjectID == projectID && e.Group == group })
}

func (s entries) Trash(ctx context.Context, projectID, collectionID int64, offset, limit int64) ([]core.Entry, error) {
	rows, err := s.list(ctx, newestInTrash, func(e core.Entry) bool {
		return e.ProjectID == projectID && e.CollectionID == collectionID && !e.TrashedAt.IsZero()
	})
	return window(rows, offset, limit), err
}

func (s entries) Walk(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Entry, error) {
	rows, err := s.list(ctx, byEntryID, func(e core.Entry) bool {
		return e.ProjectID == projectID && e.CollectionID == collectionID && e.ID > after
	})
	return rows[:min(limit, len(rows))], err
}

func (s entries) list(ctx context.Context, order func(a, b core.Entry) int, match func(core.Entry) bool) ([]core.Entry, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Entry, error) {
		rows := st.entries.all(match)
		slices.SortFunc(rows, order)
		for i, e := range rows {
			rows[i] = copyEntry(e)
		}
		return rows, nil
	})
}

func (s entries) Taken(ctx context.Context, schema core.Schema, locale string, doc core.Document, except int64) ([]string, error) {
	return view(ctx, s.conn, func(st *state) ([]string, error) { return st.taken(schema, locale, doc, except), nil })
}

func (s entries) Insert(ctx context.Context, schema core.Schema, e *core.Entry) error {
	return s.change(ctx, func(st *state) error {
		if e.Group != 0 && st.entries.any(func(o core.Entry) bool {
			return o.ProjectID == e.ProjectID && o.Group == e.Group && o.Locale == e.Locale
		}) {
			return core.Conflict("locale_taken", "the entry has a translation in that locale")
		}
		if err := st.claimable(schema, e); err != nil {
			return err
		}
		e.ID = st.entries.next()
		if e.Group == 0 {
			e.Group = e.ID
		}
		st.entries.put(e.ID, copyEntry(*e))
		return nil
	})
}

func (s entries) Update(ctx context.Context, schema core.Schema, e *core.Entry) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.entry(e.ProjectID, e.ID)
		if err != nil {
			return err
		}
		if old.Version != e.Version-1 {
			return core.Conflict("changed_meanwhile", "the entry was changed meanwhile")
		}
		next := copyEntry(*e)
		next.CollectionID, next.Locale, next.Group = old.CollectionID, old.Locale, old.Group
		next.CreatedAt, next.CreatedBy = old.CreatedAt, old.CreatedBy
		if err := st.claimable(schema, &next); err != nil {
			return err
		}
		st.entries.put(next.ID, next)
		return nil
	})
}

func (s entries) Destroy(ctx context.Context, schema core.Schema, id int64) error {
	return s.change(ctx, func(st *state) error {
		e, err := st.entry(schema.Project.ID, id)
		if err != nil {
			return err
		}
		if e.CollectionID != schema.Collection.ID {
			return core.NotFound("entry")
		}
		st.entries.remove(id)
		st.publications.remove(entryKey{e.ProjectID, id})
		return nil
	})
}

// Reindex has nothing to make anew, for there is no index: it only walks.
func (s entries) Reindex(ctx context.Context, schema core.Schema, after int64, limit int) (int64, error) {
	rows, err := s.Walk(ctx, schema.Project.ID, schema.Collection.ID, after, limit)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[len(rows)-1].ID, nil
}

func (st *state) entry(projectID, id int64) (core.Entry, error) {
	e, ok := st.entries.get(id)
	if !ok || e.ProjectID != projectID {
		return core.Entry{}, core.NotFound("entry")
	}
	return e, nil
}

// claimable returns core.ErrInvalid when a unique value of e, in either of its
// versions, is another entry's. What lies in the trash claims nothing.
func (st *state) claimable(schema core.Schema, e *core.Entry) error {
	if !e.TrashedAt.IsZero() {
		return nil
	}
	var faults []core.FieldError
	names := append(st.taken(schema, e.Locale, e.Draft, e.ID), st.taken(schema, e.Locale, e.Published, e.ID)...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		faults = append(faults, core.FieldError{Location: "fields." + name, Message: "is taken by another entry"})
	}
	if faults != nil {
		return core.Invalid(faults...)
	}
	return nil
}

// taken returns the unique fields whose value in doc another entry holds.
func (st *state) taken(schema core.Schema, locale string, doc core.Document, except int64) []string {
	var names []string
	for _, f := range schema.Collection.Fields {
		if f.Unique && st.entries.any(func(e core.Entry) bool {
			return e.CollectionID == schema.Collection.ID && e.Locale == locale && e.ID != except && e.TrashedAt.IsZero() &&
				(sharesValue(f, doc, e.Draft) || sharesValue(f, doc, e.Published))
		}) {
			names = append(names, f.Name)
		}
	}
	return names
}

// sharesValue reports whether both documents have a value of f in common.
func sharesValue(f *core.Field, a, b core.Document) bool {
	wanted, _ := fieldValues(f, a)
	held, _ := fieldValues(f, b)
	return slices.ContainsFunc(wanted, func(v core.Value) bool { return slices.Contains(held, v) })
}

func byEntryID(a, b core.Entry) int { return cmp.Compare(a.ID, b.ID) }

func newestInTrash(a, b core.Entry) int {
	return cmp.Or(b.TrashedAt.Compare(a.TrashedAt), cmp.Compare(b.ID, a.ID))
}

func copyEntry(e core.Entry) core.Entry {
	e.Draft, e.Published = bytes.Clone(e.Draft), bytes.Clone(e.Published)
	return e
}
