package reading_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/reading"
	"imprimatur/ports"
)

// follower keeps a copy of the content of a readerFixture.
type follower struct {
	*readerFixture

	changes *reading.Changes
	query   reading.ChangesQuery
	entries map[int64]string // JSON by id
	library map[int64]string // file names by id
	pages   int
}

func follow(l *readerFixture, limit int64) *follower {
	return &follower{
		readerFixture: l, changes: reading.NewChanges(l.stores, "https://files.example"), query: reading.ChangesQuery{Limit: &limit},
		entries: map[int64]string{}, library: map[int64]string{},
	}
}

// page reads a page and applies it. It checks that each thing is in it once.
func (f *follower) page(t testing.TB) *reading.ChangesPage {
	t.Helper()
	page, err := f.changes.Page(context.Background(), f.project, f.query)
	require.NoError(t, err)
	require.LessOrEqual(t, int64(len(page.Changes)), *f.query.Limit)
	seen := map[string]bool{}
	for _, c := range page.Changes {
		thing := fmt.Sprint(c.Media != nil || c.Op == reading.ChangeMediaDeleted, c.Op == reading.ChangeReset, c.ID, c.Collection)
		require.False(t, seen[thing], "%s is twice in a page", thing)
		seen[thing] = true
		switch c.Op {
		case reading.ChangePut:
			f.entries[c.ID] = string(c.Entry)
		case reading.ChangeDelete:
			delete(f.entries, c.ID)
		case reading.ChangeMedia:
			f.library[c.ID] = c.Media.FileName
		case reading.ChangeMediaDeleted:
			delete(f.library, c.ID)
		}
	}
	f.query.Since = page.Next
	f.pages++
	return page
}

// all reads pages until there is no more, and returns the changes.
func (f *follower) all(t testing.TB) (changes []reading.PublicChange) {
	t.Helper()
	for range 1000 {
		page := f.page(t)
		changes = append(changes, page.Changes...)
		if !page.HasMore {
			return changes
		}
	}
	require.Fail(t, "there is always more")
	return nil
}

func ops(changes []reading.PublicChange) []string {
	list := []string{}
	for _, c := range changes {
		list = append(list, fmt.Sprintf("%s %d%s", c.Op, c.ID, c.Collection))
	}
	return list
}

func (l *readerFixture) rewrite(t testing.TB, c *core.Collection, e *core.Entry, change func(*core.Entry)) {
	t.Helper()
	e.Version++
	change(e)
	require.NoError(t, l.stores.Entries.Update(context.Background(), l.schema(t, c), e))
}

func released(document string) func(*core.Entry) {
	return func(e *core.Entry) {
		e.Draft, e.Published, e.ReleasedAt = core.Document(document), core.Document(document), e.ReleasedAt.Add(time.Second)
	}
}

func TestChangesFromTheBeginning(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	a := l.add(t, l.articles, `{"title":"A","secretNote":"canary"}`)
	l.add(t, l.articles, `{"title":"draft canary"}`, unpublished)
	l.add(t, l.articles, `{"title":"trashed canary"}`, trashed)
	fr := l.add(t, l.articles, `{"title":"Fr"}`, translated(a, "fr"), drafted(`{"title":"unpublished canary"}`))
	c := l.add(t, l.countries, `{"name":"Peru","code":"canary"}`)
	m, n := l.medium(t, "a.txt"), l.medium(t, "b.txt")
	for _, limit := range []int64{1, 2, 3, 4, 5, 6, 500} {
		f := follow(l, limit)
		changes := f.all(t)
		assert.ElementsMatch(t, []string{
			fmt.Sprintf("put %darticles", a.ID), fmt.Sprintf("put %darticles", fr.ID), fmt.Sprintf("put %dcountries", c.ID), fmt.Sprintf("media %d", m.ID), fmt.Sprintf("media %d", n.ID),
		}, ops(changes))
		for _, change := range changes {
			assert.NotContains(t, string(change.Entry), "canary")
		}
		assert.Equal(t, f.entries[fr.ID][:len(`{"id":4,"locale":"fr","publishedAt":"2026-01-02T03:04:05.006Z","title":"Fr",`)], fmt.Sprintf(`{"id":%d,"locale":"fr","publishedAt":"2026-01-02T03:04:05.006Z","title":"Fr",`, fr.ID))
		before := f.query.Since
		assert.Empty(t, f.all(t))
		assert.Equal(t, before, f.query.Since, "the cursor changes although nothing has changed")
	}
}

