package definition_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/core/words"
	"imprimatur/test/contenttest"
)

func TestCreateCollectionDefinesFields(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	d.Committed.Take()
	c, err := d.Collections.Create(t.Context(), core.Actor{System: true}, d.Project, definition.CollectionInput{
		Slug: "articles", Name: " Articles ", Description: "What we write.",
		Fields: []definition.FieldInput{
			{Name: "title", Label: "Title", Type: core.TypeText},
			{Name: "color", Type: core.TypeColor, Default: json.RawMessage(`"#ABCDEF"`)},
			{Name: "tags", Type: core.TypeText, Multiple: true, Default: json.RawMessage(` [ "a" ] `)},
			{Name: "none", Type: core.TypeNumber, Default: json.RawMessage(`null`)},
			{Name: "self", Type: core.TypeRelation, Collection: "articles"},
		},
	})
	require.NoError(t, err)
	require.Equal(t, []event.Type{event.CollectionCreated}, d.Committed.Take())
	stored, err := d.Collections.Collection(t.Context(), d.Project, c.ID)
	require.NoError(t, err)
	require.Equal(t, c, stored)
	require.Equal(t, &core.Collection{
		ID: c.ID, ProjectID: d.Project.ID, Slug: "articles", Name: "Articles", Description: "What we write.", Icon: core.DefaultIcon,
		Fields: []*core.Field{
			{ID: 1, Name: "title", Label: "Title", Type: core.TypeText, Slot: "t1", SlotReady: true, SearchReady: true},
			{ID: 2, Name: "color", Label: "color", Type: core.TypeColor, Default: json.RawMessage(`"#abcdef"`), Slot: "t2", SlotReady: true},
			{ID: 3, Name: "tags", Label: "tags", Type: core.TypeText, Multiple: true, Default: json.RawMessage(`["a"]`)},
			{ID: 4, Name: "none", Label: "none", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
			{ID: 5, Name: "self", Label: "self", Type: core.TypeRelation, Collection: "articles"},
		},
		NextFieldID: 6, Version: 1, Forms: words.Version, FormsReady: true, CreatedAt: contenttest.Day, UpdatedAt: contenttest.Day,
	}, c)
	listed, err := d.Collections.List(t.Context(), d.Project)
	require.NoError(t, err)
	require.Equal(t, []*core.Collection{c}, listed)
}

func TestDefinitionFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	d.Collection(t, "taken")
	half, minus, two, one := 0.5, -1.0, 2.0, 1.0
	_, err := d.Collections.Create(t.Context(), core.Actor{System: true}, d.Project, definition.CollectionInput{
		Slug: "taken", Name: " ", Description: "a\x00", Icon: "skull",
		Fields: []definition.FieldInput{
			{Name: "Title", Type: core.TypeText},
			{Name: "publishedAt", Type: core.TypeText},
			{Name: "collection", Type: core.TypeText},
			{Name: "a", Type: "string"},
			{Name: "a", Type: core.TypeText, Label: strings.Repeat("l", 201)},
			{Name: "b", Type: core.TypeLongText, Unique: true, Searchable: true},
			{Name: "c", Type: core.TypeText, Unique: true, Multiple: true, Indexed: new(true)}, // of Indexed: as it is shown
			{Name: "d", Type: core.TypePassword, Multiple: true, Searchable: true},
			{Name: "e", Type: core.TypeText, Min: &half, Max: &minus},
			{Name: "f", Type: core.TypeNumber, Min: &two, Max: &one, Pattern: "a"},
			{Name: "g", Type: core.TypeDate, Min: &one, Choices: []string{"a"}},
			{Name: "h", Type: core.TypeText, Pattern: "(a"},
			{Name: "i", Type: core.TypeText, Pattern: "a)(b"},
			{Name: "j", Type: core.TypeEnumeration},
			{Name: "k", Type: core.TypeEnumeration, Choices: []string{"x", "", "x", "y\x00"}},
			{Name: "l", Type: core.TypeSlug, Source: "b"},
			{Name: "m", Type: core.TypeText, Source: "a"},
			{Name: "n", Type: core.TypeRelation},
			{Name: "o", Type: core.TypeRelation, Collection: "nowhere"},
			{Name: "p", Type: core.TypeText, Collection: "taken"},
			{Name: "q", Type: core.TypeNumber, Default: json.RawMessage(`"1"`)},
			{Name: "r", Type: core.TypeMedia, Default: json.RawMessage(`1`)},
			{Name: "s", Type: core.TypeText, Hidden: true},
			{Name: "t", Type: core.TypeSlug, Source: "s"},
			{Name: "u", Type: core.TypeNumber, Multiple: true, Default: json.RawMessage(`[1,"2"]`)},
			{Name: "v", Type: core.TypeJSON, Indexed: new(true)},
			{Name: "w", Type: core.TypeLongText, Indexed: new(true)},
			{Name: "x", Type: core.TypeRichText, Multiple: true, Indexed: new(true)},
			{Name: "y", Type: core.TypeText, Default: json.RawMessage(`"` + strings.Repeat("각", 112) + `"`)},
			{Name: "z", Type: core.TypeText, Min: new(1001.0)},
			{Name: strings.Repeat("x", 64), Type: core.TypeText},
		},
	})
	found := contenttest.FaultsOf(t, err)
	require.ElementsMatch(t, []string{
		"slug", "icon", "name", "description",
		"fields[0].name", "fields[1].name", "fields[2].name", "fields[3].type",
		"fields[4].name", "fields[4].label",
		"fields[5].unique", "fields[6].unique", "fields[7].multiple", "fields[7].searchable",
		"fields[8].min", "fields[8].max", "fields[9].min", "fields[9].pattern",
		"fields[10].min", "fields[10].choices", "fields[11].pattern", "fields[12].pattern",
		"fields[13].choices", "fields[14].choices[1]", "fields[14].choices[2]", "fields[14].choices[3]",
		"fields[15].source", "fields[16].source", "fields[17].collection", "fields[18].collection", "fields[19].collection",
		"fields[20].default", "fields[21].default", "fields[23].source", "fields[24].default[1]", "fields[25].indexed",
		"fields[26].indexed", "fields[27].indexed", "fields[28].default", "fields[29].min", "fields[30].name",
	}, keysOf(found))
}

