package content_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/content"
	"imprimatur/core/words"
)

func TestCreateCollectionDefinesFields(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	d.committed.take()
	c, err := d.collections.Create(t.Context(), core.Actor{System: true}, d.project, content.CollectionInput{
		Slug: "articles", Name: " Articles ", Description: "What we write.",
		Fields: []content.FieldInput{
			{Name: "title", Label: "Title", Type: core.TypeText},
			{Name: "color", Type: core.TypeColor, Default: json.RawMessage(`"#ABCDEF"`)},
			{Name: "tags", Type: core.TypeText, Multiple: true, Default: json.RawMessage(` [ "a" ] `)},
			{Name: "none", Type: core.TypeNumber, Default: json.RawMessage(`null`)},
			{Name: "self", Type: core.TypeRelation, Collection: "articles"},
		},
	})
	require.NoError(t, err)
	require.Equal(t, []core.EventType{core.EventCollectionCreated}, d.committed.take())
	stored, err := d.collections.Collection(t.Context(), d.project, c.ID)
	require.NoError(t, err)
	require.Equal(t, c, stored)
	require.Equal(t, &core.Collection{
		ID: c.ID, ProjectID: d.project.ID, Slug: "articles", Name: "Articles", Description: "What we write.",
		Fields: []*core.Field{
			{ID: 1, Name: "title", Label: "Title", Type: core.TypeText, Slot: "t1", SlotReady: true},
			{ID: 2, Name: "color", Label: "color", Type: core.TypeColor, Default: json.RawMessage(`"#abcdef"`), Slot: "t2", SlotReady: true},
			{ID: 3, Name: "tags", Label: "tags", Type: core.TypeText, Multiple: true, Default: json.RawMessage(`["a"]`)},
			{ID: 4, Name: "none", Label: "none", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
			{ID: 5, Name: "self", Label: "self", Type: core.TypeRelation, Collection: "articles"},
		},
		NextFieldID: 6, Version: 1, Forms: words.Version, FormsReady: true, CreatedAt: day, UpdatedAt: day,
	}, c)
	listed, err := d.collections.List(t.Context(), d.project)
	require.NoError(t, err)
	require.Equal(t, []*core.Collection{c}, listed)
}

func TestDefinitionFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	d.collection(t, "taken")
	half, minus, two, one := 0.5, -1.0, 2.0, 1.0
	_, err := d.collections.Create(t.Context(), core.Actor{System: true}, d.project, content.CollectionInput{
		Slug: "taken", Name: " ", Description: "a\x00",
		Fields: []content.FieldInput{
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
	found := faultsOf(t, err)
	require.ElementsMatch(t, []string{
		"slug", "name", "description",
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
	d := setupWriter(t)
	fields := []content.FieldInput{
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
		fields = append(fields, content.FieldInput{Name: fmt.Sprintf("text%d", i), Type: core.TypeText})
	}
	c := d.collection(t, "all", fields...)
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

	_, err := d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, content.FieldInput{Name: "more", Type: core.TypeText, Indexed: new(true)}, false)
	require.Contains(t, faultsOf(t, err), "indexed")
	c, err = d.collections.RemoveField(t.Context(), core.Actor{System: true}, d.project, c.ID, "text3", false)
	require.NoError(t, err)
	c, err = d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, content.FieldInput{Name: "more", Type: core.TypeText, Indexed: new(true)}, false)
	require.NoError(t, err)
	require.Equal(t, "t4", c.Field("more").Slot)
}

func TestRemovedFieldsReturnWithTheirType(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A","views":3}`)
	before := c.Field("views").ID
	c, err := d.collections.RemoveField(t.Context(), core.Actor{System: true}, d.project, c.ID, "views", false)
	require.NoError(t, err)
	require.Nil(t, c.Field("views"))
	_, err = d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"views":1}`))
	require.Equal(t, map[string]string{"fields.views": "no such field"}, faultsOf(t, err))
	m = d.update(t, m, `{"title":"B"}`)
	require.NotContains(t, string(m.Fields), "views")

	for name, in := range map[string]content.FieldInput{
		"another type": {Name: "views", Type: core.TypeText},
		"a list":       {Name: "views", Type: core.TypeNumber, Multiple: true},
	} {
		_, err = d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, in, false)
		require.Contains(t, faultsOf(t, err), "name", name)
	}
	c, err = d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, content.FieldInput{Name: "views", Type: core.TypeNumber, Label: "Views"}, false)
	require.NoError(t, err)
	require.Equal(t, before, c.Field("views").ID)
	require.Empty(t, c.Removed)
	m = d.update(t, m, `{"title":"C"}`)
	require.Equal(t, `3`, shown(t, m.Fields, "views")["views"])
}

func TestFieldsInUseAreNotRemoved(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	d.collection(t, "comments", content.FieldInput{Name: "article", Type: core.TypeRelation, Collection: "articles"})
	_, err := d.collections.RemoveField(t.Context(), core.Actor{System: true}, d.project, c.ID, "title", false)
	require.ErrorIs(t, err, core.ErrConflict)
	require.ErrorIs(t, d.collections.Delete(t.Context(), d.actor, d.project, c.ID, false), core.ErrConflict)

	_, err = d.collections.RemoveField(t.Context(), core.Actor{System: true}, d.project, c.ID, "nothing", false)
	require.ErrorIs(t, err, core.ErrNotFound)
	other := d.newProject(t, d.project.TenantID, "fr")
	require.ErrorIs(t, d.collections.Delete(t.Context(), d.actor, other, c.ID, false), core.ErrNotFound)
}

func TestDeleteDeletesEntries(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`)
	require.NoError(t, d.collections.Delete(t.Context(), d.actor, d.project, c.ID, false))
	require.Equal(t, []int64{c.ID}, d.gate.closed, "pending requests are withdrawn")
	_, err := d.stores.Entries.Entry(t.Context(), d.project.ID, m.ID)
	require.ErrorIs(t, err, core.ErrNotFound)
}

func TestUpdateCollectionChangesGivenMembers(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.collection(t, "posts",
		content.FieldInput{Name: "a", Type: core.TypeText}, content.FieldInput{Name: "b", Type: core.TypeText})
	d.clock.now = day.Add(time.Hour)
	c, err := d.collections.Update(t.Context(), core.Actor{System: true}, d.project, c.ID, content.CollectionChange{Name: new("Posts"), Order: []string{"b", "a"}})
	require.NoError(t, err)
	require.Equal(t, "Posts", c.Name)
	require.Equal(t, []string{"b", "a"}, []string{c.Fields[0].Name, c.Fields[1].Name})
	require.Equal(t, int64(2), c.Version)
	require.Equal(t, d.clock.now, c.UpdatedAt)
	for _, order := range [][]string{{"a"}, {"a", "a"}, {"a", "b", "c"}, {}} {
		_, err = d.collections.Update(t.Context(), core.Actor{System: true}, d.project, c.ID, content.CollectionChange{Name: new(""), Order: order})
		require.ElementsMatch(t, []string{"name", "order"}, keysOf(faultsOf(t, err)))
	}
}

func TestUpdateFieldReplacesOptionsButNotTheType(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	limit := 10.0
	c, err := d.updateField(t, c.ID, "views", content.FieldInput{Label: "Views", Max: &limit})
	require.NoError(t, err)
	require.Equal(t, &core.Field{
		ID: 4, Name: "views", Label: "Views", Type: core.TypeNumber, Max: &limit, Slot: "n1", SlotReady: true,
	}, c.Field("views"))

	_, err = d.updateField(t, c.ID, "views", content.FieldInput{
		Name: "reads", Type: core.TypeText, Multiple: true, Collection: "articles",
	})
	require.ElementsMatch(t, []string{"name", "type", "multiple", "collection"}, keysOf(faultsOf(t, err)))
	_, err = d.updateField(t, c.ID, "title", content.FieldInput{Hidden: true})
	require.Equal(t, []string{"fields[1].source"}, keysOf(faultsOf(t, err)), "the source of the slug")
	_, err = d.updateField(t, c.ID, "nothing", content.FieldInput{})
	require.ErrorIs(t, err, core.ErrNotFound)
}

func TestFieldBecomesUniqueOnlyWithDistinctValues(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.collection(t, "posts", content.FieldInput{Name: "code", Type: core.TypeText})
	first := d.create(t, c, `{"code":"a"}`)
	second := d.create(t, c, `{"code":"a"}`)
	d.create(t, c, `{"code":"a"}`, in("de"))
	d.create(t, c, `{}`)
	d.create(t, c, `{}`)

	_, err := d.updateField(t, c.ID, "code", content.FieldInput{Unique: true})
	require.Equal(t, map[string]string{"unique": fmt.Sprintf("the entries %d and %d share a value", first.ID, second.ID)}, faultsOf(t, err))
	d.update(t, second, `{"code":"b"}`)
	_, err = d.updateField(t, c.ID, "code", content.FieldInput{Unique: true})
	require.NoError(t, err)
	_, err = d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"code":"b"}`))
	require.Equal(t, map[string]string{"fields.code": "is taken by another entry"}, faultsOf(t, err))
}

// Hidden values were never reviewed.
func TestHiddenFieldsStayHiddenWhereContentIsReviewed(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	note := content.FieldInput{Name: "note", Type: core.TypeText, Hidden: true}
	used, unused := d.collection(t, "used", note), d.collection(t, "unused", note)
	d.create(t, used, `{"note":"unread"}`)
	show := func(c *core.Collection) error {
		_, err := d.updateField(t, c.ID, "note", content.FieldInput{})
		return err
	}
	bring := func(hidden bool) error {
		_, err := d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, used.ID, content.FieldInput{Name: "note", Type: core.TypeText, Hidden: hidden}, false)
		return err
	}
	refused := map[string]string{"hidden": "must stay true: no reviewer has seen the values of the field"}

	d.gate.gated = true
	require.Equal(t, refused, faultsOf(t, show(used)))
	require.NoError(t, show(unused), "it has no values")
	_, err := d.collections.RemoveField(t.Context(), core.Actor{System: true}, d.project, used.ID, "note", false)
	require.NoError(t, err)
	require.Equal(t, refused, faultsOf(t, bring(false)))
	require.NoError(t, bring(true))
	d.gate.gated = false
	require.NoError(t, show(used))
}

func TestBackfillMakesSlotsReady(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.collection(t, "posts", content.FieldInput{Name: "a", Type: core.TypeText})
	for range 250 {
		d.create(t, c, `{"a":"x"}`)
	}
	d.backfill(t, d.collections, 0)

	c, err := d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, content.FieldInput{Name: "b", Type: core.TypeText}, false)
	require.NoError(t, err)
	require.Equal(t, "t2", c.Field("b").Slot)
	require.False(t, c.Field("b").SlotReady)

	did, err := d.collections.Backfill(t.Context())
	require.NoError(t, err)
	require.True(t, did)
	_, err = d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, content.FieldInput{Name: "e", Type: core.TypeNumber}, false)
	require.NoError(t, err)
	d.committed.take()
	d.backfill(t, d.collections, 3) // 200, 50, and an empty batch

	c, err = d.collections.Collection(t.Context(), d.project, c.ID)
	require.NoError(t, err)
	require.True(t, c.Field("b").SlotReady && c.Field("e").SlotReady)
	require.Equal(t, []core.EventType{core.EventCollectionUpdated}, d.committed.take())
	d.create(t, c, `{"a":"x","b":"y","e":1}`)
}

func TestBackfillMakesTextsSearchable(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.collection(t, "posts", content.FieldInput{Name: "a", Type: core.TypeLongText}, content.FieldInput{Name: "b", Type: core.TypeText, Searchable: true})
	require.True(t, c.Field("b").SearchReady, "without entries it is ready at once")
	d.create(t, c, `{"a":"x"}`)
	turn := func(on bool) *core.Collection {
		c, err := d.updateField(t, c.ID, "a", content.FieldInput{Searchable: on})
		require.NoError(t, err)
		require.False(t, c.Field("a").SearchReady)
		return c
	}
	require.True(t, turn(true).Field("b").SearchReady)
	d.backfill(t, d.collections, 2)
	c, err := d.collections.Collection(t.Context(), d.project, c.ID)
	require.NoError(t, err)
	require.True(t, c.Field("a").SearchReady)
	turn(false)
	d.backfill(t, d.collections, 0)
	turn(true)
	d.backfill(t, d.collections, 2)
}

func TestBackfillContinuesWorkOfOtherProcesses(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.collection(t, "posts")
	d.create(t, c, `{}`)
	gone := d.collection(t, "gone")
	d.create(t, gone, `{}`)
	for _, id := range []int64{c.ID, gone.ID} {
		_, err := d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, id, content.FieldInput{Name: "a", Type: core.TypeText}, false)
		require.NoError(t, err)
	}
	later := content.NewCollections(d.stores, d.store, d.gate, d.clock)
	did, err := later.Backfill(t.Context())
	require.NoError(t, err)
	require.True(t, did)
	require.NoError(t, d.collections.Delete(t.Context(), d.actor, d.project, gone.ID, false))
	d.backfill(t, later, 3) // the missing collection, and two batches of the other one
	c, err = d.collections.Collection(t.Context(), d.project, c.ID)
	require.NoError(t, err)
	require.True(t, c.Field("a").SlotReady)

	_, err = d.collections.AddField(t.Context(), core.Actor{System: true}, d.project, c.ID, content.FieldInput{Name: "b", Type: core.TypeText}, false)
	require.NoError(t, err)
	d.backfill(t, later, 0)
	d.clock.now = day.Add(time.Hour)
	d.backfill(t, later, 2) // it searches for work periodically
}

// TestBackfillIndexesForOtherForms marks an index as one of another version of words. The back-fill
// indexes it once.
func TestBackfillIndexesForOtherForms(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.collection(t, "posts", content.FieldInput{Name: "a", Type: core.TypeText})
	for range 250 {
		d.create(t, c, `{"a":"x"}`)
	}
	age := func(forms string) {
		c, err := d.collections.Collection(t.Context(), d.project, c.ID)
		require.NoError(t, err)
		c.Forms, c.FormsReady = forms, true
		c.Version++
		require.NoError(t, d.stores.Collections.Update(t.Context(), c))
	}
	current := func() bool {
		c, err := d.collections.Collection(t.Context(), d.project, c.ID)
		require.NoError(t, err)
		require.True(t, c.Field("a").SlotReady, "reads go on by the index")
		return c.Forms == words.Version && c.FormsReady
	}
	for _, forms := range []string{"0 older", "9 newer", ""} {
		age(forms)
		require.False(t, current())
		started := content.NewCollections(d.stores, d.store, d.gate, d.clock)
		d.backfill(t, started, 4) // the mark, 200, 50, and an empty batch
		require.True(t, current())
		d.backfill(t, content.NewCollections(d.stores, d.store, d.gate, d.clock), 0)
	}

	age("0 older")
	started := content.NewCollections(d.stores, d.store, d.gate, d.clock)
	for range 2 {
		did, err := started.Backfill(t.Context())
		require.NoError(t, err)
		require.True(t, did)
	}
	age("") // as a process with other forms does that writes an entry
	d.backfill(t, started, 1)
	require.False(t, current(), "while such a process writes, the back-fill waits")
	d.clock.now = day.Add(time.Hour)
	d.backfill(t, started, 4)
	require.True(t, current())
}

// backfill runs until no work is left, and checks the number of batches.
func (d *writerFixture) backfill(t *testing.T, collections *content.Collections, batches int) {
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