func TestChangesAfterwards(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	a := l.add(t, l.articles, `{"title":"A"}`)
	m := l.medium(t, "a.txt")
	f := follow(l, 100)
	f.all(t)
	steps := []struct {
		name   string
		change func()
		want   []string
	}{
		{"a draft", func() { l.rewrite(t, l.articles, a, drafted(`{"title":"canary"}`)) }, []string{}},
		{"a new draft that goes to the trash", func() {
			d := l.add(t, l.articles, `{"title":"canary"}`, unpublished)
			l.rewrite(t, l.articles, d, trashed)
			require.NoError(t, l.stores.Entries.Destroy(t.Context(), l.schema(t, l.articles), d.ID, ""))
		}, []string{}},
		{"a publication", func() { l.rewrite(t, l.articles, a, released(`{"title":"B"}`)) }, []string{"put 1articles"}},
		{"two publications and an item", func() {
			l.rewrite(t, l.articles, a, released(`{"title":"C"}`))
			require.NoError(t, l.stores.Media.Update(t.Context(), &m))
			l.rewrite(t, l.articles, a, released(`{"title":"D"}`))
		}, []string{"put 1articles", "media 1"}},
		{"to the trash", func() { l.rewrite(t, l.articles, a, trashed) }, []string{"delete 1articles"}},
		{"out of the trash", func() { l.rewrite(t, l.articles, a, func(e *core.Entry) { e.TrashedAt = time.Time{} }) }, []string{"put 1articles"}},
		{"unpublished", func() { l.rewrite(t, l.articles, a, unpublished) }, []string{"delete 1articles"}},
		{"a deleted item", func() { require.NoError(t, l.stores.Media.Delete(t.Context(), l.project.ID, m.ID)) }, []string{"mediaDeleted 1"}},
		{"a kept item", func() {
			kept := l.medium(t, "kept.txt")
			require.NoError(t, l.stores.Media.Keep(t.Context(), l.project.ID, kept.ID))
		}, []string{"mediaDeleted 2"}},
	}
	for _, s := range steps {
		since := f.query.Since
		s.change()
		named, err := f.changes.Names(t.Context(), l.project, since, 10)
		require.NoError(t, err)
		assert.Equal(t, s.want, ops(named.Changes), s.name)
		assert.False(t, named.More)
		assert.NotContains(t, fmt.Sprintf("%+v", named.Changes), "canary", s.name)
		assert.Equal(t, s.want, ops(f.all(t)), s.name)
		f.query.Since = named.Next // both cursors are the same position
		assert.Empty(t, f.all(t), s.name)
	}
}

