package writing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/writing"
	"imprimatur/test/contenttest"
)

// newGroup adds a component like the fields text, related and tags of the collection articles, and a group of it.
func newGroup(t *testing.T, d *contenttest.Fixture) *core.Collection {
	t.Helper()
	c := d.Collection(t, "articles",
		definition.FieldInput{Name: "title", Type: core.TypeText},
		definition.FieldInput{Name: "text", Type: core.TypeText},
		definition.FieldInput{Name: "tags", Type: core.TypeText, Multiple: true},
		definition.FieldInput{Name: "related", Type: core.TypeRelation, Collection: "articles"},
		definition.FieldInput{Name: "note", Type: core.TypeText, Hidden: true},
	)
	_, err := d.Collections.Components().Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{Slug: "seo", Name: "SEO", Fields: []definition.FieldInput{
		{Name: "text", Type: core.TypeText, Max: new(3.0)},
		{Name: "tags", Type: core.TypeText, Multiple: true},
		{Name: "related", Type: core.TypeRelation, Collection: "articles"},
		{Name: "note", Type: core.TypeText},
		{Name: "title", Type: core.TypeNumber},
	}})
	require.NoError(t, err)
	c, err = d.Collections.AddField(t.Context(), d.Change(c.ID), definition.FieldInput{Name: "seo", Type: core.TypeGroup, Component: "seo"})
	require.NoError(t, err)
	return c
}

func fill(t *testing.T, d *contenttest.Fixture, c *core.Collection, after int64) writing.Filled {
	t.Helper()
	done, err := d.Writer.Fill(t.Context(), d.Actor, d.Project, c.ID, writing.Filling{Group: "seo", Fields: []string{"text", "tags", "related"}, After: after})
	require.NoError(t, err)
	return done
}

func TestFillCopiesBothVersions(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newGroup(t, d)
	first := d.Create(t, c, `{"title":"First"}`)
	translation := d.Create(t, c, `{"title":"Erstes"}`, contenttest.In("de"), contenttest.Of(first.ID))
	_, err := d.Writer.Trash(t.Context(), d.Actor, d.Ref(first), nil)
	require.NoError(t, err)
	require.NoError(t, d.Writer.Destroy(t.Context(), d.Actor, d.Ref(first), nil))
	// The relation is the group of a destroyed entry, and the text is longer than the component allows.
	one := d.Create(t, c, `{"title":"A","text":"public","tags":["x"]}`, contenttest.Published(true))
	one = d.Update(t, one, `{"text":"draft"}`, func(w *writing.Write) { w.KeepPublished = true })
	related := d.Create(t, c, `{"title":"B","related":`+string(core.FormatID(translation.ID))+`}`)
	own := d.Create(t, c, `{"title":"C","text":"own","seo":{"text":"it"}}`)

	require.Equal(t, writing.Filled{Changed: 2}, fill(t, d, c, 0))
	e := d.Entry(t, one.ID)
	require.JSONEq(t, `{"text":"draft","tags":["x"]}`, string(e.Draft.Value("seo")))
	require.JSONEq(t, `{"text":"public","tags":["x"]}`, string(e.Published.Value("seo")))
	require.JSONEq(t, `"draft"`, string(e.Draft.Value("text")), "the field keeps its value")
	require.Equal(t, string(d.Entry(t, related.ID).Draft.Value("related")), string(core.Document(d.Entry(t, related.ID).Draft.Value("seo")).Value("related")))
	require.JSONEq(t, `{"tags":[],"text":"it"}`, string(d.Entry(t, own.ID).Draft.Value("seo")), "a value of the group stays")
	require.Equal(t, writing.Filled{}, fill(t, d, c, 0), "a second call changes nothing")
}

func TestFillKeepsVersionsThatItMayNotPublish(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newGroup(t, d)
	trashed := d.Create(t, c, `{"text":"t"}`, contenttest.Published(true))
	_, err := d.Writer.Trash(t.Context(), d.Actor, d.Ref(trashed), nil)
	require.NoError(t, err)
	public := d.Create(t, c, `{"text":"p"}`, contenttest.Published(true))
	d.Create(t, c, `{"text":"d"}`)
	planned := d.Create(t, c, `{"text":"s"}`, contenttest.Published(true))
	require.NoError(t, d.Stores.Schedules.Schedule(t.Context(), core.Schedule{
		ProjectID: d.Project.ID, CollectionID: c.ID, EntryID: planned.ID, Action: core.SchedulePublish, DueAt: d.Clock.Now().Add(time.Hour),
	}))
	before := d.Entry(t, public.ID)
	d.Gate.Gated = true

	require.Equal(t, writing.Filled{Changed: 4, Governed: 1, Scheduled: 1, Trashed: 1}, fill(t, d, c, 0))
	require.Nil(t, d.Entry(t, planned.ID).Published.Value("seo"))
	e := d.Entry(t, public.ID)
	require.Equal(t, string(before.Published), string(e.Published))
	require.Equal(t, before.PublishedHash, e.PublishedHash)
	require.JSONEq(t, `{"tags":[],"text":"p"}`, string(e.Draft.Value("seo")))
	require.JSONEq(t, `{"tags":[],"text":"t"}`, string(d.Entry(t, trashed.ID).Draft.Value("seo")))
	require.Empty(t, d.Gate.Submitted)
}

func TestFillGoesOnAfterTheLastEntry(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newGroup(t, d)
	for range 510 {
		d.Create(t, c, `{"text":"a"}`)
	}
	done := fill(t, d, c, 0)
	require.Equal(t, 500, done.Changed)
	require.NotZero(t, done.After)
	require.Equal(t, writing.Filled{Changed: 10}, fill(t, d, c, done.After))
}

func TestFillRefusesOtherFields(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newGroup(t, d)
	call := func(group string, fields ...string) error {
		_, err := d.Writer.Fill(t.Context(), d.Actor, d.Project, c.ID, writing.Filling{Group: group, Fields: fields})
		return err
	}
	require.ErrorIs(t, call("nothing", "text"), core.ErrNotFound)
	require.Equal(t, map[string]string{"name": "must be a group with a single item"}, contenttest.FaultsOf(t, call("text", "tags")))
	require.Equal(t, map[string]string{"fields": "is required"}, contenttest.FaultsOf(t, call("seo")))
	require.Equal(t, map[string]string{
		"fields[0]": "no such field", "fields[1]": "is not a field of the component seo",
		"fields[2]": "is another field than that of the component seo: it differs in type, multiple or targets",
		"fields[3]": "is hidden, and the group is not",
	}, contenttest.FaultsOf(t, call("seo", "none", "seo", "title", "note")))
}
