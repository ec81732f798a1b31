package contract

import (
	"encoding/json"
	"slices"
	"testing"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// newComponent adds a component with the fields, whose ids follow their order.
func (w *fixture) newComponent(t reporter, slug string, list ...*core.Field) *core.Component {
	t.Helper()
	c := &core.Component{
		ProjectID: w.project.ID, Slug: slug, Name: slug, Fields: list, NextFieldID: len(list) + 1, Version: 1, CreatedAt: at(1), UpdatedAt: at(1),
	}
	for i, f := range list {
		f.ID, f.Label = i+1, f.Name
	}
	requireNoError(t, w.Components.Insert(t.Context(), c))
	return c
}

// components returns the Project's components.
func (w *fixture) components(t reporter) []*core.Component {
	t.Helper()
	return result(w.Components.Components(t.Context(), w.project.ID))(t)
}

// Components checks a ports.ComponentStore, and that collections know the components of their fields.
func Components(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of a definition": func(t *testing.T, w *fixture) {
			c := w.newComponent(t, "hero", &core.Field{Name: "title", Type: core.TypeText, Default: json.RawMessage(`"a"`)}, &core.Field{Name: "items", Type: core.TypeGroup, Component: "hero", Multiple: true})
			c.Description, c.Removed, c.NextFieldID, c.Version, c.UpdatedAt = "the top", []*core.Field{{ID: 3, Name: "old", Type: core.TypeDate}}, 4, 2, at(5)
			requireNoError(t, w.do(t, inTx(func(s ports.Stores) error { return s.Components.Update(t.Context(), c) })))
			core.ComponentsBySlug([]*core.Component{c})
			assertEqual(t, w.components(t), []*core.Component{c})
		},
		"lists by slug, in byte order": func(t *testing.T, w *fixture) {
			w.otherProject(t).newComponent(t, "elsewhere")
			var got []string
			for _, slug := range []string{"news", "new-s", "a10", "new", "a-z"} {
				w.newComponent(t, slug)
			}
			for _, c := range w.components(t) {
				got = append(got, c.Slug)
			}
			assertEqual(t, got, []string{"a-z", "a10", "new", "new-s", "news"})
		},
		"keeps slugs unique in a project": func(t *testing.T, w *fixture) {
			w.newComponent(t, "hero")
			again := &core.Component{ProjectID: w.project.ID, Slug: "hero", Version: 1, CreatedAt: at(1), UpdatedAt: at(1)}
			requireError(t, w.Components.Insert(t.Context(), again), core.ErrConflict)
			w.otherProject(t).newComponent(t, "hero")
		},
		"updates and deletes only a current version of the project": func(t *testing.T, w *fixture) {
			c := w.newComponent(t, "hero")
			late, stolen := *c, *c
			late.Version = 3
			requireError(t, w.do(t, inTx(func(s ports.Stores) error { return s.Components.Update(t.Context(), &late) })), core.ErrConflict)
			stolen.ProjectID, stolen.Version = w.otherProject(t).project.ID, 2
			requireError(t, w.do(t, inTx(func(s ports.Stores) error { return s.Components.Update(t.Context(), &stolen) })), core.ErrNotFound)
			requireError(t, w.Components.Delete(t.Context(), stolen.ProjectID, c.ID), core.ErrNotFound)
			requireNoError(t, w.Components.Delete(t.Context(), w.project.ID, c.ID))
			requireError(t, w.Components.Delete(t.Context(), w.project.ID, c.ID), core.ErrNotFound)
			assertEqual(t, w.components(t), []*core.Component{})
		},
		"binds the fields of collections":      bindsCollections,
		"finds the references inside of items": findsReferencesInItems,
		"finds and sorts entries by leaves":    findsByLeaves,
	})
}

// bindsCollections checks every method that returns collections.
func bindsCollections(t *testing.T, w *fixture) {
	newTestCollection(t, w, "places", titleField())
	w.newComponent(t, "hero", &core.Field{Name: "near", Type: core.TypeRelation, Collection: "places"}, &core.Field{Name: "inner", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero"}})
	coll := newTestCollection(t, w, "pages", &core.Field{Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero"}})
	id, raw := coll.schema.Collection.ID, []byte(`[{"_key":"a","_type":"hero","inner":[{"_key":"b","_type":"hero","near":7}]}]`)
	held := core.Schema{}
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) (err error) {
		held, err = s.Collections.Hold(t.Context(), w.project.ID, id)
		return err
	})))
	unheld := result(w.Collections.Hold(t.Context(), w.project.ID, id))(t)
	for _, c := range []*core.Collection{
		coll.schema.Collection, result(w.Collections.Collection(t.Context(), w.project.ID, id))(t),
		result(w.Collections.Related(t.Context(), w.project.ID, id))(t)[0], held.Collection, unheld.Collection,
	} {
		assertEqual(t, c.Targets(), []string{"places"})
		var found []core.Reference
		c.Fields[0].EachReference(raw, func(r core.Reference) { found = append(found, r) })
		assertEqual(t, found, []core.Reference{{Target: core.ToGroup, ID: 7}})
	}
	for _, schema := range []core.Schema{held, unheld} {
		assertEqual(t, len(schema.Collections), 2)
	}
}

