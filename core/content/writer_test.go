package content_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/content"
	"imprimatur/ports"
)

func TestCreateAppliesDefaults(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	d.committed.take()

	m := d.create(t, c, `{"title":"Héllo Wörld","note":"mine","pin":"1234"}`)

	require.Equal(t,
		`{"note":"mine","pin":"hash of 1234","related":[],"slug":"hello-world","tags":[],"title":"Héllo Wörld","views":10}`, d.draft(t, m.ID))
	require.Equal(t, "en", m.Locale)
	require.Equal(t, m.ID, m.TranslationGroup)
	require.Equal(t, content.StateDraft, m.State)
	require.Equal(t, int64(1), m.Version)
	require.Nil(t, m.PublishedAt)
	require.NotContains(t, string(m.Fields), "mine")
	require.NotContains(t, string(m.Fields), "1234")
	e := d.entry(t, m.ID)
	require.Equal(t, []time.Time{day, day}, []time.Time{e.CreatedAt, e.UpdatedAt})
	require.Equal(t, []int64{7, 7}, []int64{e.CreatedBy, e.UpdatedBy})
	require.Equal(t, []core.EventType{core.EventEntryCreated}, d.committed.take())
}

func TestNullDoesNotSelectTheDefault(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.create(t, d.articles(t), `{"title":"A","views":null,"tags":null}`)
	require.Equal(t, `{"related":[],"slug":"a","tags":[],"title":"A"}`, d.draft(t, m.ID))
}

func TestWriteFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	d.create(t, c, `{"title":"A","code":"taken"}`)

	_, err := d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t,
		`{"code":"taken","views":"many","tags":["a",1],"related":[1,99],"cover":5,"color":"red","slug":"Not A Slug"}`,
		in("xx"), of(99), at(day.Add(time.Hour))))

	require.Equal(t, map[string]string{
		"publishAt":         `goes with "published": true`,
		"locale":            "must be a locale of the project",
		"translationOf":     "no such entry of articles",
		"fields.title":      "is required",
		"fields.slug":       "must be words of a-z and 0-9 joined by single hyphens",
		"fields.views":      "must be a number",
		"fields.tags[1]":    "must be a string",
		"fields.related[1]": "no such entry of articles",
		"fields.cover":      "no such media item",
		"fields.color":      "no such field",
	}, faultsOf(t, err))

	_, err = d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"","code":"taken"}`))
	require.Equal(t, map[string]string{
		"fields.title": "is required",
		"fields.code":  "is taken by another entry",
	}, faultsOf(t, err))
}

func TestUpdateReplacesTheFieldsItNames(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.create(t, d.articles(t), `{"title":"A","code":"c","tags":["x"],"note":"n"}`)
	d.clock.now = day.Add(time.Minute)

	m = d.update(t, m, `{"code":null,"tags":["y"],"views":3}`)

	require.Equal(t, `{"note":"n","related":[],"slug":"a","tags":["y"],"title":"A","views":3}`, d.draft(t, m.ID))
	require.Equal(t, int64(2), m.Version)
	require.Equal(t, day, m.CreatedAt)
	require.Equal(t, d.clock.now, m.UpdatedAt)

	_, err := d.writer.Update(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil, writeOf(t, `{"title":null}`))
	require.Equal(t, map[string]string{"fields.title": "is required"}, faultsOf(t, err))
}

func TestNoChangeKeepsTheVersion(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.create(t, d.articles(t), `{"title":"A","views":1}`, published(true))
	d.clock.now = day.Add(time.Minute)
	again := d.update(t, m, `{"views":1.0}`, published(true))
	require.Equal(t, m, again)
}

func TestSlugsAvoidEachOther(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	var slugs []string
	for range 5 {
		m := d.create(t, c, `{"title":"Same"}`)
		slugs = append(slugs, shown(t, m.Fields, "slug")["slug"])
	}
	require.Equal(t, []string{`"same"`, `"same-2"`, `"same-3"`, `"same-4"`, `"same-5"`}, slugs)

	german := d.create(t, c, `{"title":"Same"}`, in("de"))
	require.Equal(t, `"same"`, shown(t, german.Fields, "slug")["slug"], "slugs are unique per locale")

	_, err := d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"X","slug":"same-3"}`))
	require.Equal(t, map[string]string{"fields.slug": "is taken by another entry"}, faultsOf(t, err))

	untitled := d.create(t, c, `{"title":"東京"}`)
	require.Equal(t, `null`, shown(t, untitled.Fields, "slug")["slug"])
	renamed := d.update(t, untitled, `{"title":"Tokyo"}`)
	require.Equal(t, `"tokyo"`, shown(t, renamed.Fields, "slug")["slug"])
	renamed = d.update(t, renamed, `{"title":"Kyoto"}`)
	require.Equal(t, `"tokyo"`, shown(t, renamed.Fields, "slug")["slug"], "a slug does not follow its source")
	renamed = d.update(t, renamed, `{"slug":null}`)
	require.Equal(t, `"kyoto"`, shown(t, renamed.Fields, "slug")["slug"])
}

