package writing_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/core/schedule"
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
	done, err := d.Writer.Fill(t.Context(), d.Actor, d.Project, c.ID, writing.Filling{Field: "seo", Fields: []string{"text", "tags", "related"}, After: after})
	require.NoError(t, err)
	return done
}

func TestFillCopiesBothVersions(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newGroup(t, d)
	first := d.Create(t, c, `{"title":"First"}`)
	translation := d.Create(t, c, `{"title":"Erstes"}`, contenttest.In("de"), contenttest.Of(first.ID))
	_, err := d.Writer.Trash(t.Context(), d.Actor, d.Ref(first), nil, "")
	require.NoError(t, err)
	require.NoError(t, d.Writer.Destroy(t.Context(), d.Actor, d.Ref(first), nil, ""))
	// The relation is the group of a destroyed entry.
	one := d.Create(t, c, `{"title":"A","text":"pub","tags":["x"]}`, contenttest.Published(true))
	one = d.Update(t, one, `{"text":"new"}`, func(w *core.EntryWrite) { w.KeepPublished = true })
	related := d.Create(t, c, `{"title":"B","related":`+string(core.FormatID(translation.ID))+`}`)
	own := d.Create(t, c, `{"title":"C","text":"own","seo":{"text":"it"}}`)

	require.Equal(t, writing.Filled{Changed: 2}, fill(t, d, c, 0))
	e := d.Entry(t, one.ID)
	require.JSONEq(t, `{"text":"new","tags":["x"]}`, string(e.Draft.Value("seo")))
	require.JSONEq(t, `{"text":"pub","tags":["x"]}`, string(e.Published.Value("seo")))
	require.JSONEq(t, `"new"`, string(e.Draft.Value("text")), "the field keeps its value")
	require.Equal(t, string(d.Entry(t, related.ID).Draft.Value("related")), string(core.Document(d.Entry(t, related.ID).Draft.Value("seo")).Value("related")))
	require.JSONEq(t, `{"tags":[],"text":"it"}`, string(d.Entry(t, own.ID).Draft.Value("seo")), "a value of the group stays")
	require.Equal(t, writing.Filled{}, fill(t, d, c, 0), "a second call changes nothing")
}

// What Fill makes public is checked whole, and drafts get no group that a write of them would refuse.
func TestFillSkipsEntriesWithFaults(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newGroup(t, d)
	public := contenttest.Published(true)
	long := d.Create(t, c, `{"text":"thirteen long"}`, public)
	draft := d.Create(t, c, `{"text":"long draft"}`)
	later := d.Create(t, c, `{"text":"ok"}`, public)
	later = d.Update(t, later, `{"text":"not ok"}`, func(w *core.EntryWrite) { w.KeepPublished = true })
	earlier := d.Create(t, c, `{"text":"not ok"}`, public)
	earlier = d.Update(t, earlier, `{"text":"ok"}`, func(w *core.EntryWrite) { w.KeepPublished = true })
	fine := d.Create(t, c, `{"title":"A","text":"ok"}`, public)
	untitled := d.Create(t, c, `{"text":"ok"}`, public)
	_, err := d.Collections.ReviseField(t.Context(), d.Change(c.ID), "title", func(in definition.FieldInput) definition.FieldInput {
		in.Required = true
		return in
	})
	require.NoError(t, err)

	skipped := []*reading.Managed{long, draft, later, earlier, untitled}
	before := map[int64]core.Entry{}
	for _, m := range skipped {
		before[m.ID] = d.Entry(t, m.ID)
	}
	done := fill(t, d, c, 0)
	require.Equal(t, 1, done.Changed)
	require.JSONEq(t, `{"tags":[],"text":"ok"}`, string(d.Entry(t, fine.ID).Published.Value("seo")))
	found := map[int64]map[string]string{}
	for _, s := range done.Skipped {
		require.Equal(t, before[s.ID], d.Entry(t, s.ID))
		found[s.ID] = contenttest.Locations(&core.Error{Fields: s.Faults})
	}
	tooLong, required := "must have at most 3 characters", "is required"
	require.Equal(t, map[int64]map[string]string{
		long.ID:     {"fields.seo.text": tooLong, "fields.title": required},
		draft.ID:    {"fields.seo.text": tooLong},
		later.ID:    {"fields.seo.text": tooLong, "fields.title": required},
		earlier.ID:  {"fields.seo.text": tooLong + " in the published version", "fields.title": required},
		untitled.ID: {"fields.title": required},
	}, found)
	d.Update(t, long, `{"title":"B"}`)
}