// An entry depends on nothing but itself.
func TestChangesShowEntriesAlone(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	several := l.collection(t, "pages", &core.Field{Name: "title", Type: core.TypeSlug},
		&core.Field{Name: "see", Type: core.TypeRelation, Collections: []string{"articles", "countries"}, Multiple: true},
		&core.Field{Name: "body", Type: core.TypeRichText}, &core.Field{Name: "cover", Type: core.TypeMedia})
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	draft := l.add(t, l.articles, `{"title":"D"}`, unpublished)
	slugged := l.add(t, several, `{"title":"slugged"}`)
	m := l.medium(t, "m.txt")
	body := fmt.Sprintf(`"<p><a data-entry=\"%d\">x</a><a data-entry=\"99\">y</a><img data-media=\"%d\"></p>"`, slugged.ID, m.ID)
	article := l.add(t, l.articles, fmt.Sprintf(`{"body":%s,"country":%d,"cover":%d,"lost":7,"related":[%d,98]}`, body, peru.ID, m.ID, draft.ID))
	document := fmt.Sprintf(`{"body":%s,"cover":%d,"see":[%d,%d,%d,97]}`, body, m.ID, peru.ID, draft.ID, slugged.ID)
	sealed := l.add(t, several, document, func(e *core.Entry) {
		e.PublishedMedia = core.Document(fmt.Sprintf(`{"%d":{"caption":"as sealed","fileName":"s.txt","hash":"h","tags":[]}}`, m.ID))
	})
	f := follow(l, 100)
	f.all(t)
	links := fmt.Sprintf(`<p><a data-entry=\"%d\" data-collection=\"pages\">x</a><a data-entry=\"99\">y</a>`, slugged.ID)
	assert.Contains(t, f.entries[article.ID], fmt.Sprintf(`"body":"%s<img data-media=\"%d\"></p>"`, links, m.ID))
	assert.Contains(t, f.entries[article.ID], fmt.Sprintf(`"country":{"group":%d,"collection":"countries"}`, peru.ID))
	assert.Contains(t, f.entries[article.ID], fmt.Sprintf(`"related":[{"group":%d,"collection":"articles"},{"group":98,"collection":"articles"}]`, draft.ID))
	assert.Contains(t, f.entries[article.ID], fmt.Sprintf(`"lost":{"group":7,"collection":"nowhere"},"cover":{"id":%d},"gallery":[]`, m.ID))
	assert.Contains(t, f.entries[sealed.ID], fmt.Sprintf(`"see":[{"group":%d,"collection":"countries"},{"group":%d,"collection":"articles"},{"group":97,"collection":null}]`, peru.ID, draft.ID))
	assert.Contains(t, f.entries[sealed.ID], fmt.Sprintf(`"body":"%s<img data-media=\"%d\" src=\"https://files.example/`, links, m.ID))
	assert.Contains(t, f.entries[sealed.ID], `"caption":"as sealed"`)
	// What others do changes nothing.
	before := maps.Clone(f.entries)
	l.rewrite(t, l.articles, draft, released(`{"title":"D"}`))
	l.rewrite(t, l.countries, peru, trashed)
	l.rewrite(t, several, slugged, released(`{"title":"other"}`))
	for c, e := range map[*core.Collection]*core.Entry{l.articles: draft, l.countries: peru, several: slugged} {
		require.NoError(t, l.stores.Entries.Destroy(t.Context(), l.schema(t, c), e.ID, ""))
	}
	m.Caption = "changed"
	require.NoError(t, l.stores.Media.Update(t.Context(), &m))
	f = follow(l, 100)
	f.all(t)
	for _, e := range []*core.Entry{article, sealed} {
		assert.Equal(t, before[e.ID], f.entries[e.ID])
	}
}

// laterLog is a log at a later time.
type laterLog struct {
	ports.PublicLog
	by time.Duration
}

func (l *laterLog) Mark(ctx context.Context) (event.Mark, time.Time, error) {
	now, since, err := l.PublicLog.Mark(ctx)
	now.At = now.At.Add(l.by)
	return now, since, err
}

// The cursor of a copy that asks again and again does not expire, although nothing changes.
func TestQuietCursorsAreReplaced(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	log := &laterLog{PublicLog: l.stores.Log}
	l.stores.Log = log
	l.add(t, l.articles, `{"title":"A"}`)
	f := follow(l, 100)
	f.all(t)
	first := f.query.Since
	log.by = 59 * time.Minute
	assert.Empty(t, f.all(t))
	assert.Equal(t, first, f.query.Since)
	log.by = 61 * time.Minute
	assert.Empty(t, f.all(t))
	assert.NotEqual(t, first, f.query.Since)
	_, err := l.stores.Aging.Delete(t.Context(), ports.AgedEvents, time.Now().Add(30*time.Minute), 1000)
	require.NoError(t, err)
	assert.Empty(t, f.all(t))
	f.query.Since = first
	_, err = f.changes.Page(t.Context(), f.project, f.query)
	assert.Equal(t, core.KindGone, core.KindOf(err))
}