func findsReferencesInItems(t *testing.T, w *fixture) {
	item, other := newMedia(t, w), newMedia(t, w)
	target := newTestCollection(t, w, "places", titleField()).add(t, publicOf("en", fields{"title": "Bern"}))
	w.newComponent(t, "hero", &core.Field{Name: "near", Type: core.TypeRelation, Collection: "places", Multiple: true}, &core.Field{Name: "image", Type: core.TypeMedia},
		&core.Field{Name: "inner", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero"}})
	coll := newTestCollection(t, w, "pages", &core.Field{Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero"}})
	hero := func(members fields) fields {
		members[core.ItemType], members[core.ItemKey] = "hero", "k"
		return members
	}
	body := func(members fields) fields {
		return fields{"body": []any{hero(fields{"inner": []any{hero(members)}})}}
	}
	showing := coll.add(t, publicOf("en", body(fields{"image": item.ID})))
	pointing := coll.add(t, draftOf("en", body(fields{"near": []any{target.Group}})))
	trashed := coll.add(t, draftOf("en", body(fields{"image": item.ID, "near": []any{target.Group}})))
	coll.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = at(9) })
	coll.add(t, publicOf("en", body(fields{"image": other.ID})))
	use := func(e core.Entry) library.Use {
		return library.Use{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Draft: true, Published: e.Published != nil, Trashed: !e.TrashedAt.IsZero()}
	}
	assertEqual(t, result(w.Media.Uses(t.Context(), w.project.ID, item.ID, 9))(t), []library.Use{use(showing), use(trashed)})
	assertEqual(t, result(w.Entries.Uses(t.Context(), w.project.ID, target.Group, 9))(t), []library.Use{use(pointing), use(trashed)})
	assertEqual(t, result(w.Entries.Unsealed(t.Context(), w.project.ID))(t)[0], showing.ID)
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		if err := s.Projects.Lock(t.Context(), w.project.ID); err != nil {
			return err
		}
		_, found, err := s.IndexChecks.CheckEntries(t.Context(), coll.schema, 0, 99)
		assertEqual(t, len(found), 0)
		return err
	})))
}

