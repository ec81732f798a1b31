package contract

import (
	"encoding/json"
	"testing"

	"imprimatur/core"
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
	use := func(e core.Entry) core.Use {
		return core.Use{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Draft: true, Published: e.Published != nil, Trashed: !e.TrashedAt.IsZero()}
	}
	assertEqual(t, result(w.Media.Uses(t.Context(), w.project.ID, item.ID, 9))(t), []core.Use{use(showing), use(trashed)})
	assertEqual(t, result(w.Entries.Uses(t.Context(), w.project.ID, target.Group, 9))(t), []core.Use{use(pointing), use(trashed)})
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