func TestChangesOfOneCollectionOrLocale(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	en := l.add(t, l.articles, `{"title":"A"}`)
	fr := l.add(t, l.articles, `{"title":"F"}`, translated(en, "fr"))
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	l.medium(t, "m.txt")
	for _, test := range []struct {
		collection, locale string
		want               []string
	}{
		{"articles", "", []string{"put 1articles", "put 2articles", "media 1"}},
		{"articles", "fr", []string{"put 2articles", "media 1"}},
		{"", "en", []string{"put 3countries", "put 1articles", "media 1"}},
		{"countries", "de", []string{"media 1"}},
	} {
		f := follow(l, 2)
		f.query.Collection, f.query.Locale = test.collection, test.locale
		assert.Equal(t, test.want, ops(f.all(t)))
		for _, e := range []*core.Entry{en, fr} {
			l.rewrite(t, l.articles, e, released(`{"title":"X"}`))
		}
		l.rewrite(t, l.countries, peru, released(`{"name":"X"}`))
		want := slices.DeleteFunc(slices.Clone(test.want), func(op string) bool { return op == "media 1" })
		assert.ElementsMatch(t, want, ops(f.all(t)))
	}
}

func (l *readerFixture) redefine(t testing.TB, c *core.Collection, change func(*core.Collection)) {
	t.Helper()
	next := *c
	change(&next)
	next.Version++
	require.NoError(t, l.stores.Collections.Update(context.Background(), &next))
	*c = next
}

func TestChangesAfterDefinitionChanges(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.add(t, l.articles, `{"title":"A"}`)
	l.add(t, l.countries, `{"name":"Peru"}`)
	whole, one, walking := follow(l, 100), follow(l, 100), follow(l, 1)
	one.query.Collection = "countries"
	whole.all(t)
	one.all(t)
	walking.page(t)
	reset := func(f *follower, want ...string) {
		t.Helper()
		got := f.all(t)
		assert.Equal(t, want, ops(got))
	}
	l.redefine(t, l.articles, func(c *core.Collection) { c.Name, c.Description = "Other", "Other" })
	label := *l.articles.Fields[0]
	label.Label, label.Required, label.Help = "Other", true, "Help"
	l.redefine(t, l.articles, func(c *core.Collection) { c.Fields = append([]*core.Field{&label}, c.Fields[1:]...) })
	l.collection(t, "new", &core.Field{Name: "title", Type: core.TypeText})
	reset(whole, []string{}...)
	assert.Equal(t, []string{}, ops(whole.all(t)))
	l.redefine(t, l.articles, func(c *core.Collection) { c.Fields = slices.Delete(slices.Clone(c.Fields), 2, 3) })
	assert.Equal(t, []string{"reset 0articles"}, ops(whole.all(t)))
	assert.Equal(t, []string{}, ops(one.all(t)))
	assert.Contains(t, ops(walking.all(t)), "reset 0articles")
	assert.Equal(t, []string{}, ops(whole.all(t)))
	l.redefine(t, l.countries, func(c *core.Collection) {
		c.Fields = append(slices.Clone(c.Fields), &core.Field{ID: 9, Name: "area", Type: core.TypeNumber})
	})
	assert.Equal(t, []string{"reset 0countries"}, ops(whole.all(t)))
	assert.Equal(t, []string{"reset 0countries"}, ops(one.all(t)))
	// A secret field is none of the readers' business.
	l.redefine(t, l.countries, func(c *core.Collection) {
		c.Fields = append(slices.Clone(c.Fields), &core.Field{ID: 10, Name: "hidden", Type: core.TypeText, Hidden: true})
	})
	assert.Equal(t, []string{}, ops(whole.all(t)))
	l.project.Locales = append(l.project.Locales, "ja")
	assert.Equal(t, []string{"reset 0"}, ops(whole.all(t)))
	assert.Equal(t, []string{"reset 0"}, ops(one.all(t)))
	require.NoError(t, l.stores.Collections.Delete(t.Context(), l.project.ID, l.articles.ID))
	assert.Equal(t, []string{"reset 0articles"}, ops(whole.all(t)))
	require.NoError(t, l.stores.Events.Record(t.Context(), event.Event{Type: event.ProjectRepaired, ProjectID: l.project.ID}))
	assert.Equal(t, []string{"reset 0"}, ops(whole.all(t)))
	assert.Equal(t, []string{}, ops(whole.all(t)))
}