func findsByLeaves(t *testing.T, w *fixture) {
	people := newTestCollection(t, w, "people", titleField())
	ada, bob := people.add(t, publicOf("en", fields{"title": "Ada"})), people.add(t, publicOf("en", fields{"title": "Bob"}))
	w.newComponent(t, "seo", &core.Field{Name: "title", Type: core.TypeText, Filterable: true}, &core.Field{Name: "rank", Type: core.TypeNumber, Filterable: true})
	w.newComponent(t, "hero", &core.Field{Name: "title", Type: core.TypeText, Filterable: true, Searchable: true},
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true, Filterable: true},
		&core.Field{Name: "by", Type: core.TypeRelation, Collection: "people", Filterable: true},
		&core.Field{Name: "inner", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero", "quote"}})
	w.newComponent(t, "quote", &core.Field{Name: "title", Type: core.TypeText, Filterable: true})
	coll := newTestCollection(t, w, "pages", &core.Field{Name: "seo", Type: core.TypeGroup, Component: "seo"},
		&core.Field{Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{"hero", "quote"}})
	leaves := coll.schema.Collection.Filterable()
	coll.redefine(t, func(c *core.Collection) {
		for _, f := range leaves {
			f.ID, f.SlotReady, f.SearchReady = c.NextFieldID, true, f.Searchable
			f.Slot = map[string]string{"seo.title": "t1"}[f.Name] // seo.rank has none
			c.NextFieldID++
		}
		c.Leaves = leaves
	})
	item := func(kind, key string, members fields) fields {
		members[core.ItemType], members[core.ItemKey] = kind, key
		return members
	}
	first := coll.add(t, publicOf("en", fields{
		"seo": fields{"title": "Zebra", "rank": 3},
		"body": []any{
			item("hero", "a", fields{"title": "Harbour lights", "tags": []any{"x", "y"}, "by": ada.Group, "inner": []any{item("quote", "b", fields{"title": "deep"})}}),
			item("quote", "c", fields{"title": "Still waters"}),
		},
	}))
	second := coll.add(t, publicOf("en", fields{"seo": fields{"title": "apple", "rank": 1}, "body": []any{item("hero", "a", fields{"title": "Snow", "by": bob.Group})}}))
	third := coll.add(t, draftOf("en", fields{"body": []any{}}))

	leaf := func(name string) *core.Field {
		f := coll.schema.Collection.Queryable(name)
		if f == nil {
			t.Fatalf("no leaf %s", name)
		}
		return f
	}
	title := people.schema.Collection.Fields[0]
	text := func(texts ...string) (values []core.Value) {
		for _, text := range texts {
			values = append(values, core.Value{Text: text})
		}
		return values
	}
	for name, one := range map[string]struct {
		where query.Predicate
		want  []int64
	}{
		"type":              {query.Predicate{Field: leaf("body._type"), Op: query.OpEqual, Values: text("quote")}, []int64{first.ID}},
		"no type":           {query.Predicate{Field: leaf("body._type"), Op: query.OpNull}, []int64{third.ID}},
		"text of a group":   {query.Predicate{Field: leaf("seo.title"), Op: query.OpEqual, Values: text("Zebra")}, []int64{first.ID}},
		"range":             {query.Predicate{Field: leaf("seo.title"), Op: query.OpLess, Values: text("b")}, []int64{second.ID}},
		"like of a group":   {query.Predicate{Field: leaf("seo.title"), Op: query.OpLike, Values: text("ebr")}, []int64{first.ID}},
		"without a slot":    {query.Predicate{Field: leaf("seo.rank"), Op: query.OpGreater, Values: []core.Value{{Num: 2}}}, []int64{first.ID}},
		"not":               {query.Predicate{Field: leaf("seo.rank"), Op: query.OpNot, Values: []core.Value{{Num: 3}}}, []int64{second.ID, third.ID}},
		"no value":          {query.Predicate{Field: leaf("seo.rank"), Op: query.OpNull}, []int64{third.ID}},
		"text of an item":   {query.Predicate{Field: leaf("body.hero.title"), Op: query.OpIn, Values: text("Snow", "deep")}, []int64{second.ID}},
		"of another type":   {query.Predicate{Field: leaf("body.quote.title"), Op: query.OpEqual, Values: text("deep")}, []int64{}},
		"like in items":     {query.Predicate{Field: leaf("body.hero.title"), Op: query.OpLike, Values: text("lights")}, []int64{first.ID}},
		"list in an item":   {query.Predicate{Field: leaf("body.hero.tags"), Op: query.OpEqual, Values: text("y")}, []int64{first.ID}},
		"relation":          {query.Predicate{Field: leaf("body.hero.by"), Op: query.OpEqual, Values: []core.Value{{Num: float64(bob.ID)}}}, []int64{second.ID}},
		"beyond a relation": {query.Predicate{Relation: leaf("body.hero.by"), Target: people.schema.Collection, Field: title, Op: query.OpEqual, Values: text("Ada")}, []int64{first.ID}},
	} {
		sel := coll.all(one.where)
		sel.State = core.StateWithDraft
		sel.Sort = []query.SortKey{{Field: core.SystemID}}
		if got := coll.list(t, sel); !slices.Equal(got, one.want) {
			t.Errorf("%s: got %v, want %v", name, got, one.want)
		}
	}
	sel := coll.all()
	sel.State, sel.Sort = core.StateWithDraft, []query.SortKey{{Field: leaf("seo.title")}, {Field: core.SystemID}}
	assertEqual(t, coll.list(t, sel), []int64{second.ID, first.ID, third.ID})
	coll.change(t, &first, func(e *core.Entry) { e.Draft = doc(fields{"body": []any{}}) })
	sel = coll.all(query.Predicate{Field: leaf("body._type"), Op: query.OpEqual, Values: text("hero")})
	sel.State, sel.Sort = core.StateWithDraft, []query.SortKey{{Field: core.SystemID}}
	assertEqual(t, coll.list(t, sel), []int64{second.ID})
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		if err := s.Projects.Lock(t.Context(), w.project.ID); err != nil {
			return err
		}
		_, found, err := s.IndexChecks.CheckEntries(t.Context(), coll.schema, 0, 99)
		assertEqual(t, len(found), 0)
		return err
	})))
}
