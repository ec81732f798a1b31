package contract

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// testCollection is a collection in which a case creates entries.
type testCollection struct {
	w      *fixture
	schema core.Schema
}

// fields are the values of a document.
type fields = map[string]any

// newTestCollection creates a collection with fields, whose ids follow their order.
func newTestCollection(t reporter, w *fixture, slug string, list ...*core.Field) *testCollection {
	t.Helper()
	c := &core.Collection{
		ProjectID: w.project.ID, Slug: slug, Name: slug, Version: 1, CreatedAt: at(1), UpdatedAt: at(1),
	}
	for i, f := range list {
		f.ID, f.Label = i+1, f.Name
		c.Fields = append(c.Fields, f)
	}
	c.NextFieldID = len(list) + 1
	requireNoError(t, w.Collections.Insert(t.Context(), c))
	s := &testCollection{w: w, schema: core.Schema{Collection: c}}
	s.reload(t)
	return s
}

// reload reads the project and its collections again.
func (s *testCollection) reload(t reporter) {
	t.Helper()
	project := result(s.w.Projects.Project(t.Context(), s.w.project.ID))(t)
	all := result(s.w.Collections.Collections(t.Context(), project.ID))(t)
	s.schema = core.Schema{Project: project, Collections: all, Collection: core.Schema{Collections: all}.ByID(s.schema.Collection.ID)}
}

// redefine changes the collection's definition.
func (s *testCollection) redefine(t reporter, change func(c *core.Collection)) {
	t.Helper()
	c := result(s.w.Collections.Collection(t.Context(), s.w.project.ID, s.schema.Collection.ID))(t)
	change(c)
	c.Version++
	requireNoError(t, s.w.do(t, inTx(func(stores ports.Stores) error { return stores.Collections.Update(t.Context(), c) })))
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

// inGroup returns e as a member of a translation group.
func inGroup(group int64, e core.Entry) core.Entry {
	e.Group = group
	return e
}

// insert stores e in the collection.
func (s *testCollection) insert(t reporter, e *core.Entry) error {
	t.Helper()
	e.ProjectID, e.CollectionID = s.schema.Project.ID, s.schema.Collection.ID
	return s.w.do(t, inTx(func(stores ports.Stores) error { return stores.Entries.Insert(t.Context(), s.schema, e) }))
}

// add inserts e and returns it with its id.
func (s *testCollection) add(t reporter, e core.Entry) core.Entry {
	t.Helper()
	requireNoError(t, s.insert(t, &e))
	return e
}

// update stores e as its next version.
func (s *testCollection) update(t reporter, e *core.Entry) error {
	t.Helper()
	e.Version++
	return s.w.do(t, inTx(func(stores ports.Stores) error { return stores.Entries.Update(t.Context(), s.schema, e) }))
}

// change applies how to e and stores it as its next version.
func (s *testCollection) change(t reporter, e *core.Entry, how func(e *core.Entry)) {
	t.Helper()
	how(e)
	requireNoError(t, s.update(t, e))
}

func (s *testCollection) destroy(t reporter, id int64) error {
	t.Helper()
	return s.w.do(t, inTx(func(stores ports.Stores) error { return stores.Entries.Destroy(t.Context(), s.schema, id, "") }))
}

// reindex reindexes the whole collection in small steps.
func (s *testCollection) reindex(t reporter) {
	t.Helper()
	for last, steps := int64(0), 0; ; steps++ {
		var next int64
		requireNoError(t, s.w.do(t, inTx(func(stores ports.Stores) (err error) {
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

// all selects the published entries that match the clauses, of all locales, in the order of
// ids.
func (s *testCollection) all(where ...query.Predicate) query.Selection {
	return query.Selection{
		Schema: s.schema, Where: where, Sort: []query.SortKey{{Field: core.SystemID}},
		Locale: query.AllLocales, State: core.StatePublished, Limit: query.MaxLimit,
	}
}

// list returns the ids of sel's rows, and checks that Count agrees.
func (s *testCollection) list(t reporter, sel query.Selection) []int64 {
	t.Helper()
	rows := listed(t, s.w.Entries, sel)
	if count := result(s.w.Entries.Count(t.Context(), sel))(t); sel.Offset == 0 && count != int64(len(rows)) {
		t.Errorf("Count returned %d, List %d rows", count, len(rows))
	}
	return ids(rows, func(r core.Row) int64 { return r.ID })
}

func titleField() *core.Field {
	return &core.Field{Name: "title", Type: core.TypeText, Slot: "t1", SlotReady: true}
}

// inTx adapts work that uses a context of its own.
func inTx(work func(stores ports.Stores) error) func(context.Context, ports.Stores) error {
	return func(_ context.Context, stores ports.Stores) error { return work(stores) }
}

// errorOf returns the error of a call and drops its result.
func errorOf[T any](_ T, err error) error { return err }

func entryIDs(list []core.Entry) []int64 {
	return ids(list, func(e core.Entry) int64 { return e.ID })
}