func keysOf(found map[string]string) []string {
	var keys []string
	for key := range found {
		keys = append(keys, key)
	}
	return keys
}

func TestSlotAssignment(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	fields := []definition.FieldInput{
		{Name: "long", Type: core.TypeLongText},
		{Name: "rich", Type: core.TypeRichText},
		{Name: "off", Type: core.TypeText, Indexed: new(false)},
		{Name: "many", Type: core.TypeText, Multiple: true},
		{Name: "hidden", Type: core.TypeText, Hidden: true},
		{Name: "meta", Type: core.TypeJSON},
		{Name: "pin", Type: core.TypePassword},
		{Name: "cover", Type: core.TypeMedia},
		{Name: "flag", Type: core.TypeBoolean},
		{Name: "on", Type: core.TypeDate},
	}
	for i := range 9 {
		fields = append(fields, definition.FieldInput{Name: fmt.Sprintf("text%d", i), Type: core.TypeText})
	}
	c := d.Collection(t, "all", fields...)
	slots := map[string]string{}
	for _, f := range c.Fields {
		if f.Slot != "" {
			slots[f.Name] = f.Slot
			require.True(t, f.SlotReady)
		}
	}
	require.Equal(t, map[string]string{
		"flag": "n1", "on": "d1",
		"text0": "t1", "text1": "t2", "text2": "t3", "text3": "t4", "text4": "t5", "text5": "t6", "text6": "t7", "text7": "t8",
	}, slots)

	_, err := d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "more", Type: core.TypeText, Indexed: new(true)})
	require.Contains(t, contenttest.FaultsOf(t, err), "indexed")
	c, err = d.Collections.RemoveField(t.Context(), d.Change(c.ID), "text3")
	require.NoError(t, err)
	c, err = d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "more", Type: core.TypeText, Indexed: new(true)})
	require.NoError(t, err)
	require.Equal(t, "t4", c.Field("more").Slot)
}