// Pages with large entries are shorter, and one that is larger than a page is a page of its own.
func TestChangesShortenPages(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	var all []*core.Entry
	for i := range 6 {
		size := 1 << 20
		if i == 3 {
			size = 5 << 20
		}
		all = append(all, l.add(t, l.articles, `{"title":"`+strings.Repeat("x", size)+`"}`))
	}
	f := follow(l, 100)
	f.all(t)
	assert.Len(t, f.entries, 6)
	assert.Equal(t, 3, f.pages)
	for _, e := range all {
		l.rewrite(t, l.articles, e, func(e *core.Entry) { e.ReleasedAt = e.ReleasedAt.Add(time.Second) })
	}
	f.pages, f.entries = 0, map[int64]string{}
	f.all(t)
	assert.Len(t, f.entries, 6)
	assert.GreaterOrEqual(t, f.pages, 3)
}

// Many small collections take several pages.
func TestChangesOfManyCollections(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for i := range 300 {
		c := l.collection(t, fmt.Sprintf("c%d", i), &core.Field{Name: "title", Type: core.TypeText})
		if i%3 == 0 {
			l.add(t, c, `{"title":"A"}`)
		}
	}
	f := follow(l, 100)
	f.all(t)
	assert.Len(t, f.entries, 100)
	assert.Less(t, len(f.query.Since), 1000, "the cursor is too long for an address")
	l.redefine(t, l.countries, func(c *core.Collection) { c.Fields = c.Fields[1:] })
	assert.Equal(t, []string{"reset 0"}, ops(f.all(t)))
}

func TestChangesRefuseBadQueries(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.add(t, l.articles, `{"title":"A"}`)
	f := follow(l, 100)
	f.page(t)
	good := f.query.Since
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	refused := func(q reading.ChangesQuery, project *core.Project, kind core.Kind, code string) {
		t.Helper()
		_, err := f.changes.Page(t.Context(), project, q)
		require.Error(t, err)
		assert.Equal(t, kind, core.KindOf(err))
		if e, ok := errors.AsType[*core.Error](err); assert.True(t, ok) {
			assert.Equal(t, code, e.Code)
		}
	}
	bad := func(q reading.ChangesQuery) { t.Helper(); refused(q, l.project, core.KindBadRequest, "bad_parameter") }
	for _, limit := range []int64{0, -1, 501, 1 << 40} {
		bad(reading.ChangesQuery{Limit: &limit})
	}
	for i := range raw {
		changed := slices.Clone(raw)
		changed[i] ^= byte(1 + rand.IntN(255))
		bad(reading.ChangesQuery{Since: base64.RawURLEncoding.EncodeToString(changed)})
		if i > 0 {
			bad(reading.ChangesQuery{Since: base64.RawURLEncoding.EncodeToString(raw[:i])})
		}
	}
	for _, since := range []string{good + "A", good + "=", " " + good, "x", strings.Repeat("A", 20_000), "é", base64.RawURLEncoding.EncodeToString(append(raw, 0))} {
		bad(reading.ChangesQuery{Since: since})
	}
	bad(reading.ChangesQuery{Since: good, Collection: "articles"})
	bad(reading.ChangesQuery{Since: good, Locale: "en"})
	for _, slug := range []string{"nowhere", "Articles", "articles ", "*"} {
		bad(reading.ChangesQuery{Collection: slug})
	}
	for _, locale := range []string{"ja", "EN", "*", "fr_CA"} {
		bad(reading.ChangesQuery{Locale: locale})
	}
	other := *l.project
	other.UUID, other.ID = "other", 0
	require.NoError(t, l.stores.Projects.Insert(t.Context(), &other))
	refused(reading.ChangesQuery{Since: good}, &other, core.KindBadRequest, "bad_parameter")

	// Events after the cursor are gone.
	_, err = l.stores.Aging.Delete(t.Context(), ports.AgedEvents, time.Now().Add(time.Hour), 1000)
	require.NoError(t, err)
	refused(reading.ChangesQuery{Since: good}, l.project, core.KindGone, "cursor_expired")
	_, err = f.changes.Page(t.Context(), l.project, reading.ChangesQuery{})
	require.NoError(t, err)
}

