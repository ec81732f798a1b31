package contract

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// shelf is a collection that a case puts entries on.
type shelf struct {
	w      *world
	schema core.Schema
}

// fields are the values of a document.
type fields = map[string]any

// newShelf adds a collection with fields, numbered in their order.
func newShelf(t reporter, w *world, slug string, list ...*core.Field) *shelf {
	t.Helper()
	c := &core.Collection{
		ProjectID: w.project.ID, Slug: slug, Name: slug, Version: 1, CreatedAt: at(1), UpdatedAt: at(1),
	}
	for i, f := range list {
		f.ID, f.Label = i+1, f.Name
		c.Fields = append(c.Fields, f)
	}
	c.NextFieldID = len(list) + 1
	succeed(t, w.Collections.Insert(t.Context(), c))
	s := &shelf{w: w, schema: core.Schema{Collection: c}}
	s.reload(t)
	return s
}

// reload reads the Project and its collections again.
func (s *shelf) reload(t reporter) {
	t.Helper()
	project := value(s.w.Projects.Project(t.Context(), s.w.project.ID))(t)
	all := value(s.w.Collections.Collections(t.Context(), project.ID))(t)
	s.schema = core.Schema{Project: project, Collections: all, Collection: core.Schema{Collections: all}.ByID(s.schema.Collection.ID)}
}

// redefine changes the collection's definition.
func (s *shelf) redefine(t reporter, change func(c *core.Collection)) {
	t.Helper()
	c := value(s.w.Collections.Collection(t.Context(), s.w.project.ID, s.schema.Collection.ID))(t)
	change(c)
	c.Version++
	succeed(t, s.w.do(t, inTx(func(stores ports.Stores) error { return stores.Collections.Update(t.Context(), c) })))
	s.reload(t)
}

// draftOf returns an entry that was never published, not yet stored.
func draftOf(locale string, content fields) core.Entry {
	return core.Entry{Locale: locale, Version: 1, Draft: doc(content), CreatedAt: at(1), UpdatedAt: at(2)}
}

// publicOf returns a published entry, not yet stored.
func publicOf(locale string, content fields) core.Entry {
	e := draftOf(locale, content)
	publish(&e)
	return e
}

// publish makes the draft public.
func publish(e *core.Entry) {
	e.Published, e.PublishedAt, e.ReleasedAt = e.Draft, at(3), at(4)
}

// in returns e as a member of a translation group.
func in(group int64, e core.Entry) core.Entry {
	e.Group = group
	return e
}

// insert adds e to the shelf.
func (s *shelf) insert(t reporter, e *core.Entry) error {
	t.Helper()
	e.ProjectID, e.CollectionID = s.schema.Project.ID, s.schema.Collection.ID
	return s.w.do(t, inTx(func(stores ports.Stores) error { return stores.Entries.Insert(t.Context(), s.schema, e) }))
}

// add inserts e and returns it as it is now.
func (s *shelf) add(t reporter, e core.Entry) core.Entry {
	t.Helper()
	succeed(t, s.insert(t, &e))
	return e
}

// update stores e as its next version.
func (s *shelf) update(t reporter, e *core.Entry) error {
	t.Helper()
	e.Version++
	return s.w.do(t, inTx(func(stores ports.Stores) error { return stores.Entries.Update(t.Context(), s.schema, e) }))
}

// change updates e, which must succeed.
func (s *shelf) change(t reporter, e *core.Entry, how func(e *core.Entry)) {
	t.Helper()
	how(e)
	succeed(t, s.update(t, e))
}

func (s *shelf) destroy(t reporter, id int64) error {
	t.Helper()
	return s.w.do(t, inTx(func(stores ports.Stores) error { return stores.Entries.Destroy(t.Context(), s.schema, id) }))
}

// reindex walks the whole shelf in small steps.
func (s *shelf) reindex(t reporter) {
	t.Helper()
	for last, steps := int64(0), 0; ; steps++ {
		var next int64
		succeed(t, s.w.do(t, inTx(func(stores ports.Stores) (err error) {
			next, err = stores.Entries.Reindex(t.Context(), s.schema, last, 2)
			return err
		})))
		if next == 0 {
			return
		}
		if next <= last || steps > 1000 {
			t.Fatalf("reindexing went from %d to %d", last, next)
		}
		last = next
	}
}

// all selects every published entry by itself, oldest first, where clauses hold.
func (s *shelf) all(where ...core.Clause) core.Selection {
	return core.Selection{
		Schema: s.schema, Where: where, Sort: []core.SortKey{{Field: core.SystemID}},
		Locale: core.AllLocales, State: core.StatePublished, Limit: core.MaxLimit,
	}
}

// list returns the ids of sel's rows, and checks that Count agrees.
func (s *shelf) list(t reporter, sel core.Selection) []int64 {
	t.Helper()
	rows := value(s.w.Entries.List(t.Context(), sel))(t)
	if count := value(s.w.Entries.Count(t.Context(), sel))(t); sel.Offset == 0 && count != int64(len(rows)) {
		t.Errorf("Count says %d, List has %d rows", count, len(rows))
	}
	return ids(rows, func(r core.Row) int64 { return r.ID })
}

func titleField() *core.Field {
	return &core.Field{Name: "title", Type: core.TypeText, Slot: "t1", SlotReady: true}
}

// inTx fits work that has its context already.
func inTx(work func(stores ports.Stores) error) func(context.Context, ports.Stores) error {
	return func(_ context.Context, stores ports.Stores) error { return work(stores) }
}

// failure returns the error of a call whose answer does not matter.
func failure[T any](_ T, err error) error { return err }

func entryIDs(list []core.Entry) []int64 {
	return ids(list, func(e core.Entry) int64 { return e.ID })
}
