package definition_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/test/contenttest"
)

// admit changes the collections of a relation.
func admit(t *testing.T, d *contenttest.Fixture, id int64, name string, slugs ...string) (*core.Collection, error) {
	t.Helper()
	return d.Collections.ReviseField(t.Context(), d.Change(id), name, func(in definition.FieldInput) definition.FieldInput {
		in.Collections = slugs
		return in
	})
}

func TestRelationsToSeveralHaveFaults(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	d.Articles(t)
	for name, one := range map[string]struct {
		field    definition.FieldInput
		at, says string
	}{
		"both":            {definition.FieldInput{Collection: "articles", Collections: []string{"articles"}}, "fields[0].collections", "cannot be given with collection: a relation has one of them"},
		"neither":         {definition.FieldInput{}, "fields[0].collection", "is required, or collections"},
		"an empty list":   {definition.FieldInput{Collections: []string{}}, "fields[0].collection", "is required, or collections"},
		"unknown":         {definition.FieldInput{Collections: []string{"articles", "x", ""}}, "fields[0].collections[1]", "no such collection"},
		"twice":           {definition.FieldInput{Collections: []string{"articles", "articles"}}, "fields[0].collections[1]", "is named twice"},
		"51":              {definition.FieldInput{Collections: make([]string, 51)}, "fields[0].collections", "must have at most 50 elements"},
		"of another type": {definition.FieldInput{Type: core.TypeText, Collections: []string{"articles"}}, "fields[0].collections", "are for relations"},
		"a default":       {definition.FieldInput{Collections: []string{"articles"}, Default: []byte("1")}, "fields[0].default", "is not for unique fields, relations, media, passwords, groups and blocks"},
	} {
		if one.field.Name = "about"; one.field.Type == "" {
			one.field.Type = core.TypeRelation
		}
		in := definition.CollectionInput{Slug: "notes", Name: "Notes", Fields: []definition.FieldInput{one.field}}
		_, err := d.Collections.Create(t.Context(), d.Actor, d.Project, in)
		require.Equal(t, one.says, contenttest.FaultsOf(t, err)[one.at], name)
		_, err = d.Collections.Components().Create(t.Context(), d.Actor, d.Project, in)
		require.Equal(t, one.says, contenttest.FaultsOf(t, err)[one.at], name)
	}
	_, err := d.Collections.Components().Create(t.Context(), d.Actor, d.Project, definition.CollectionInput{
		Slug: "hero", Name: "Hero", Fields: []definition.FieldInput{{Name: "about", Type: core.TypeRelation, Collections: []string{"hero"}}},
	})
	require.Equal(t, map[string]string{"fields[0].collections[0]": "no such collection"}, contenttest.FaultsOf(t, err), "a component is no collection")
	d.Collection(t, "notes", definition.FieldInput{Name: "about", Type: core.TypeRelation, Collections: []string{"notes", "articles"}})
}

func TestCollectionsOfARelationChange(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	article := d.Create(t, d.Articles(t), `{"title":"A"}`)
	d.Collection(t, "people")
	c := d.Collection(t, "notes",
		definition.FieldInput{Name: "about", Type: core.TypeRelation, Collections: []string{"articles", "people"}},
		definition.FieldInput{Name: "one", Type: core.TypeRelation, Collection: "articles"})
	c, err := admit(t, d, c.ID, "about", "people")
	require.NoError(t, err)
	require.Equal(t, []string{"people"}, c.Field("about").Collections)
	require.Equal(t, []string{"articles"}, c.Field("about").Former, "entries may still refer to articles")
	c, err = admit(t, d, c.ID, "about", "articles", "people")
	require.NoError(t, err)
	require.Empty(t, c.Field("about").Former)

	_, err = admit(t, d, c.ID, "about")
	require.Equal(t, map[string]string{"collection": "is required, or collections"}, contenttest.FaultsOf(t, err))
	_, err = admit(t, d, c.ID, "one", "articles", "people")
	require.Equal(t, map[string]string{"collections": "cannot be given: the field stays a relation to the collection articles"}, contenttest.FaultsOf(t, err))
	_, err = d.UpdateField(t, c.ID, "about", definition.FieldInput{Collection: "articles"})
	require.Contains(t, contenttest.FaultsOf(t, err), "collection")

	d.Create(t, c, fmt.Sprintf(`{"about":%d}`, article.ID))
	_, err = d.Collections.RemoveField(t.Context(), d.Change(c.ID), "about")
	require.NoError(t, err)
	_, err = d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "about", Type: core.TypeRelation, Collection: "articles"})
	require.Contains(t, contenttest.FaultsOf(t, err), "name")
	c, err = d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "about", Type: core.TypeRelation, Collections: []string{"people"}})
	require.NoError(t, err)
	require.Equal(t, []string{"articles"}, c.Field("about").Former)
}

// A collection that a relation to several names cannot be deleted.
func TestCollectionsOfARelationStay(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	articles, people := d.Articles(t), d.Collection(t, "people")
	notes := d.Collection(t, "notes", definition.FieldInput{Name: "about", Type: core.TypeRelation, Collections: []string{"articles", "people", "notes"}})
	hero := newComponent(t, d, "hero", definition.FieldInput{Name: "by", Type: core.TypeRelation, Collections: []string{"people", "articles"}})
	require.EqualError(t, d.Collections.Delete(t.Context(), d.Change(people.ID)), "collection_in_use: notes.about points to the collection")
	require.NoError(t, d.Collections.Delete(t.Context(), d.Change(notes.ID)), "its own relation does not keep a collection")
	require.EqualError(t, d.Collections.Delete(t.Context(), d.Change(people.ID)), "collection_in_use: hero.by points to the collection")
	_, err := d.Collections.Components().ReviseField(t.Context(), changeOf(d, hero), "by", func(in definition.FieldInput) definition.FieldInput {
		in.Collections = []string{"articles"}
		return in
	})
	require.NoError(t, err)
	require.NoError(t, d.Collections.Delete(t.Context(), d.Change(people.ID)))
	require.ErrorIs(t, d.Collections.Delete(t.Context(), d.Change(articles.ID)), core.ErrConflict)
}