func TestRemovedFieldsReturnWithTheirType(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A","views":3}`)
	before := c.Field("views").ID
	c, err := d.Collections.RemoveField(t.Context(), d.Change(c.ID), "views")
	require.NoError(t, err)
	require.Nil(t, c.Field("views"))
	_, err = d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"views":1}`))
	require.Equal(t, map[string]string{"fields.views": "no such field"}, contenttest.FaultsOf(t, err))
	m = d.Update(t, m, `{"title":"B"}`)
	require.NotContains(t, string(m.Fields), "views")

	for name, in := range map[string]definition.FieldInput{
		"another type": {Name: "views", Type: core.TypeText},
		"a list":       {Name: "views", Type: core.TypeNumber, Multiple: true},
	} {
		_, err = d.Collections.AddField(t.Context(), d.Change(c.ID), in)
		require.Contains(t, contenttest.FaultsOf(t, err), "name", name)
	}
	c, err = d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "views", Type: core.TypeNumber, Label: "Views"})
	require.NoError(t, err)
	require.Equal(t, before, c.Field("views").ID)
	require.Empty(t, c.Removed)
	m = d.Update(t, m, `{"title":"C"}`)
	require.Equal(t, `3`, contenttest.Values(t, m.Fields, "views")["views"])
}

func TestFieldsInUseAreNotRemoved(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	d.Collection(t, "comments", definition.FieldInput{Name: "article", Type: core.TypeRelation, Collection: "articles"})
	_, err := d.Collections.RemoveField(t.Context(), d.Change(c.ID), "title")
	require.ErrorIs(t, err, core.ErrConflict)
	require.ErrorIs(t, d.Collections.Delete(t.Context(), d.Change(c.ID)), core.ErrConflict)

	_, err = d.Collections.RemoveField(t.Context(), d.Change(c.ID), "nothing")
	require.ErrorIs(t, err, core.ErrNotFound)
	other := d.NewProject(t, d.Project.TenantID, "fr")
	require.ErrorIs(t, d.Collections.Delete(t.Context(), definition.Change{Actor: d.Actor, Project: other, CollectionID: c.ID}), core.ErrNotFound)
}

func TestDeleteDeletesEntries(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	d.Govern(t, true)
	m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
	require.Contains(t, d.Submitted(t), m.ID)
	require.NoError(t, d.Collections.Delete(t.Context(), d.Change(c.ID)))
	require.Empty(t, d.Submitted(t), "pending requests are withdrawn")
	_, err := d.Stores.Entries.Entry(t.Context(), d.Project.ID, m.ID)
	require.ErrorIs(t, err, core.ErrNotFound)
}

func TestUpdateCollectionChangesGivenMembers(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "posts",
		definition.FieldInput{Name: "a", Type: core.TypeText}, definition.FieldInput{Name: "b", Type: core.TypeText})
	d.Clock.Time = contenttest.Day.Add(time.Hour)
	c, err := d.Collections.Update(t.Context(), d.Change(c.ID), func(in *definition.CollectionInput) { in.Name = "Posts" }, []string{"b", "a"})
	require.NoError(t, err)
	require.Equal(t, "Posts", c.Name)
	require.Equal(t, []string{"b", "a"}, []string{c.Fields[0].Name, c.Fields[1].Name})
	require.Equal(t, int64(2), c.Version)
	require.Equal(t, d.Clock.Time, c.UpdatedAt)
	for _, order := range [][]string{{"a"}, {"a", "a"}, {"a", "b", "c"}, {}} {
		_, err = d.Collections.Update(t.Context(), d.Change(c.ID), func(in *definition.CollectionInput) { in.Name = "" }, order)
		require.ElementsMatch(t, []string{"name", "order"}, keysOf(contenttest.FaultsOf(t, err)))
	}
}

func TestUpdateFieldReplacesOptionsButNotTheType(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	limit := 10.0
	c, err := d.UpdateField(t, c.ID, "views", definition.FieldInput{Label: "Views", Max: &limit})
	require.NoError(t, err)
	require.Equal(t, &core.Field{
		ID: 4, Name: "views", Label: "Views", Type: core.TypeNumber, Max: &limit, Slot: "n1", SlotReady: true,
	}, c.Field("views"))

	_, err = d.UpdateField(t, c.ID, "views", definition.FieldInput{
		Name: "reads", Type: core.TypeText, Multiple: true, Collection: "articles",
	})
	require.ElementsMatch(t, []string{"name", "type", "multiple", "collection"}, keysOf(contenttest.FaultsOf(t, err)))
	_, err = d.UpdateField(t, c.ID, "title", definition.FieldInput{Hidden: true})
	require.Equal(t, []string{"fields[1].source"}, keysOf(contenttest.FaultsOf(t, err)), "the source of the slug")
	_, err = d.UpdateField(t, c.ID, "nothing", definition.FieldInput{})
	require.ErrorIs(t, err, core.ErrNotFound)
}

func TestFieldBecomesUniqueOnlyWithDistinctValues(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "posts", definition.FieldInput{Name: "code", Type: core.TypeText})
	first := d.Create(t, c, `{"code":"a"}`)
	second := d.Create(t, c, `{"code":"a"}`)
	d.Create(t, c, `{"code":"a"}`, contenttest.In("de"))
	d.Create(t, c, `{}`)
	d.Create(t, c, `{}`)

	_, err := d.UpdateField(t, c.ID, "code", definition.FieldInput{Unique: true})
	require.Equal(t, map[string]string{"unique": fmt.Sprintf("the entries %d and %d share a value", first.ID, second.ID)}, contenttest.FaultsOf(t, err))
	d.Update(t, second, `{"code":"b"}`)
	_, err = d.UpdateField(t, c.ID, "code", definition.FieldInput{Unique: true})
	require.NoError(t, err)
	_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"code":"b"}`))
	require.Equal(t, map[string]string{"fields.code": "is taken by another entry"}, contenttest.FaultsOf(t, err))
}