func TestFillEndsAtTheHundredthSkippedEntry(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newGroup(t, d)
	for range 130 {
		d.Create(t, c, `{"text":"too long"}`)
	}
	d.Create(t, c, `{"text":"ok"}`)
	done := fill(t, d, c, 0)
	require.Len(t, done.Skipped, 100)
	require.Equal(t, done.Skipped[99].ID, done.After)
	done = fill(t, d, c, done.After)
	require.Len(t, done.Skipped, 30)
	require.Equal(t, 1, done.Changed)
	require.Zero(t, done.After)
}

func TestFillKeepsVersionsThatItMayNotPublish(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newGroup(t, d)
	trashed := d.Create(t, c, `{"text":"t"}`, contenttest.Published(true))
	_, err := d.Writer.Trash(t.Context(), d.Actor, d.Ref(trashed), nil, "")
	require.NoError(t, err)
	public := d.Create(t, c, `{"text":"p"}`, contenttest.Published(true))
	d.Create(t, c, `{"text":"d"}`)
	planned := d.Create(t, c, `{"text":"s"}`, contenttest.Published(true))
	require.NoError(t, d.Stores.Schedules.Schedule(t.Context(), schedule.Schedule{
		ProjectID: d.Project.ID, CollectionID: c.ID, EntryID: planned.ID, Action: schedule.Publish, DueAt: d.Clock.Now().Add(time.Hour),
	}))
	before := d.Entry(t, public.ID)
	d.Govern(t, true)

	require.Equal(t, writing.Filled{Changed: 4, Governed: []int64{public.ID}, Scheduled: 1, Trashed: 1}, fill(t, d, c, 0))
	require.Nil(t, d.Entry(t, planned.ID).Published.Value("seo"))
	e := d.Entry(t, public.ID)
	require.Equal(t, string(before.Published), string(e.Published))
	require.Equal(t, before.PublishedHash, e.PublishedHash)
	require.JSONEq(t, `{"tags":[],"text":"p"}`, string(e.Draft.Value("seo")))
	require.JSONEq(t, `{"tags":[],"text":"t"}`, string(d.Entry(t, trashed.ID).Draft.Value("seo")))
	require.Empty(t, d.Submitted(t))
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
		_, err := d.Writer.Fill(t.Context(), d.Actor, d.Project, c.ID, writing.Filling{Field: group, Fields: fields})
		return err
	}
	require.ErrorIs(t, call("nothing", "text"), core.ErrNotFound)
	_, err := d.Writer.Fill(t.Context(), d.Actor, d.Project, c.ID, writing.Filling{Field: "seo", Fields: []string{"text"}, After: -1})
	require.Equal(t, map[string]string{"after": "must not be negative"}, contenttest.FaultsOf(t, err))
	require.Equal(t, map[string]string{"fields[0]": "has several values, and text one"}, contenttest.FaultsOf(t, call("text", "tags")))
	require.Equal(t, map[string]string{"fields": "is required"}, contenttest.FaultsOf(t, call("seo")))
	require.Equal(t, map[string]string{
		"fields[0]": "no such field", "fields[1]": "is the field itself",
		"fields[2]": "is another field than that of the component seo: it differs in type, multiple or targets",
		"fields[3]": "is hidden, and the group is not",
	}, contenttest.FaultsOf(t, call("seo", "none", "seo", "title", "note")))
}

