package definition_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/test/contenttest"
)

// newComponent adds a component.
func newComponent(t *testing.T, d *contenttest.Fixture, slug string, fields ...definition.FieldInput) *core.Component {
	t.Helper()
	c, err := d.Collections.Components().Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
	require.NoError(t, err)
	return c
}

func changeOf(d *contenttest.Fixture, c *core.Component) definition.ComponentChange {
	return definition.ComponentChange{Actor: core.SystemActor, Project: d.Project, ComponentID: c.ID}
}

// stored returns the collection as it is stored.
func stored(t *testing.T, d *contenttest.Fixture, c *core.Collection) *core.Collection {
	t.Helper()
	c, err := d.Stores.Collections.Collection(t.Context(), d.Project.ID, c.ID)
	require.NoError(t, err)
	return c
}

func leavesOf(c *core.Collection) (names []string) {
	for _, f := range c.Leaves {
		names = append(names, fmt.Sprintf("%s %s %t", f.Name, f.Slot, f.SlotReady))
	}
	return names
}

func TestComponentsHaveFaults(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	newComponent(t, d, "hero")
	for name, one := range map[string]struct {
		field definition.FieldInput
		at    string
	}{
		"hidden":           {definition.FieldInput{Name: "a", Type: core.TypeText, Hidden: true}, "fields[0].hidden"},
		"unique":           {definition.FieldInput{Name: "a", Type: core.TypeText, Unique: true}, "fields[0].unique"},
		"password":         {definition.FieldInput{Name: "a", Type: core.TypePassword}, "fields[0].type"},
		"source":           {definition.FieldInput{Name: "a", Type: core.TypeSlug, Source: "b"}, "fields[0].source"},
		"no component":     {definition.FieldInput{Name: "a", Type: core.TypeGroup}, "fields[0].component"},
		"unknown":          {definition.FieldInput{Name: "a", Type: core.TypeGroup, Component: "x"}, "fields[0].component"},
		"no components":    {definition.FieldInput{Name: "a", Type: core.TypeBlocks}, "fields[0].components"},
		"twice":            {definition.FieldInput{Name: "a", Type: core.TypeBlocks, Components: []string{"hero", "hero"}}, "fields[0].components[1]"},
		"51":               {definition.FieldInput{Name: "a", Type: core.TypeBlocks, Components: make([]string, 51)}, "fields[0].components"},
		"of another type":  {definition.FieldInput{Name: "a", Type: core.TypeText, Component: "hero"}, "fields[0].component"},
		"bounds of one":    {definition.FieldInput{Name: "a", Type: core.TypeGroup, Component: "hero", Min: new(1.0)}, "fields[0].min"},
		"bounds of a list": {definition.FieldInput{Name: "a", Type: core.TypeBlocks, Components: []string{"hero"}, Max: new(2001.0)}, "fields[0].max"},
		"not comparable":   {definition.FieldInput{Name: "a", Type: core.TypeRichText, Filterable: true}, "fields[0].filterable"},
	} {
		_, err := d.Collections.Components().Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: "new", Name: "New", Fields: []definition.FieldInput{one.field}})
		var invalid *core.Error
		require.ErrorAs(t, err, &invalid, name)
		require.NotEmpty(t, invalid.Fields, name)
		require.Equal(t, one.at, invalid.Fields[0].Location, name)
	}
	_, err := d.Collections.Components().Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: "hero", Name: "Again"})
	require.ErrorIs(t, err, core.ErrInvalid)
	newComponent(t, d, "nested", definition.FieldInput{Name: "inner", Type: core.TypeBlocks, Components: []string{"nested", "hero"}})
}

func TestUsedComponentsStay(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	hero := newComponent(t, d, "hero")
	newComponent(t, d, "columns", definition.FieldInput{Name: "items", Type: core.TypeBlocks, Components: []string{"hero"}})
	pages := d.Collection(t, "pages", definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"columns", "hero"}})
	err := d.Collections.Components().Delete(t.Context(), changeOf(d, hero))
	var conflict *core.Error
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, "in_use", conflict.Code)
	require.Equal(t, []string{"collections.pages.fields.body", "components.columns.fields.items"}, []string{conflict.Fields[0].Location, conflict.Fields[1].Location})

	before := stored(t, d, pages).Version
	d.Committed.Take()
	_, err = d.Collections.Components().AddField(t.Context(), changeOf(d, hero), definition.FieldInput{Name: "title", Type: core.TypeText})
	require.NoError(t, err)
	require.Equal(t, before+1, stored(t, d, pages).Version, "a change of a component changes the collections that use it")
	require.ElementsMatch(t, []event.Type{event.CollectionUpdated, event.ComponentUpdated}, d.Committed.Take())
}

