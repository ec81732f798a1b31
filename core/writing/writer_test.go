package writing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/slug"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

func TestCreateAppliesDefaults(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	d.Committed.Take()

	m := d.Create(t, c, `{"title":"Héllo Wörld","note":"mine","pin":"1234"}`)

	require.Equal(t,
		`{"note":"mine","pin":"hash of 1234","related":[],"slug":"hello-world","tags":[],"title":"Héllo Wörld","views":10}`, d.Draft(t, m.ID))
	require.Equal(t, "en", m.Locale)
	require.Equal(t, m.ID, m.TranslationGroup)
	require.Equal(t, reading.StateDraft, m.State)
	require.Equal(t, int64(1), m.Version)
	require.Nil(t, m.PublishedAt)
	require.NotContains(t, string(m.Fields), "mine")
	require.NotContains(t, string(m.Fields), "1234")
	e := d.Entry(t, m.ID)
	require.Equal(t, []time.Time{contenttest.Day, contenttest.Day}, []time.Time{e.CreatedAt, e.UpdatedAt})
	require.Equal(t, []int64{7, 7}, []int64{e.CreatedBy, e.UpdatedBy})
	require.Equal(t, []event.Type{event.EntryCreated}, d.Committed.Take())
}

func TestNullDoesNotSelectTheDefault(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := d.Create(t, d.Articles(t), `{"title":"A","views":null,"tags":null}`)
	require.Equal(t, `{"related":[],"slug":"a","tags":[],"title":"A"}`, d.Draft(t, m.ID))
}

func TestWriteFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	d.Create(t, c, `{"title":"A","code":"taken"}`)

	_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t,
		`{"code":"taken","views":"many","tags":["a",1],"related":[1,99],"cover":5,"color":"red","slug":"Not A Slug"}`,
		contenttest.In("xx"), contenttest.Of(99), contenttest.At(contenttest.Day.Add(time.Hour))))

	require.Equal(t, map[string]string{
		"publishAt":         `goes with "published": true`,
		"locale":            "must be a locale of the project",
		"translationOf":     "no such entry of articles",
		"fields.title":      "is required",
		"fields.slug":       "must consist of a-z, 0-9, - and _",
		"fields.views":      "must be a number",
		"fields.tags[1]":    "must be a string",
		"fields.related[1]": "no such entry of articles",
		"fields.cover":      "no such media item",
		"fields.color":      "no such field",
	}, contenttest.FaultsOf(t, err))

	_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"","code":"taken"}`))
	require.Equal(t, map[string]string{
		"fields.title": "is required",
		"fields.code":  "is taken by another entry",
	}, contenttest.FaultsOf(t, err))
}

func TestUpdateReplacesTheFieldsItNames(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := d.Create(t, d.Articles(t), `{"title":"A","code":"c","tags":["x"],"note":"n"}`)
	d.Clock.Time = contenttest.Day.Add(time.Minute)

	m = d.Update(t, m, `{"code":null,"tags":["y"],"views":3}`)

	require.Equal(t, `{"note":"n","related":[],"slug":"a","tags":["y"],"title":"A","views":3}`, d.Draft(t, m.ID))
	require.Equal(t, int64(2), m.Version)
	require.Equal(t, contenttest.Day, m.CreatedAt)
	require.Equal(t, d.Clock.Time, m.UpdatedAt)

	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":null}`))
	require.Equal(t, map[string]string{"fields.title": "is required"}, contenttest.FaultsOf(t, err))
}

func TestNoChangeKeepsTheVersion(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := d.Create(t, d.Articles(t), `{"title":"A","views":1}`, contenttest.Published(true))
	d.Clock.Time = contenttest.Day.Add(time.Minute)
	again := d.Update(t, m, `{"views":1.0}`, contenttest.Published(true))
	require.Equal(t, m, again)
}

func incompleteDraft(w *core.EntryWrite) { w.AllowIncomplete = true }