// Hidden values were never reviewed.
func TestHiddenFieldsStayHiddenWhereContentIsReviewed(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	note := definition.FieldInput{Name: "note", Type: core.TypeText, Hidden: true}
	used, unused := d.Collection(t, "used", note), d.Collection(t, "unused", note)
	d.Create(t, used, `{"note":"unread"}`)
	show := func(c *core.Collection) error {
		_, err := d.UpdateField(t, c.ID, "note", definition.FieldInput{})
		return err
	}
	bring := func(hidden bool) error {
		_, err := d.Collections.AddField(t.Context(), d.Change(used.ID), definition.FieldInput{Name: "note", Type: core.TypeText, Hidden: hidden})
		return err
	}
	refused := map[string]string{"hidden": "must stay true: no reviewer has seen the values of the field"}

	d.Govern(t, true)
	require.Equal(t, refused, contenttest.FaultsOf(t, show(used)))
	require.NoError(t, show(unused), "it has no values")
	_, err := d.Collections.RemoveField(t.Context(), d.Change(used.ID), "note")
	require.NoError(t, err)
	require.Equal(t, refused, contenttest.FaultsOf(t, bring(false)))
	require.NoError(t, bring(true))
	d.Govern(t, false)
	require.NoError(t, show(used))
}

func TestBackfillMakesSlotsReady(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "posts", definition.FieldInput{Name: "a", Type: core.TypeText})
	for range 250 {
		d.Create(t, c, `{"a":"x"}`)
	}
	backfill(t, d, d.Collections, 0)

	c, err := d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "b", Type: core.TypeText})
	require.NoError(t, err)
	require.Equal(t, "t2", c.Field("b").Slot)
	require.False(t, c.Field("b").SlotReady)

	did, err := d.Collections.Backfill(t.Context())
	require.NoError(t, err)
	require.True(t, did)
	_, err = d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "e", Type: core.TypeNumber})
	require.NoError(t, err)
	d.Committed.Take()
	backfill(t, d, d.Collections, 14) // 12 of 20, one of 10, and an empty one

	c, err = d.Collections.Collection(t.Context(), d.Project, c.ID)
	require.NoError(t, err)
	require.True(t, c.Field("b").SlotReady && c.Field("e").SlotReady)
	require.Equal(t, []event.Type{event.CollectionUpdated}, d.Committed.Take())
	d.Create(t, c, `{"a":"x","b":"y","e":1}`)
}