// Fill converts values, and a value that its field does not admit is a fault of the entry.
func TestFillConvertsValues(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "articles",
		definition.FieldInput{Name: "title", Type: core.TypeText}, definition.FieldInput{Name: "body", Type: core.TypeLongText},
		definition.FieldInput{Name: "views", Type: core.TypeNumber}, definition.FieldInput{Name: "tags", Type: core.TypeText, Multiple: true},
		definition.FieldInput{Name: "of", Type: core.TypeRelation, Collection: "articles"}, definition.FieldInput{Name: "day", Type: core.TypeDate},
	)
	one := d.Create(t, c, `{"title":"A & \"B\"","body":"One <b>\nline\n\n\nTwo\n","views":1e21,"tags":["a","<b>"],"day":"2026-01-02"}`, contenttest.Published(true))
	two := d.Create(t, c, `{"title":"B","views":-0.5,"of":`+string(core.FormatID(one.ID))+`}`)
	d.Create(t, c, `{}`)
	for i, test := range []struct {
		to   definition.FieldInput
		from string
		want string // of one, or of two if it has none
	}{
		{definition.FieldInput{Type: core.TypeLongText}, "title", `"A & \"B\""`},
		{definition.FieldInput{Type: core.TypeRichText}, "title", `"<p>A &amp; &#34;B&#34;</p>"`},
		{definition.FieldInput{Type: core.TypeRichText}, "body", `"<p>One &lt;b&gt;<br>line</p><p>Two</p>"`},
		{definition.FieldInput{Type: core.TypeText}, "views", `"1e+21"`},
		{definition.FieldInput{Type: core.TypeLongText, Multiple: true}, "views", `["1e+21"]`},
		{definition.FieldInput{Type: core.TypeText}, "day", `"2026-01-02"`},
		{definition.FieldInput{Type: core.TypeDate, Multiple: true}, "day", `["2026-01-02"]`},
		{definition.FieldInput{Type: core.TypeText, Multiple: true}, "title", `["A & \"B\""]`},
		{definition.FieldInput{Type: core.TypeRichText, Multiple: true}, "tags", `["<p>a</p>","<p>&lt;b&gt;</p>"]`},
		{definition.FieldInput{Type: core.TypeRelation, Collection: "articles", Multiple: true}, "of", `[` + string(core.FormatID(d.Entry(t, one.ID).Group)) + `]`},
		{definition.FieldInput{Type: core.TypeRelation, Collections: []string{"articles"}}, "of", string(core.FormatID(d.Entry(t, one.ID).Group))},
	} {
		test.to.Name = "next" + strconv.Itoa(i)
		_, err := d.Collections.AddField(t.Context(), d.Change(c.ID), test.to)
		require.NoError(t, err)
		filling := writing.Filling{Field: test.to.Name, Fields: []string{test.from}}
		done, err := d.Writer.Fill(t.Context(), d.Actor, d.Project, c.ID, filling)
		require.NoError(t, err)
		require.Empty(t, done.Skipped, test.from)
		require.NotZero(t, done.Changed)
		e := d.Entry(t, one.ID)
		if test.from == "of" {
			e = d.Entry(t, two.ID)
		} else {
			require.Equal(t, string(e.Draft.Value(test.to.Name)), string(e.Published.Value(test.to.Name)))
		}
		require.Equal(t, test.want, string(e.Draft.Value(test.to.Name)))
		done, err = d.Writer.Fill(t.Context(), d.Actor, d.Project, c.ID, filling)
		require.NoError(t, err)
		require.Equal(t, writing.Filled{}, done, "a second call changes nothing")
	}
}

// What a field does not admit stays out of it, with the faults of the entry.
func TestFillSkipsValuesThatAFieldDoesNotAdmit(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "articles",
		definition.FieldInput{Name: "body", Type: core.TypeLongText}, definition.FieldInput{Name: "line", Type: core.TypeText, Max: new(3.0)},
		definition.FieldInput{Name: "tags", Type: core.TypeText, Multiple: true}, definition.FieldInput{Name: "note", Type: core.TypeText, Hidden: true},
		definition.FieldInput{Name: "on", Type: core.TypeBoolean}, definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true},
		definition.FieldInput{Name: "secret", Type: core.TypePassword},
	)
	d.Create(t, c, `{"body":"ok"}`)
	long := d.Create(t, c, `{"body":"long"}`)
	fill := func(to string, from ...string) (writing.Filled, error) {
		return d.Writer.Fill(t.Context(), d.Actor, d.Project, c.ID, writing.Filling{Field: to, Fields: from})
	}
	done, err := fill("line", "body")
	require.NoError(t, err)
	require.Equal(t, writing.Filled{Changed: 1, Skipped: []writing.Skipped{{
		ID: long.ID, Faults: []core.FieldError{{Location: "fields.line", Message: "must have at most 3 characters", Value: json.RawMessage(`"long"`)}},
	}}}, done)
	for _, test := range []struct {
		to     string
		from   []string
		faults map[string]string
	}{
		{"line", []string{"tags"}, map[string]string{"fields[0]": "has several values, and line one"}},
		{"line", []string{"note"}, map[string]string{"fields[0]": "is hidden, and line is not"}},
		{"line", []string{"on"}, map[string]string{"fields[0]": "is of the type boolean, which cannot become text"}},
		{"on", []string{"line"}, map[string]string{"fields[0]": "is of the type text, which cannot become boolean"}},
		{"line", []string{"line"}, map[string]string{"fields[0]": "is the field itself"}},
		{"line", []string{"secret"}, map[string]string{"fields[0]": "is a password, which cannot be copied"}},
		{"secret", []string{"line"}, map[string]string{"name": "is a password, which no value can be copied into", "fields[0]": "is of the type text, which cannot become password"}},
		{"code", []string{"line"}, map[string]string{"name": "is unique: fill the field first, then make it unique"}},
		{"line", []string{"body", "note"}, map[string]string{"fields": "must name one field", "fields[1]": "is hidden, and line is not"}},
		{"line", nil, map[string]string{"fields": "is required"}},
	} {
		_, err := fill(test.to, test.from...)
		require.Equal(t, test.faults, contenttest.FaultsOf(t, err))
	}
}