func TestSlugsFollowTheirStyleAndLocale(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "guides",
		definition.FieldInput{Name: "title", Type: core.TypeText},
		definition.FieldInput{Name: "plain", Type: core.TypeSlug, Source: "title", Unique: true, Max: new(12.0)},
		definition.FieldInput{Name: "own", Type: core.TypeSlug, Source: "title", Unique: true, Max: new(12.0), Style: slug.Unicode},
	)
	slugs := func(m *reading.Managed) string {
		values := contenttest.Values(t, m.Fields, "plain", "own")
		return values["plain"] + " " + values["own"]
	}
	require.Equal(t, `"groesse" "größe"`, slugs(d.Create(t, c, `{"title":"Größe"}`, contenttest.In("de"))))
	require.Equal(t, `"grosse" "größe"`, slugs(d.Create(t, c, `{"title":"Größe"}`)))
	second := d.Create(t, c, `{"title":"Größe"}`)
	require.Equal(t, `"grosse-2" "größe-2"`, slugs(second))
	require.Equal(t, []string{"plain", "own"}, second.Derived)
	require.Equal(t, `"privet-mir" "привет-мир"`, slugs(d.Create(t, c, `{"title":"Привет, мир"}`)))
	require.Equal(t, `"privet-mir-i" "привет-мир-и"`, slugs(d.Create(t, c, `{"title":"Привет, мир и другие"}`)), "cut between characters")
	require.Equal(t, `null null`, slugs(d.Create(t, c, `{"title":"  "}`)), "a blank title gives no slug, and no fault")
}

// TestBlankUniqueValues checks that values that show nothing are stored as written and do not collide,
// also when the field becomes unique later.
func TestBlankUniqueValues(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Collection(t, "notes",
		definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true}, definition.FieldInput{Name: "name", Type: core.TypeText},
		definition.FieldInput{Name: "body", Type: core.TypeRichText, Required: true},
	)
	for _, blank := range []string{`""`, `"  "`, `"\u00a0"`, `"\u200b\u3000\u202e"`} {
		for range 2 {
			m := d.Create(t, c, `{"body":"<p>a</p>","code":`+blank+`,"name":`+blank+`}`, contenttest.Published(true))
			var written, stored string
			require.NoError(t, json.Unmarshal([]byte(blank), &written))
			require.NoError(t, json.Unmarshal(d.Entry(t, m.ID).Draft.Value("code"), &stored))
			require.Equal(t, written, stored)
		}
	}
	_, err := d.UpdateField(t, c.ID, "name", definition.FieldInput{Name: "name", Type: core.TypeText, Unique: true})
	require.NoError(t, err)
	for _, blank := range []string{`""`, `"<p></p>"`, `"<p>&nbsp;</p>"`, `"<p> <br></p>"`} {
		_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"body":`+blank+`}`))
		require.Equal(t, map[string]string{"fields.body": "is required"}, contenttest.FaultsOf(t, err), blank)
	}
	for _, shown := range []string{`"<p><img src=\"https://example.org/a.png\" alt=\"\"></p>"`, `"<table><tr><td></td></tr></table>"`, `"<hr>"`, `"<p>.</p>"`} {
		d.Create(t, c, `{"body":`+shown+`}`)
	}
}

func TestSlugsAvoidEachOther(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	var slugs []string
	for range 5 {
		m := d.Create(t, c, `{"title":"Same"}`)
		slugs = append(slugs, contenttest.Values(t, m.Fields, "slug")["slug"])
	}
	require.Equal(t, []string{`"same"`, `"same-2"`, `"same-3"`, `"same-4"`, `"same-5"`}, slugs)

	german := d.Create(t, c, `{"title":"Same"}`, contenttest.In("de"))
	require.Equal(t, `"same"`, contenttest.Values(t, german.Fields, "slug")["slug"], "slugs are unique per locale")

	_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"X","slug":"same-3"}`))
	require.Equal(t, map[string]string{"fields.slug": "is taken by another entry"}, contenttest.FaultsOf(t, err))

	untitled := d.Create(t, c, `{"title":"🎉"}`, incompleteDraft)
	require.Equal(t, `null`, contenttest.Values(t, untitled.Fields, "slug")["slug"])
	require.Empty(t, untitled.Derived)
	_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"🎉"}`))
	require.Equal(t, map[string]string{"fields.slug": `cannot be derived from "title": enter one`}, contenttest.FaultsOf(t, err))
	renamed := d.Update(t, untitled, `{"title":"Tokyo"}`)
	require.Equal(t, []string{"slug"}, renamed.Derived)
	require.Equal(t, `"tokyo"`, contenttest.Values(t, renamed.Fields, "slug")["slug"])
	renamed = d.Update(t, renamed, `{"title":"Kyoto"}`)
	require.Empty(t, renamed.Derived)
	require.Equal(t, `"tokyo"`, contenttest.Values(t, renamed.Fields, "slug")["slug"], "a slug does not follow its source")
	renamed = d.Update(t, renamed, `{"slug":null}`)
	require.Equal(t, `"kyoto"`, contenttest.Values(t, renamed.Fields, "slug")["slug"])
}

func TestSlugsRespectTheMaximum(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	limit := 6.0
	c := d.Collection(t, "posts",
		definition.FieldInput{Name: "title", Type: core.TypeText},
		definition.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true, Max: &limit},
	)
	first := d.Create(t, c, `{"title":"Many words"}`)
	second := d.Create(t, c, `{"title":"Many words"}`)
	require.Equal(t, `{"title":"Many words","slug":"many-w"}`, string(first.Fields))
	require.Equal(t, `{"title":"Many words","slug":"many-2"}`, string(second.Fields))
}

// TestShortSlugsRunOut creates as many entries of one title as there are slugs.
func TestShortSlugsRunOut(t *testing.T) {
	t.Parallel()
	for limit, want := range map[float64][]string{
		1: {"a"},
		2: {"ab"},
		3: {"abc", "a-2", "a-3", "a-4", "a-5", "a-6", "a-7", "a-8", "a-9"},
	} {
		d := contenttest.New(t)
		c := d.Collection(t, "posts",
			definition.FieldInput{Name: "title", Type: core.TypeText},
			definition.FieldInput{Name: "s", Type: core.TypeSlug, Source: "title", Unique: true, Required: true, Max: &limit},
		)
		var made []*reading.Managed
		for _, slug := range want {
			made = append(made, d.Create(t, c, `{"title":"abc"}`))
			require.Equal(t, `"`+slug+`"`, string(d.Entry(t, made[len(made)-1].ID).Draft.Value("s")))
		}
		for _, incomplete := range []bool{false, true} {
			_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"abc"}`, func(w *core.EntryWrite) { w.AllowIncomplete = incomplete }))
			require.Equal(t, map[string]string{"fields.title": "all slugs that it can give s are taken: change it, or send a value for s"}, contenttest.FaultsOf(t, err))
		}
		last := made[len(made)/2]
		d.Update(t, last, `{"s":"z"}`)
		require.Equal(t, `"`+want[len(made)/2]+`"`, string(d.Entry(t, d.Create(t, c, `{"title":"abc"}`).ID).Draft.Value("s")), "a number that became free")
	}
}