func TestBackfillMakesTextsSearchable(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "posts", definition.FieldInput{Name: "a", Type: core.TypeLongText}, definition.FieldInput{Name: "b", Type: core.TypeText, Searchable: true})
	require.True(t, c.Field("b").SearchReady, "without entries it is ready at once")
	d.Create(t, c, `{"a":"x"}`)
	turn := func(on bool) *core.Collection {
		c, err := d.UpdateField(t, c.ID, "a", definition.FieldInput{Searchable: on})
		require.NoError(t, err)
		require.False(t, c.Field("a").SearchReady)
		return c
	}
	require.True(t, turn(true).Field("b").SearchReady)
	backfill(t, d, d.Collections, 2)
	c, err := d.Collections.Collection(t.Context(), d.Project, c.ID)
	require.NoError(t, err)
	require.True(t, c.Field("a").SearchReady)
	turn(false)
	backfill(t, d, d.Collections, 0)
	turn(true)
	backfill(t, d, d.Collections, 2)
}

// TestBackfillIndexesTheTitle gives a collection another title and takes it back.
func TestBackfillIndexesTheTitle(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "posts", definition.FieldInput{Name: "a", Type: core.TypeText}, definition.FieldInput{Name: "b", Type: core.TypeText})
	ready := func(c *core.Collection, err error) (names []string) {
		require.NoError(t, err)
		for _, f := range c.Fields {
			if f.SearchReady {
				names = append(names, f.Name)
			}
		}
		return names
	}
	stored := func() (*core.Collection, error) { return d.Collections.Collection(t.Context(), d.Project, c.ID) }
	require.Equal(t, []string{"a"}, ready(c, nil))
	d.Create(t, c, `{"a":"x"}`)
	require.Empty(t, ready(d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "title", Type: core.TypeText})))
	backfill(t, d, d.Collections, 2)
	require.Equal(t, []string{"title"}, ready(stored()))
	require.Empty(t, ready(d.Collections.RemoveField(t.Context(), d.Change(c.ID), "title")))
	backfill(t, d, d.Collections, 2)
	require.Equal(t, []string{"a"}, ready(stored()))
}

func TestBackfillContinuesWorkOfOtherProcesses(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "posts")
	d.Create(t, c, `{}`)
	gone := d.Collection(t, "gone")
	d.Create(t, gone, `{}`)
	for _, id := range []int64{c.ID, gone.ID} {
		_, err := d.Collections.AddField(t.Context(), d.Change(id), definition.FieldInput{Name: "a", Type: core.TypeText})
		require.NoError(t, err)
	}
	later := definition.NewCollections(d.Stores, d.Store, d.Approval, d.Clock)
	did, err := later.Backfill(t.Context())
	require.NoError(t, err)
	require.True(t, did)
	require.NoError(t, d.Collections.Delete(t.Context(), d.Change(gone.ID)))
	backfill(t, d, later, 3) // the missing collection, and two batches of the other one
	c, err = d.Collections.Collection(t.Context(), d.Project, c.ID)
	require.NoError(t, err)
	require.True(t, c.Field("a").SlotReady)

	_, err = d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "b", Type: core.TypeText})
	require.NoError(t, err)
	backfill(t, d, later, 0)
	d.Clock.Time = contenttest.Day.Add(time.Hour)
	backfill(t, d, later, 2) // it searches for work periodically
}