func TestSlugsRespectTheMaximum(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	limit := 6.0
	c := d.collection(t, "posts",
		content.FieldInput{Name: "title", Type: core.TypeText},
		content.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true, Max: &limit},
	)
	first := d.create(t, c, `{"title":"Many words"}`)
	second := d.create(t, c, `{"title":"Many words"}`)
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
		d := setupWriter(t)
		c := d.collection(t, "posts",
			content.FieldInput{Name: "title", Type: core.TypeText},
			content.FieldInput{Name: "s", Type: core.TypeSlug, Source: "title", Unique: true, Required: true, Max: &limit},
		)
		var made []*content.Managed
		for _, slug := range want {
			made = append(made, d.create(t, c, `{"title":"abc"}`))
			require.Equal(t, `"`+slug+`"`, string(d.entry(t, made[len(made)-1].ID).Draft.Value("s")))
		}
		for _, incomplete := range []bool{false, true} {
			_, err := d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"abc"}`, func(w *content.Write) { w.AllowIncomplete = incomplete }))
			require.Equal(t, map[string]string{"fields.title": "all slugs that it can give s are taken: change it, or send a value for s"}, faultsOf(t, err))
		}
		last := made[len(made)/2]
		d.update(t, last, `{"s":"z"}`)
		require.Equal(t, `"`+want[len(made)/2]+`"`, string(d.entry(t, d.create(t, c, `{"title":"abc"}`).ID).Draft.Value("s")), "a number that became free")
	}
}

func TestReferencesStayInsideTheProject(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	posts := d.collection(t, "posts")
	target := d.create(t, c, `{"title":"Target"}`)
	german := d.create(t, c, `{"title":"Ziel"}`, in("de"), of(target.ID))
	post := d.create(t, posts, `{}`)
	cover := core.MediaItem{ProjectID: d.project.ID, FileName: "a"}
	require.NoError(t, d.stores.Media.Insert(t.Context(), &cover))

	other := d.newProject(t, d.project.TenantID, "fr")
	foreign := core.MediaItem{ProjectID: other.ID, FileName: "b"}
	require.NoError(t, d.stores.Media.Insert(t.Context(), &foreign))
	theirs, err := d.collections.Create(t.Context(), core.Actor{System: true}, other, content.CollectionInput{Slug: "articles", Name: "Articles"})
	require.NoError(t, err)
	stranger, err := d.writer.Create(t.Context(), d.actor, other, theirs.ID, content.Write{})
	require.NoError(t, err)

	m := d.create(t, c, fmt.Sprintf(`{"title":"A","parent":%d,"cover":%d}`, german.ID, cover.ID))
	require.Equal(t, map[string]string{"parent": fmt.Sprint(target.ID), "cover": fmt.Sprint(cover.ID)},
		shown(t, []byte(d.draft(t, m.ID)), "parent", "cover"), "a relation is stored as its group")
	trash(t, d, target)
	d.update(t, m, fmt.Sprintf(`{"parent":%d}`, target.ID))

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
			_, err := d.writer.Create(t.Context(), d.actor, d.project, m.CollectionID, writeOf(t, c.fields))
			found := faultsOf(t, err)
			require.Len(t, found, 1)
			require.Contains(t, found, c.location)
		})
	}

	_, err = d.writer.Create(t.Context(), d.actor, d.project, theirs.ID, content.Write{})
	require.ErrorIs(t, err, core.ErrNotFound, "a collection of another project")
	_, err = d.writer.Update(t.Context(), d.actor, d.project, c.ID, stranger.ID, nil, content.Write{})
	require.ErrorIs(t, err, core.ErrNotFound, "an entry of another project")
	_, err = d.writer.Update(t.Context(), d.actor, d.project, c.ID, post.ID, nil, content.Write{})
	require.ErrorIs(t, err, core.ErrNotFound, "an entry of another collection")
	_, err = d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"A"}`, of(stranger.ID), in("de")))
	require.Equal(t, map[string]string{"translationOf": "no such entry of articles"}, faultsOf(t, err))
}

func trash(t *testing.T, d *writerFixture, m *content.Managed) *content.Managed {
	t.Helper()
	m, err := d.writer.Trash(context.Background(), d.actor, d.project, m.CollectionID, m.ID, nil)
	require.NoError(t, err)
	return m
}