func TestReferencesStayInsideTheProject(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	posts := d.Collection(t, "posts")
	target := d.Create(t, c, `{"title":"Target"}`)
	german := d.Create(t, c, `{"title":"Ziel"}`, contenttest.In("de"), contenttest.Of(target.ID))
	post := d.Create(t, posts, `{}`)
	cover := core.MediaItem{CreatedAt: contenttest.Day, UpdatedAt: contenttest.Day, ProjectID: d.Project.ID, FileName: "a"}
	require.NoError(t, d.Stores.Media.Insert(t.Context(), &cover))

	other := d.NewProject(t, d.Project.TenantID, "fr")
	foreign := core.MediaItem{CreatedAt: contenttest.Day, UpdatedAt: contenttest.Day, ProjectID: other.ID, FileName: "b"}
	require.NoError(t, d.Stores.Media.Insert(t.Context(), &foreign))
	theirs, err := d.Collections.Create(t.Context(), core.Actor{System: true}, other, definition.CollectionInput{Slug: "articles", Name: "Articles"})
	require.NoError(t, err)
	stranger, err := d.Writer.Create(t.Context(), d.Actor, other, theirs.ID, core.EntryWrite{})
	require.NoError(t, err)

	m := d.Create(t, c, fmt.Sprintf(`{"title":"A","parent":%d,"cover":%d}`, german.ID, cover.ID))
	require.Equal(t, map[string]string{"parent": fmt.Sprint(target.ID), "cover": fmt.Sprint(cover.ID)},
		contenttest.Values(t, []byte(d.Draft(t, m.ID)), "parent", "cover"), "a relation is stored as its group")
	trash(t, d, target)
	d.Update(t, m, fmt.Sprintf(`{"parent":%d}`, target.ID))

	for name, c := range map[string]struct{ fields, location string }{
		"another project's entry":  {fmt.Sprintf(`{"title":"A","parent":%d}`, stranger.ID), "fields.parent"},
		"another collection's":     {fmt.Sprintf(`{"title":"A","parent":%d}`, post.ID), "fields.parent"},
		"an unknown entry":         {`{"title":"A","parent":999}`, "fields.parent"},
		"another project's medium": {fmt.Sprintf(`{"title":"A","cover":%d}`, foreign.ID), "fields.cover"},
		"the same entry twice":     {fmt.Sprintf(`{"title":"A","related":[%d,%d]}`, m.ID, m.ID), "fields.related[1]"},
		"one group twice":          {fmt.Sprintf(`{"title":"A","related":[%d,%d]}`, target.ID, german.ID), "fields.related[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, m.CollectionID, contenttest.WriteOf(t, c.fields))
			found := contenttest.FaultsOf(t, err)
			require.Len(t, found, 1)
			require.Contains(t, found, c.location)
		})
	}

	_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, theirs.ID, core.EntryWrite{})
	require.ErrorIs(t, err, core.ErrNotFound, "a collection of another project")
	_, err = d.Writer.Update(t.Context(), d.Actor, review.EntryRef{Project: d.Project, CollectionID: c.ID, ID: stranger.ID}, nil, core.EntryWrite{})
	require.ErrorIs(t, err, core.ErrNotFound, "an entry of another project")
	_, err = d.Writer.Update(t.Context(), d.Actor, review.EntryRef{Project: d.Project, CollectionID: c.ID, ID: post.ID}, nil, core.EntryWrite{})
	require.ErrorIs(t, err, core.ErrNotFound, "an entry of another collection")
	_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"A"}`, contenttest.Of(stranger.ID), contenttest.In("de")))
	require.Equal(t, map[string]string{"translationOf": "no such entry of articles"}, contenttest.FaultsOf(t, err))
}

func trash(t *testing.T, d *contenttest.Fixture, m *reading.Managed) *reading.Managed {
	t.Helper()
	w, err := d.Writer.Trash(context.Background(), d.Actor, d.Ref(m), nil, "")
	require.NoError(t, err)
	return d.Show(t, w)
}

func TestTranslationsHaveALocaleEach(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	english := d.Create(t, c, `{"title":"A","code":"x"}`)
	brazilian := d.Create(t, c, `{"title":"A","code":"x"}`, contenttest.In("PT-br"), contenttest.Of(english.ID))
	require.Equal(t, "pt-BR", brazilian.Locale)
	require.Equal(t, english.ID, brazilian.TranslationGroup)

	german := d.Create(t, c, `{"title":"A"}`, contenttest.In("de"), contenttest.Of(brazilian.ID))
	require.Equal(t, english.ID, german.TranslationGroup)
	trash(t, d, german)

	for name, c := range map[string]struct {
		write core.EntryWrite
		want  map[string]string
	}{
		"taken":     {contenttest.WriteOf(t, `{"title":"A"}`, contenttest.In("pt-BR"), contenttest.Of(english.ID)), map[string]string{"locale": "the entry has a translation in this locale"}},
		"defaulted": {contenttest.WriteOf(t, `{"title":"A"}`, contenttest.Of(english.ID)), map[string]string{"locale": "the entry has a translation in this locale"}},
		"in the trash": {contenttest.WriteOf(t, `{"title":"A"}`, contenttest.In("de"), contenttest.Of(english.ID)),
			map[string]string{"locale": "the entry's translation in this locale is in the trash: restore or destroy it"}},
		"of the trash": {contenttest.WriteOf(t, `{"title":"A"}`, contenttest.In("de"), contenttest.Of(german.ID)), map[string]string{"translationOf": "no such entry of articles"}},
		"no locale":    {contenttest.WriteOf(t, `{"title":"A"}`, contenttest.In("pt")), map[string]string{"locale": "must be a locale of the project"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, english.CollectionID, c.write)
			require.Equal(t, c.want, contenttest.FaultsOf(t, err))
		})
	}

	d.Update(t, english, `{"views":4}`, contenttest.In("EN"), contenttest.Of(brazilian.ID))
	_, err := d.Writer.Update(t.Context(), d.Actor, review.EntryRef{Project: d.Project, CollectionID: c.ID, ID: english.ID}, nil, contenttest.WriteOf(t, `{}`, contenttest.In("de"), contenttest.Of(999)))
	require.Equal(t, map[string]string{"locale": "cannot be changed", "translationOf": "cannot be changed"}, contenttest.FaultsOf(t, err))
}

func TestTrashIsHiddenUntilRestoredOrDestroyed(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A","code":"x"}`, contenttest.Published(true))

	_, err := d.Writer.Restore(t.Context(), d.Actor, d.Ref(m), nil)
	require.ErrorIs(t, err, core.ErrConflict)
	require.ErrorIs(t, d.Writer.Destroy(t.Context(), d.Actor, d.Ref(m), nil, ""), core.ErrConflict)

	trashed := trash(t, d, m)
	require.Equal(t, contenttest.Day, *trashed.TrashedAt)
	require.Equal(t, int64(2), trashed.Version)
	for name, write := range map[string]func() error{
		"update": func() error {
			_, err := d.Writer.Update(context.Background(), d.Actor, d.Ref(m), nil, core.EntryWrite{})
			return err
		},
		"publish": func() error {
			_, err := d.Writer.Publish(context.Background(), d.Actor, d.Ref(m), writing.Publication{}, nil)
			return err
		},
		"unpublish": func() error {
			_, err := d.Writer.Unpublish(context.Background(), d.Actor, d.Ref(m), nil, "")
			return err
		},
		"trash": func() error {
			_, err := d.Writer.Trash(context.Background(), d.Actor, d.Ref(m), nil, "")
			return err
		},
	} {
		require.ErrorIs(t, write(), core.ErrNotFound, name)
	}

	taker := d.Create(t, c, `{"title":"B","code":"x"}`)
	_, err = d.Writer.Restore(t.Context(), d.Actor, d.Ref(m), nil)
	require.Contains(t, contenttest.FaultsOf(t, err), "fields.code")
	d.Update(t, taker, `{"code":"y"}`)

	d.Clock.Time = contenttest.Day.Add(time.Hour)
	restored := d.Restore(t, m)
	require.Nil(t, restored.TrashedAt)
	require.Equal(t, reading.StatePublished, restored.State)
	require.Equal(t, d.Clock.Time, *restored.PublishedAt)

	trash(t, d, restored)
	require.NoError(t, d.Writer.Destroy(t.Context(), d.Actor, d.Ref(m), nil, ""))
	_, err = d.Stores.Entries.Entry(t.Context(), d.Project.ID, m.ID)
	require.ErrorIs(t, err, core.ErrNotFound)
}