// TestBackfillIndexesForOtherForms marks an index as one of another version of words. The back-fill
// indexes it once.
func TestBackfillIndexesForOtherForms(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "posts", definition.FieldInput{Name: "a", Type: core.TypeText})
	for range 250 {
		d.Create(t, c, `{"a":"x"}`)
	}
	age := func(forms string) {
		c, err := d.Collections.Collection(t.Context(), d.Project, c.ID)
		require.NoError(t, err)
		c.Forms, c.FormsReady = forms, true
		c.Version++
		require.NoError(t, d.Stores.Collections.Update(t.Context(), c))
	}
	current := func() bool {
		c, err := d.Collections.Collection(t.Context(), d.Project, c.ID)
		require.NoError(t, err)
		require.True(t, c.Field("a").SlotReady, "reads go on by the index")
		return c.Forms == words.Version && c.FormsReady
	}
	for _, forms := range []string{"0 older", "9 newer", ""} {
		age(forms)
		require.False(t, current())
		started := definition.NewCollections(d.Stores, d.Store, d.Approval, d.Clock)
		backfill(t, d, started, 15) // the mark, 12 of 20, one of 10, and an empty one
		require.True(t, current())
		backfill(t, d, definition.NewCollections(d.Stores, d.Store, d.Approval, d.Clock), 0)
	}

	age("0 older")
	started := definition.NewCollections(d.Stores, d.Store, d.Approval, d.Clock)
	for range 2 {
		did, err := started.Backfill(t.Context())
		require.NoError(t, err)
		require.True(t, did)
	}
	age("") // as a process with other forms does that writes an entry
	backfill(t, d, started, 1)
	require.False(t, current(), "while such a process writes, the back-fill waits")
	d.Clock.Time = contenttest.Day.Add(time.Hour)
	backfill(t, d, started, 15)
	require.True(t, current())
}

// backfill runs until no work is left, and checks the number of batches.
func backfill(t *testing.T, d *contenttest.Fixture, collections *definition.Collections, batches int) {
	t.Helper()
	for range batches {
		did, err := collections.Backfill(context.Background())
		require.NoError(t, err)
		require.True(t, did)
	}
	did, err := collections.Backfill(context.Background())
	require.NoError(t, err)
	require.False(t, did)
}

// A default of rich text has nothing that a write would remove, and refers to nothing that may be deleted.
func TestRichTextDefaults(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	define := func(value string) error {
		_, err := d.Collections.Create(t.Context(), core.Actor{System: true}, d.Project, definition.CollectionInput{
			Slug: "a", Name: "A", Fields: []definition.FieldInput{{Name: "body", Type: core.TypeRichText, Default: json.RawMessage(value)}},
		})
		return err
	}
	for value, fault := range map[string]string{
		`"<p onclick=x>a</p>"`:               "has markup that is not kept: onclick",
		`"<img data-media=\"12\">"`:          "must not show media or refer to entries, which may be deleted",
		`"<p><a data-entry=\"5\">a</a></p>"`: "must not show media or refer to entries, which may be deleted",
	} {
		require.Equal(t, map[string]string{"fields[0].default": fault}, contenttest.FaultsOf(t, define(value)), value)
	}
	require.NoError(t, define(`"<p>See <code>data-media=\"12\"</code></p>"`))
}