func TestTranslationsHaveALocaleEach(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	english := d.create(t, c, `{"title":"A","code":"x"}`)
	brazilian := d.create(t, c, `{"title":"A","code":"x"}`, in("PT-br"), of(english.ID))
	require.Equal(t, "pt-BR", brazilian.Locale)
	require.Equal(t, english.ID, brazilian.TranslationGroup)

	german := d.create(t, c, `{"title":"A"}`, in("de"), of(brazilian.ID))
	require.Equal(t, english.ID, german.TranslationGroup)
	trash(t, d, german)

	for name, c := range map[string]struct {
		write content.Write
		want  map[string]string
	}{
		"taken":     {writeOf(t, `{"title":"A"}`, in("pt-BR"), of(english.ID)), map[string]string{"locale": "the entry has a translation in this locale"}},
		"defaulted": {writeOf(t, `{"title":"A"}`, of(english.ID)), map[string]string{"locale": "the entry has a translation in this locale"}},
		"in the trash": {writeOf(t, `{"title":"A"}`, in("de"), of(english.ID)),
			map[string]string{"locale": "the entry's translation in this locale is in the trash: restore or destroy it"}},
		"of the trash": {writeOf(t, `{"title":"A"}`, in("de"), of(german.ID)), map[string]string{"translationOf": "no such entry of articles"}},
		"no locale":    {writeOf(t, `{"title":"A"}`, in("pt")), map[string]string{"locale": "must be a locale of the project"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := d.writer.Create(t.Context(), d.actor, d.project, english.CollectionID, c.write)
			require.Equal(t, c.want, faultsOf(t, err))
		})
	}

	d.update(t, english, `{"views":4}`, in("EN"), of(brazilian.ID))
	_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, english.ID, nil, writeOf(t, `{}`, in("de"), of(999)))
	require.Equal(t, map[string]string{"locale": "cannot be changed", "translationOf": "cannot be changed"}, faultsOf(t, err))
}

func TestTrashIsHiddenUntilRestoredOrDestroyed(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A","code":"x"}`, published(true))

	_, err := d.writer.Restore(t.Context(), d.actor, d.project, c.ID, m.ID, nil)
	require.ErrorIs(t, err, core.ErrConflict)
	require.ErrorIs(t, d.writer.Destroy(t.Context(), d.actor, d.project, c.ID, m.ID, nil), core.ErrConflict)

	trashed := trash(t, d, m)
	require.Equal(t, day, *trashed.TrashedAt)
	require.Equal(t, int64(2), trashed.Version)
	for name, write := range map[string]func() error{
		"update": func() error {
			_, err := d.writer.Update(context.Background(), d.actor, d.project, c.ID, m.ID, nil, content.Write{})
			return err
		},
		"publish": func() error {
			_, _, err := d.writer.Publish(context.Background(), d.actor, d.project, c.ID, m.ID, nil, core.Optional[time.Time]{}, nil)
			return err
		},
		"unpublish": func() error {
			_, err := d.writer.Unpublish(context.Background(), d.actor, d.project, c.ID, m.ID, nil)
			return err
		},
		"trash": func() error {
			_, err := d.writer.Trash(context.Background(), d.actor, d.project, c.ID, m.ID, nil)
			return err
		},
	} {
		require.ErrorIs(t, write(), core.ErrNotFound, name)
	}

	taker := d.create(t, c, `{"title":"B","code":"x"}`)
	_, err = d.writer.Restore(t.Context(), d.actor, d.project, c.ID, m.ID, nil)
	require.Contains(t, faultsOf(t, err), "fields.code")
	d.update(t, taker, `{"code":"y"}`)

	d.clock.now = day.Add(time.Hour)
	restored, err := d.writer.Restore(t.Context(), d.actor, d.project, c.ID, m.ID, nil)
	require.NoError(t, err)
	require.Nil(t, restored.TrashedAt)
	require.Equal(t, content.StatePublished, restored.State)
	require.Equal(t, d.clock.now, *restored.PublishedAt)

	trash(t, d, restored)
	require.NoError(t, d.writer.Destroy(t.Context(), d.actor, d.project, c.ID, m.ID, nil))
	_, err = d.stores.Entries.Entry(t.Context(), d.project.ID, m.ID)
	require.ErrorIs(t, err, core.ErrNotFound)
}

// TestInvalidEntriesAreRestoredAsDrafts restores an entry that lacks a value which became required.
func TestInvalidEntriesAreRestoredAsDrafts(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`, published(true))
	trash(t, d, m)
	_, err := d.updateField(t, c.ID, "code", content.FieldInput{Required: true, Unique: true})
	require.NoError(t, err)
	m, err = d.writer.Restore(t.Context(), d.actor, d.project, c.ID, m.ID, nil)
	require.NoError(t, err)
	require.Equal(t, content.StateDraft, m.State)
	require.Nil(t, d.entry(t, m.ID).Published)

	// Only the published version counts; the draft may be incomplete.
	m = d.update(t, m, `{"code":"c"}`, published(true))
	_, err = d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"code":null}`, func(w *content.Write) { w.KeepPublished, w.AllowIncomplete = true, true }))
	require.NoError(t, err)
	trash(t, d, m)
	m, err = d.writer.Restore(t.Context(), d.actor, d.project, c.ID, m.ID, nil)
	require.NoError(t, err)
	require.Equal(t, content.StatePublished, m.State)
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
	d := setupWriter(t)
	c := d.articles(t)
	stores := d.stores
	stores.Collections = fewCollections{stores.Collections, t}
	writer := content.NewWriter(stores, fewCollectionsTx{d.store, t}, d.stores.Collections, d.gate, readableHasher{}, d.clock)
	m, err := writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"A"}`))
	require.NoError(t, err)
	_, err = writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"views":1}`))
	require.NoError(t, err)
}