// TestInvalidEntriesAreRestoredAsDrafts restores an entry that lacks a value which became required.
func TestInvalidEntriesAreRestoredAsDrafts(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`, contenttest.Published(true))
	trash(t, d, m)
	_, err := d.UpdateField(t, c.ID, "code", definition.FieldInput{Required: true, Unique: true})
	require.NoError(t, err)
	m = d.Restore(t, m)
	require.Equal(t, reading.StateDraft, m.State)
	require.Nil(t, d.Entry(t, m.ID).Published)

	// Only the published version counts; the draft may be incomplete.
	m = d.Update(t, m, `{"code":"c"}`, contenttest.Published(true))
	_, err = d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"code":null}`, func(w *core.EntryWrite) { w.KeepPublished, w.AllowIncomplete = true, true }))
	require.NoError(t, err)
	trash(t, d, m)
	m = d.Restore(t, m)
	require.Equal(t, reading.StatePublished, m.State)
}

// fewCollections fails the test when all collections of a project are read.
type fewCollections struct {
	ports.CollectionStore
	t *testing.T
}

func (c fewCollections) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	c.t.Error("all collections of the project are read")
	return c.CollectionStore.Collections(ctx, projectID)
}

type fewCollectionsTx struct {
	ports.Tx
	t *testing.T
}

func (x fewCollectionsTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return x.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Collections = fewCollections{stores.Collections, x.t}
		return do(ctx, stores)
	})
}

// The cost of a write does not depend on the number of collections.
func TestWritesReadOnlyRelatedCollections(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	stores := d.Stores
	stores.Collections = fewCollections{stores.Collections, t}
	writer := writing.NewWriter(stores, fewCollectionsTx{d.Store, t}, d.Stores.Collections, d.Approval, d.Publisher, contenttest.Hasher{})
	m, err := writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"A"}`))
	require.NoError(t, err)
	_, err = writer.Update(t.Context(), d.Actor, d.Ref(d.Show(t, m)), nil, contenttest.WriteOf(t, `{"views":1}`))
	require.NoError(t, err)
}