func TestIconsAreThoseOfTheSet(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "articles")
	require.Equal(t, core.DefaultIcon, c.Icon)
	by := definition.Change{Actor: core.Actor{System: true}, Project: d.Project, CollectionID: c.ID}
	for _, icon := range core.Icons() {
		changed, err := d.Collections.Update(t.Context(), by, func(in *definition.CollectionInput) { in.Icon = icon }, nil)
		require.NoError(t, err)
		require.Equal(t, icon, changed.Icon)
	}
	for _, icon := range []core.Icon{"", "skull", "Book"} {
		_, err := d.Collections.Update(t.Context(), by, func(in *definition.CollectionInput) { in.Icon = icon }, nil)
		require.Equal(t, []string{"icon"}, keysOf(contenttest.FaultsOf(t, err)))
	}
}

func TestPreviewURLs(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	d.Project.PreviewOrigins = []string{"https://www.example.com", "http://localhost:4321"}
	require.NoError(t, d.Stores.Projects.Update(t.Context(), d.Project))
	fields := []definition.FieldInput{
		{Name: "title", Type: core.TypeText}, {Name: "slug", Type: core.TypeSlug, Source: "title"}, {Name: "kind", Type: core.TypeEnumeration, Choices: []string{"a"}},
		{Name: "views", Type: core.TypeNumber}, {Name: "day", Type: core.TypeDate}, {Name: "body", Type: core.TypeLongText}, {Name: "note", Type: core.TypeText, Hidden: true},
		{Name: "tags", Type: core.TypeText, Multiple: true},
	}
	define := func(slug, url string) (*core.Collection, error) {
		return d.Collections.Create(t.Context(), core.Actor{System: true}, d.Project, definition.CollectionInput{Slug: slug, Name: "A", PreviewURL: url, Fields: fields})
	}
	const url = "https://www.example.com/{locale}/{kind}/{day}/{slug}?id={id}&group={group}&views={views}#{title}"
	c, err := define("articles", url)
	require.NoError(t, err)
	require.Equal(t, url, c.PreviewURL)
	change := func(url core.Optional[string]) error {
		changed, err := d.Collections.Update(t.Context(), d.Change(c.ID), func(in *definition.CollectionInput) { url.AssignTo(&in.PreviewURL) }, nil)
		if err == nil {
			c = changed
		}
		return err
	}
	for wrong, message := range map[string]string{
		"http://www.example.com/": "must begin with one of the previewOrigins", "https://www.example.com:8443/": "must begin with one of the previewOrigins",
		"https://{id}.example.com/": "must begin with an http or https origin", "https://www.example.com/{": "braces", "https://www.example.com/a b": "must be a URL",
		"https://www.example.com/{body}": "unknown placeholder {body}", "https://www.example.com/{note}": "unknown placeholder {note}",
		"https://www.example.com/{tags}": "unknown placeholder {tags}", "https://www.example.com/{version}": "unknown placeholder {version}",
	} {
		_, err := define("others", wrong)
		require.Contains(t, contenttest.FaultsOf(t, err)["previewUrl"], message, wrong)
		require.Contains(t, contenttest.FaultsOf(t, change(core.Some(wrong)))["previewUrl"], message, wrong)
	}
	require.NoError(t, change(core.Optional[string]{}))
	require.Equal(t, url, c.PreviewURL)

	_, err = d.Collections.RemoveField(t.Context(), d.Change(c.ID), "kind")
	require.ErrorIs(t, err, core.ErrConflict)
	_, err = d.Collections.ReviseField(t.Context(), d.Change(c.ID), "day", func(in definition.FieldInput) definition.FieldInput {
		in.Hidden = true
		return in
	})
	require.Contains(t, contenttest.FaultsOf(t, err), "hidden")
	require.NoError(t, change(core.Some("http://localhost:4321/{id}")))
	_, err = d.Collections.RemoveField(t.Context(), d.Change(c.ID), "kind")
	require.NoError(t, err)
	require.NoError(t, change(core.Null[string]()))
	require.Empty(t, c.PreviewURL)
}