// A copy that is followed while entries come and go equals what is public in the end.
func TestChangesDuringWrites(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		l := setupReader(t)
		random := rand.New(rand.NewPCG(seed, 1))
		f := follow(l, int64(1+random.IntN(4)))
		var all []*core.Entry
		for step := range 120 {
			switch c := random.IntN(6); {
			case c == 0 || len(all) == 0:
				all = append(all, l.add(t, l.articles, fmt.Sprintf(`{"views":%d}`, step)))
			case c == 1:
				l.rewrite(t, l.articles, all[random.IntN(len(all))], func(e *core.Entry) {
					if e.Published == nil {
						released(fmt.Sprintf(`{"views":%d}`, step))(e)
						e.PublishedAt = day
					} else {
						unpublished(e)
					}
				})
			case c == 2:
				l.rewrite(t, l.articles, all[random.IntN(len(all))], func(e *core.Entry) {
					if e.Trashed() {
						e.TrashedAt = time.Time{}
					} else {
						trashed(e)
					}
				})
			case c == 3:
				l.rewrite(t, l.articles, all[random.IntN(len(all))], drafted(fmt.Sprintf(`{"views":%d}`, step)))
			case c == 4 && step%2 == 0:
				l.medium(t, fmt.Sprint(step))
			default:
				f.page(t)
			}
		}
		f.all(t)
		fresh := follow(l, 500)
		fresh.all(t)
		require.Equal(t, fresh.entries, f.entries, "seed %d", seed)
		require.Equal(t, fresh.library, f.library, "seed %d", seed)
		public := 0
		for _, e := range all {
			if core.StatePublished.Admits(e) != nil {
				public++
			}
		}
		require.Len(t, f.entries, public)
	}
}

// TestNames reads names of many changes, of changes of definitions, and from wrong cursors.
func TestNames(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	changes := reading.NewChanges(l.stores, "https://files.example")
	for range 3 {
		l.add(t, l.articles, `{"title":"before"}`)
	}
	now, err := changes.Now(t.Context(), l.project)
	require.NoError(t, err)
	names := func(since string) reading.ChangeNames {
		t.Helper()
		found, err := changes.Names(t.Context(), l.project, since, 4)
		require.NoError(t, err)
		return found
	}
	assert.Empty(t, names(now).Changes)
	var added []*core.Entry
	for range 4 {
		added = append(added, l.add(t, l.articles, `{"title":"after"}`))
	}
	found := names(now)
	assert.Len(t, found.Changes, 4)
	assert.False(t, found.More)
	assert.Equal(t, "articles", found.Changes[0].Collection)
	assert.Equal(t, added[0].Group, found.Changes[0].Group)
	l.add(t, l.countries, `{"name":"Peru"}`)
	found = names(now)
	assert.Len(t, found.Changes, 4)
	assert.True(t, found.More)
	assert.Empty(t, names(found.Next).Changes, "the cursor is after all changes")
	for range 20 {
		l.rewrite(t, l.articles, added[0], released(`{"title":"again"}`))
	}
	again := names(found.Next)
	assert.Equal(t, []string{"put 4articles"}, ops(again.Changes))
	assert.True(t, again.More, "more events than were read")

	first := int64(2)
	page, err := changes.Page(t.Context(), l.project, reading.ChangesQuery{Limit: &first})
	require.NoError(t, err)
	for _, since := range []string{"x", page.Next} {
		_, err := changes.Names(t.Context(), l.project, since, 4)
		assert.Equal(t, core.KindBadRequest, core.KindOf(err), since)
	}
	_, err = changes.Names(t.Context(), &core.Project{ID: l.project.ID + 1, DefaultLocale: "en", Locales: []string{"en"}}, now, 4)
	assert.Equal(t, core.KindBadRequest, core.KindOf(err))
}