func TestLeavesFollowTheirComponents(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	seo := newComponent(t, d, "seo", definition.FieldInput{Name: "title", Type: core.TypeText, Filterable: true})
	hero := newComponent(t, d, "hero", definition.FieldInput{Name: "title", Type: core.TypeText})
	pages := d.Collection(t, "pages",
		definition.FieldInput{Name: "name", Type: core.TypeText},
		definition.FieldInput{Name: "seo", Type: core.TypeGroup, Component: "seo"},
		definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"hero"}})
	require.Equal(t, []string{"seo.title t2 true", "body._type  true"}, leavesOf(stored(t, d, pages)))

	filter := func(c *core.Component, filterable bool) {
		_, err := d.Collections.Components().ReviseField(t.Context(), changeOf(d, c), "title", func(in definition.FieldInput) definition.FieldInput {
			in.Filterable = filterable
			return in
		})
		require.NoError(t, err)
	}
	d.Create(t, pages, `{"body":[{"_type":"hero","title":"a"}]}`)
	filter(hero, true)
	require.Equal(t, []string{"seo.title t2 true", "body._type  true", "body.hero.title  true"}, leavesOf(stored(t, d, pages)), "few entries are indexed at once")
	require.True(t, stored(t, d, pages).FormsReady)

	filter(hero, false)
	for i := range 200 {
		d.Create(t, pages, fmt.Sprintf(`{"body":[{"_type":"hero","title":"%d"}]}`, i))
	}
	filter(hero, true)
	require.Equal(t, "body.hero.title  false", leavesOf(stored(t, d, pages))[2], "many entries are indexed by a back-fill")
	for did := true; did; {
		var err error
		did, err = d.Collections.Backfill(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, "body.hero.title  true", leavesOf(stored(t, d, pages))[2])
	require.True(t, stored(t, d, pages).FormsReady)

	for i := range 19 {
		_, err := d.Collections.Components().AddField(t.Context(), changeOf(d, seo), definition.FieldInput{Name: fmt.Sprint("n", i), Type: core.TypeNumber, Filterable: true})
		if i < 18 {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, core.ErrInvalid, "a collection has at most 20 leaves")
	}
}

// A component of the slug of a deleted one would show the items that entries still have of that one.
func TestSlugsOfDeletedComponentsWithItemsAreTaken(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	components := d.Collections.Components()
	text := definition.FieldInput{Name: "a", Type: core.TypeText}
	inner, quote := newComponent(t, d, "inner", text), newComponent(t, d, "quote", text)
	outer := newComponent(t, d, "outer", definition.FieldInput{Name: "deep", Type: core.TypeGroup, Component: "inner"})
	c, err := d.Collections.Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: "pages", Name: "Pages", Fields: []definition.FieldInput{
		{Name: "about", Type: core.TypeGroup, Component: "outer"}, {Name: "body", Type: core.TypeBlocks, Components: []string{"outer", "quote"}},
	}})
	require.NoError(t, err)
	_, err = d.Collections.ReviseField(t.Context(), d.Change(c.ID), "body", func(in definition.FieldInput) definition.FieldInput {
		in.Components = []string{"outer"}
		return in
	})
	require.NoError(t, err)
	_, err = components.RemoveField(t.Context(), changeOf(d, outer), "deep")
	require.NoError(t, err)
	for _, deleted := range []*core.Component{quote, inner} {
		require.NoError(t, components.Delete(t.Context(), changeOf(d, deleted)))
		_, err = components.Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: deleted.Slug, Name: "Again", Fields: []definition.FieldInput{text}})
		require.ErrorIs(t, err, core.ErrInvalid, deleted.Slug)
		require.ErrorContains(t, err, "some values are not valid")
	}
	newComponent(t, d, "quote-2", text)
	_, err = components.Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: "outer", Name: "Again", Fields: []definition.FieldInput{text}})
	var fault *core.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, []core.FieldError{{Location: "slug", Value: "outer", Message: "is taken by another component"}}, fault.Fields)
	for _, name := range []string{"about", "body"} {
		_, err = d.Collections.RemoveField(t.Context(), d.Change(c.ID), name)
		require.NoError(t, err)
	}
	require.NoError(t, components.Delete(t.Context(), changeOf(d, outer)))
	_, err = components.Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: "outer", Name: "Again", Fields: []definition.FieldInput{text}})
	require.ErrorIs(t, err, core.ErrInvalid)
}
