package reading_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/test/contenttest"
)

func TestPageWritesEntriesInTheOrderOfTheirFields(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	peru := l.add(t, l.countries, `{"code":"PE","name":"Perú"}`)
	chile := l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d],"code":"CL","name":"Chile"}`, peru.Group))
	photo := l.medium(t, "andes.txt")
	article := l.add(t, l.articles, fmt.Sprintf(
		`{"body":"<a href=\"/x\">\\</a>","country":%d,"cover":%d,"featured":false,"gallery":[%d,999],"meta":{"a":[1,"]"],"b":{}},"pin":"$argon2id","secretNote":"no","tags":["a,b","\"c\""],"title":"Äh \u0001","views":1e+21}`,
		chile.Group, photo.ID, photo.ID))

	page := l.page(t, query.Query{Collection: "articles"})

	medium := fmt.Sprintf(`{"id":%d,"fileName":"andes.txt","fullUrl":"/files/u/andes/andes.txt","thumbUrl":null,"thumbWebpUrl":null,`+
		`"fullWebpUrl":null,"caption":null,"tags":[],"size":7,"width":null,"height":null,"alt":null,"focalPoint":null,"color":null}`, photo.ID)
	require.Equal(t, []string{fmt.Sprintf(
		`{"id":%d,"locale":"en","publishedAt":"2026-01-02T03:04:05.006Z",`+
			`"title":"Äh \u0001","body":"<a href=\"/x\">\\</a>","views":1e+21,"featured":false,"on":null,"at":null,"opens":null,`+
			`"tags":["a,b","\"c\""],`+
			`"country":{"id":%d,"locale":"en","publishedAt":"2026-01-02T03:04:05.006Z","name":"Chile","flag":null,"borders":[{"id":%d,"collection":"countries"}]},`+
			`"related":[],"lost":null,"cover":%s,"gallery":[%s],"meta":{"a":[1,"]"],"b":{}}}`,
		article.ID, chile.ID, peru.ID, medium, medium)}, bodies(page))
	require.Equal(t, article.ID, page.Entries[0].ID)
	require.Equal(t, "en", page.Entries[0].Locale)
	require.Equal(t, day, page.Entries[0].PublishedAt)

	single, err := l.reader.Entry(context.Background(), l.project, "articles", article.ID, query.Shape{})
	require.NoError(t, err)
	require.Equal(t, page.Entries[0].JSON, single.JSON, "a single entry is the element of the list")
}

func TestTimestampsAreShownOnRequest(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	article := l.add(t, l.articles, fmt.Sprintf(`{"country":%d}`, peru.Group))

	page := l.page(t, query.Query{Collection: "articles", Shape: query.Shape{Timestamps: true}})
	require.Equal(t, article.CreatedAt, page.Entries[0].CreatedAt)
	require.Equal(t, article.ReleasedAt, page.Entries[0].UpdatedAt)
	require.Zero(t, l.page(t, query.Query{Collection: "articles"}).Entries[0].CreatedAt)
	single, err := l.reader.Entry(context.Background(), l.project, "articles", article.ID, query.Shape{Timestamps: true})
	require.NoError(t, err)
	require.Equal(t, page.Entries[0], *single, "a single entry is the element of the list")

	times := map[string]string{"createdAt": `"2026-01-02T02:04:05.006Z"`, "updatedAt": `"2026-01-02T04:04:05.006Z"`}
	require.Equal(t, times, contenttest.Values(t, page.Entries[0].JSON, "createdAt", "updatedAt"))
	country := contenttest.Values(t, page.Entries[0].JSON, "country")["country"]
	require.Equal(t, times, contenttest.Values(t, []byte(country), "createdAt", "updatedAt"), "related entries have the same shape")
}

func TestStateDecidesWhichVersionIsShown(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	atlantis := l.add(t, l.countries, `{"name":"Atlantis"}`, unpublished)
	peru := l.add(t, l.countries, `{"name":"Peru"}`, drafted(`{"name":"Perú"}`))
	l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"old"}`, peru.Group),
		drafted(fmt.Sprintf(`{"country":%d,"title":"new"}`, atlantis.Group)))
	l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"draft"}`, peru.Group), unpublished)
	l.add(t, l.articles, `{"title":"gone"}`, trashed)

	name := func(id int64, published, name string) string {
		return fmt.Sprintf(`{"id":%d,"locale":"en","publishedAt":%s,"name":%q,"flag":null,"borders":[]}`, id, published, name)
	}
	const at = `"2026-01-02T03:04:05.006Z"`
	for state, want := range map[string][]map[string]string{
		"published":  {{"title": `"old"`, "publishedAt": at, "country": name(peru.ID, at, "Peru")}},
		"only_draft": {{"title": `"draft"`, "publishedAt": `null`, "country": name(peru.ID, at, "Perú")}},
		"with_draft": {
			{"title": `"draft"`, "publishedAt": `null`, "country": name(peru.ID, at, "Perú")},
			{"title": `"new"`, "publishedAt": at, "country": name(atlantis.ID, "null", "Atlantis")},
		},
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			page := l.page(t, query.Query{Collection: "articles", State: state})
			got := make([]map[string]string, len(page.Entries))
			for i, e := range page.Entries {
				got[i] = contenttest.Values(t, e.JSON, "title", "publishedAt", "country")
			}
			require.Equal(t, want, got)
		})
	}
}

func TestRelationsShowOnlyVisibleEntries(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	visible := l.add(t, l.countries, `{"name":"Peru"}`)
	hidden := l.add(t, l.countries, `{"name":"Draft"}`, unpublished)
	gone := l.add(t, l.countries, `{"name":"Gone"}`, trashed)
	wrong := l.add(t, l.articles, `{"title":"not a country"}`)
	l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d,%d,%d,%d,424242],"name":"Chile"}`, hidden.Group, visible.Group, gone.Group, wrong.Group))
	for _, target := range []int64{hidden.Group, gone.Group, wrong.Group, 424242} {
		l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"x"}`, target))
	}

	for _, e := range l.page(t, query.Query{Collection: "articles"}).Entries {
		require.Equal(t, "null", contenttest.Values(t, e.JSON, "country")["country"])
	}
	chile := l.page(t, query.Query{Collection: "countries", Limit: ptr(int64(1))}).Entries[0]
	require.Equal(t,
		fmt.Sprintf(`[{"id":%d,"locale":"en","publishedAt":"2026-01-02T03:04:05.006Z","name":"Peru","flag":null,"borders":[]}]`, visible.ID),
		contenttest.Values(t, chile.JSON, "borders")["borders"])
}

func TestRelationsFollowTheLocaleBeingServed(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	english := l.add(t, l.countries, `{"name":"Switzerland"}`)
	german := l.add(t, l.countries, `{"name":"Schweiz"}`, translated(english, "de"))
	french := l.add(t, l.countries, `{"name":"Suisse"}`, translated(english, "fr"), unpublished)
	holder := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"en"}`, english.Group))
	germanHolder := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"de"}`, english.Group), translated(holder, "de"))

	type want struct{ holder, target int64 }
	for name, c := range map[string]struct {
		locale, state string
		want          []want
	}{
		"default":          {"", "", []want{{holder.ID, english.ID}}},
		"translated":       {"de", "", []want{{germanHolder.ID, german.ID}}},
		"falls back":       {"fr-CA", "", []want{{holder.ID, english.ID}}},
		"falls to a draft": {"fr-CA", "with_draft", []want{{holder.ID, french.ID}}},
		"all: its own":     {"*", "", []want{{germanHolder.ID, german.ID}, {holder.ID, english.ID}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := l.page(t, query.Query{Collection: "articles", Locale: c.locale, State: c.state})
			got := make([]want, len(page.Entries))
			for i, e := range page.Entries {
				country := contenttest.Values(t, e.JSON, "country")["country"]
				got[i].holder = e.ID
				_, err := fmt.Sscanf(contenttest.Values(t, []byte(country), "id")["id"], "%d", &got[i].target)
				require.NoError(t, err)
			}
			require.Equal(t, c.want, got)
		})
	}

	single, err := l.reader.Entry(context.Background(), l.project, "articles", germanHolder.ID, query.Shape{})
	require.NoError(t, err)
	require.Contains(t, string(single.JSON), "Schweiz", "relations of a single entry use its own locale")
}

func TestEntryIsOnlyFoundWhenPublishedInItsCollection(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	draft := l.add(t, l.articles, `{}`, unpublished)
	gone := l.add(t, l.articles, `{}`, trashed)
	country := l.add(t, l.countries, `{}`)
	other := *l.project
	other.ID = l.project.ID + 1

	for name, find := range map[string]func() (*reading.Shaped, error){
		"draft": func() (*reading.Shaped, error) { return l.entry(l.project, "articles", draft.ID) },
		"trash": func() (*reading.Shaped, error) { return l.entry(l.project, "articles", gone.ID) },
		"other collection": func() (*reading.Shaped, error) {
			return l.entry(l.project, "articles", country.ID)
		},
		"no collection": func() (*reading.Shaped, error) { return l.entry(l.project, "nowhere", country.ID) },
		"other project": func() (*reading.Shaped, error) { return l.entry(&other, "countries", country.ID) },
		"zero":          func() (*reading.Shaped, error) { return l.entry(l.project, "countries", 0) },
		"negative":      func() (*reading.Shaped, error) { return l.entry(l.project, "countries", -1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shaped, err := find()
			require.ErrorIs(t, err, core.ErrNotFound)
			require.Nil(t, shaped)
		})
	}
}

func (l *readerFixture) entry(p *core.Project, slug string, id int64) (*reading.Shaped, error) {
	return l.reader.Entry(context.Background(), p, slug, id, query.Shape{})
}

func TestWindowAndTotal(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for i := range 5 {
		l.add(t, l.countries, fmt.Sprintf(`{"name":"%d"}`, i))
	}
	for name, c := range map[string]struct {
		offset, limit *int64
		count         int
		more          bool
	}{
		"default":   {nil, nil, 5, false},
		"first":     {nil, ptr(int64(2)), 2, true},
		"last":      {ptr(int64(4)), ptr(int64(2)), 1, false},
		"just":      {ptr(int64(3)), ptr(int64(2)), 2, false},
		"past them": {ptr(int64(9)), nil, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listing, err := l.reader.Prepare(context.Background(), l.project, false,
				query.Query{Collection: "countries", Offset: c.offset, Limit: c.limit})
			require.NoError(t, err)
			page, err := listing.Page(context.Background())
			require.NoError(t, err)
			require.Len(t, page.Entries, c.count)
			require.NotNil(t, page.Entries)
			require.Equal(t, c.more, page.HasMore)
			total, err := listing.Total(context.Background())
			require.NoError(t, err)
			require.EqualValues(t, 5, total)
		})
	}
}

// The total needs no extra call if no filter applies, or if the page is the last one.
func TestCallsForPageAndTotal(t *testing.T) {
	t.Parallel()
	narrowed := []query.Filter{one("name", "not", "none")}
	for name, c := range map[string]struct {
		q     query.Query
		calls int64
	}{
		"all":               {query.Query{}, 1},
		"first of all":      {query.Query{Limit: ptr(int64(2))}, 1},
		"past all":          {query.Query{Offset: ptr(int64(9))}, 1},
		"narrowed":          {query.Query{Where: narrowed}, 1},
		"last of filtered":  {query.Query{Where: narrowed, Offset: ptr(int64(4))}, 1},
		"first of filtered": {query.Query{Where: narrowed, Limit: ptr(int64(2))}, 2},
		"past filtered":     {query.Query{Where: narrowed, Offset: ptr(int64(9))}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := setupReader(t)
			for i := range 5 {
				l.add(t, l.countries, fmt.Sprintf(`{"name":"%d"}`, i))
			}
			c.q.Collection, c.q.Total = "countries", true
			listing, err := l.reader.Prepare(context.Background(), l.project, false, c.q)
			require.NoError(t, err)
			l.calls.made.Store(0)
			_, total, err := listing.PageAndTotal(context.Background())
			require.NoError(t, err)
			require.EqualValues(t, 5, total)
			require.Equal(t, c.calls, l.calls.made.Load())
		})
	}
}

// A total that is counted after a write beside the page is at least what the page shows.
func TestTotalsAreNotLessThanTheirPage(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for i := range 5 {
		l.add(t, l.countries, fmt.Sprintf(`{"name":"%d"}`, i))
	}
	listing := func(op string, offset int64) *reading.Listing {
		q := query.Query{Collection: "countries", Where: []query.Filter{one("name", op, "none")}, Limit: ptr(int64(2)), Offset: &offset}
		listing, err := l.reader.Prepare(context.Background(), l.project, false, q)
		require.NoError(t, err)
		return listing
	}
	for offset, want := range map[int64]int64{0: 3, 2: 5, 9: 0} {
		page, err := listing("not", offset).Page(context.Background())
		require.NoError(t, err)
		total, err := listing("", offset).TotalOf(context.Background(), page) // counts none
		require.NoError(t, err)
		require.Equal(t, want, total)
	}
}

// A page needs at most four store calls, for any number of rows, relations and media, and
// none for kinds that it does not contain.
func TestStoreCallsAreFixed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document func(l *readerFixture) string
		calls    int64
	}{
		"plain": {func(*readerFixture) string { return `{"title":"x"}` }, 1},
		"relations": {func(l *readerFixture) string {
			return fmt.Sprintf(`{"country":%d}`, l.add(t, l.countries, `{}`).Group)
		}, 2},
		"relations of relations": {func(l *readerFixture) string {
			far := l.add(t, l.countries, `{}`)
			return fmt.Sprintf(`{"country":%d}`, l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d]}`, far.Group)).Group)
		}, 3},
		"media": {func(l *readerFixture) string { return fmt.Sprintf(`{"cover":%d}`, l.medium(t, "a").ID) }, 2},
		"everything": {func(l *readerFixture) string {
			far := l.add(t, l.countries, `{}`)
			near := l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d],"flag":%d}`, far.Group, l.medium(t, "b").ID))
			return fmt.Sprintf(`{"country":%d,"cover":%d,"gallery":[%d]}`, near.Group, l.medium(t, "c").ID, l.medium(t, "d").ID)
		}, 4},
	} {
		for _, rows := range []int{1, 40} {
			t.Run(fmt.Sprintf("%s/%d", name, rows), func(t *testing.T) {
				t.Parallel()
				l := setupReader(t)
				for range rows {
					l.add(t, l.articles, c.document(l))
				}
				page := l.page(t, query.Query{Collection: "articles", Limit: ptr(int64(100))})
				require.Len(t, page.Entries, rows)
				require.Equal(t, c.calls, l.calls.made.Load())
			})
		}
	}
}

// A failed store call must fail the page; it must not look like missing content.
func TestStoreErrorsAreNotTreatedAsAbsence(t *testing.T) {
	t.Parallel()
	for failing := int64(1); failing <= 4; failing++ {
		t.Run(fmt.Sprint(failing), func(t *testing.T) {
			t.Parallel()
			l := setupReader(t)
			far := l.add(t, l.countries, `{}`)
			near := l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d]}`, far.Group))
			article := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"cover":%d}`, near.Group, l.medium(t, "a").ID))
			l.calls.fail = failing

			listing, err := l.reader.Prepare(context.Background(), l.project, false, query.Query{Collection: "articles"})
			require.NoError(t, err)
			_, err = listing.Page(context.Background())
			require.ErrorIs(t, err, errUnavailable)

			l.calls.made.Store(0)
			_, err = l.entry(l.project, "articles", article.ID)
			require.ErrorIs(t, err, errUnavailable)
		})
	}
}

func TestResponseSizeIsLimited(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	large := l.add(t, l.countries, `{"name":"`+strings.Repeat("x", 4<<20)+`"}`)
	groups := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d,", large.Group), 1000), ",")
	holder := l.add(t, l.countries, `{"borders":[`+groups+`]}`)

	_, err := l.reader.Entry(t.Context(), l.project, "countries", holder.ID, query.Shape{Depth: new(int64(1))})
	require.Equal(t, core.KindBadRequest, core.KindOf(err))
	require.ErrorContains(t, err, "answer_too_large")
	shown, err := l.reader.Entry(t.Context(), l.project, "countries", holder.ID, query.Shape{})
	require.NoError(t, err)
	require.True(t, shown.Shortened, "without a depth, relations are shortened instead")
	_, err = l.entry(l.project, "countries", large.ID)
	require.NoError(t, err)
}

func TestCollectionsOfTheProject(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	all, err := l.reader.Collections(context.Background(), l.project)
	require.NoError(t, err)
	require.Equal(t, []string{"articles", "countries"}, []string{all[0].Slug, all[1].Slug})
	one, err := l.reader.Collection(context.Background(), l.project, "countries")
	require.NoError(t, err)
	require.Equal(t, l.countries.ID, one.ID)
	_, err = l.reader.Collection(context.Background(), l.project, "Countries")
	require.ErrorIs(t, err, core.ErrNotFound)
}

func ptr[T any](v T) *T { return &v }
