package reading_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
)

// referring is the member _referrers of an entry.
type referring map[string]struct {
	Items []struct {
		ID      int64
		Title   string
		Country struct {
			ID         int64
			Collection string
		}
	}
	Total int
	More  bool
}

func referrersOf(t *testing.T, entry []byte) referring {
	t.Helper()
	var shown struct {
		Referrers referring `json:"_referrers"`
	}
	require.NoError(t, json.Unmarshal(entry, &shown), string(entry))
	return shown.Referrers
}

// TestReferrers checks which entries refer to others, and what they cost.
func TestReferrers(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	perou := l.add(t, l.countries, `{"name":"Pérou"}`, translated(peru, "fr"))
	chile := l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d],"name":"Chile"}`, peru.ID))
	var articles []*core.Entry
	for n := range 3 {
		articles = append(articles, l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"secretLink":%d,"title":"A%d"}`, peru.ID, chile.ID, n)))
	}
	french := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"Un"}`, peru.ID), translated(articles[0], "fr"))
	l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"canary"}`, peru.ID), unpublished)
	l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"canary"}`, peru.ID), trashed)
	l.add(t, l.articles, `{"title":"A3"}`, drafted(fmt.Sprintf(`{"country":%d,"title":"canary"}`, peru.ID)))
	linking := l.add(t, l.articles, fmt.Sprintf(`{"body":"<p><a data-entry=\"%d\">x</a></p>","country":%d,"title":"B"}`, peru.ID, chile.ID))

	calls := l.calls.made.Load()
	page := l.page(t, query.Query{Collection: "countries", Sort: "id", Shape: query.Shape{Fields: "name", Referrers: "articles.country:2,articles.body,countries.borders"}})
	assert.EqualValues(t, 6, l.calls.made.Load()-calls, "rows, three fields, the entries, and their relations")
	require.Len(t, page.Entries, 2)
	shown := referrersOf(t, page.Entries[0].JSON)
	assert.Contains(t, string(page.Entries[0].JSON), `,"_referrers":{"articles.country":{"items":[{"id":`)
	require.Len(t, shown, 3)
	of := shown["articles.country"]
	require.Len(t, of.Items, 2)
	assert.Equal(t, []int64{articles[2].ID, articles[1].ID}, []int64{of.Items[0].ID, of.Items[1].ID}, "the newest first")
	assert.Equal(t, "countries", of.Items[0].Country.Collection, "depth 0")
	assert.Equal(t, 3, of.Total)
	assert.False(t, of.More)
	require.Len(t, shown["articles.body"].Items, 1)
	assert.Equal(t, linking.ID, shown["articles.body"].Items[0].ID)
	assert.Equal(t, chile.ID, shown["countries.borders"].Items[0].ID)
	assert.NotContains(t, string(page.JSON), "canary")
	other := referrersOf(t, page.Entries[1].JSON)
	assert.Equal(t, 1, other["articles.country"].Total)
	assert.Equal(t, "[]", fmt.Sprint(other["articles.body"].Items))

	for _, id := range []int64{peru.ID, perou.ID} {
		shaped, err := l.reader.EntryIn(t.Context(), l.project, "countries", id, "fr", query.Shape{Referrers: "articles.country:20"})
		require.NoError(t, err)
		of := referrersOf(t, shaped.JSON)["articles.country"]
		require.Len(t, of.Items, 3, "those that serve French")
		assert.Equal(t, french.ID, of.Items[0].ID, "one of each translation group, in the locale")
		assert.Equal(t, perou.ID, of.Items[0].Country.ID)
	}
	everywhere := l.page(t, query.Query{Collection: "countries", Locale: "*", Sort: "id", Shape: query.Shape{Referrers: "articles.country:20"}})
	assert.Equal(t, articles[2].ID, referrersOf(t, everywhere.Entries[0].JSON)["articles.country"].Items[0].ID)
	assert.Equal(t, french.ID, referrersOf(t, everywhere.Entries[1].JSON)["articles.country"].Items[0].ID)
	assert.NotContains(t, string(l.page(t, query.Query{Collection: "countries"}).JSON), "_referrers")

	for referrers, message := range map[string]string{
		"articles.country:0": "between 1 and 20", "articles.country:21": "between 1 and 20", "articles.country:05": "between 1 and 20", "articles.country:": "between 1 and 20",
		"articles.secretLink": `unknown field \"secretLink\"`, "articles.nothing": "unknown field", "nowhere.country": "unknown collection", "articles": "unknown field", "articles.title": "cannot refer", "articles.related": "cannot refer",
		"articles.country,articles.country:2": "twice", strings.Repeat("articles.country,", 3) + "articles.body": "at most 3 fields", ",": "unknown collection",
	} {
		_, err := l.reader.Prepare(t.Context(), l.project, true, query.Query{Collection: "countries", Shape: query.Shape{Referrers: referrers}})
		require.Equal(t, core.KindBadRequest, core.KindOf(err), referrers)
		assert.ErrorContains(t, err, strings.ReplaceAll(message, `\"`, `"`), referrers)
	}
}

// TestManyReferrers checks the largest exact total, and that the limit of entries counts referrers.
func TestManyReferrers(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	for range query.MaxReferrersCounted {
		l.add(t, l.articles, fmt.Sprintf(`{"country":%d}`, peru.ID))
	}
	shape := query.Shape{Referrers: "articles.country:20"}
	read := func() (int, bool) {
		shaped, err := l.reader.Entry(t.Context(), l.project, "countries", peru.ID, shape)
		require.NoError(t, err)
		of := referrersOf(t, shaped.JSON)["articles.country"]
		require.Len(t, of.Items, 20)
		return of.Total, of.More
	}
	total, more := read()
	assert.Equal(t, query.MaxReferrersCounted, total)
	assert.False(t, more)
	l.add(t, l.articles, fmt.Sprintf(`{"country":%d}`, peru.ID))
	total, more = read()
	assert.Equal(t, query.MaxReferrersCounted, total)
	assert.True(t, more)

	for range 100 {
		country := l.add(t, l.countries, `{}`)
		for range 20 {
			l.add(t, l.articles, fmt.Sprintf(`{"country":%d}`, country.ID))
		}
	}
	limit := int64(100)
	listing, err := l.reader.Prepare(t.Context(), l.project, true, query.Query{Collection: "countries", Limit: &limit, Shape: query.Shape{Referrers: "articles.country:20", Bounded: true}})
	require.NoError(t, err)
	_, err = listing.Page(t.Context())
	require.ErrorContains(t, err, "more than 2000 entries")
}

// TestPagesOfReferrers reads all entries that refer to one, page by page.
func TestPagesOfReferrers(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	chile := l.add(t, l.countries, fmt.Sprintf(`{"borders":[%d],"name":"Chile"}`, peru.ID))
	both := l.add(t, l.articles, fmt.Sprintf(`{"body":"<p><a data-entry=\"%d\">x</a></p>","country":%d,"title":"B"}`, peru.ID, peru.ID))
	last := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"secretLink":%d}`, peru.ID, chile.ID))
	draft := l.add(t, l.countries, `{}`, unpublished)
	read := func(id int64, q reading.ReferrersOf) string {
		page, err := l.reader.Referrers(t.Context(), l.project, "countries", id, q)
		require.NoError(t, err)
		var found []struct {
			Collection string `json:"_collection"`
			ID         int64
		}
		require.NoError(t, json.Unmarshal([]byte("["+string(page.JSON)+"]"), &found))
		return fmt.Sprint(found, page.HasMore, page.Next)
	}
	one, two := int64(1), int64(2)
	assert.Equal(t, fmt.Sprintf("[{articles %d} {articles %d} {countries %d}] false 0", last.ID, both.ID, chile.ID), read(peru.ID, reading.ReferrersOf{}))
	assert.Equal(t, fmt.Sprintf("[{articles %d} {articles %d}] true %d", last.ID, both.ID, both.ID), read(peru.ID, reading.ReferrersOf{Limit: &two}))
	assert.Equal(t, fmt.Sprintf("[{countries %d}] false 0", chile.ID), read(peru.ID, reading.ReferrersOf{Limit: &two, Before: both.ID}))
	assert.Equal(t, fmt.Sprintf("[{articles %d}] true %d", last.ID, last.ID), read(peru.ID, reading.ReferrersOf{Limit: &one, Collection: "articles"}))
	assert.Equal(t, fmt.Sprintf("[{articles %d}] false 0", both.ID), read(peru.ID, reading.ReferrersOf{Collection: "articles", Field: "body"}))
	assert.Equal(t, "[] false 0", read(chile.ID, reading.ReferrersOf{}), "a hidden field refers to it")
	for _, id := range []int64{draft.ID, both.ID, 999} {
		_, err := l.reader.Referrers(t.Context(), l.project, "countries", id, reading.ReferrersOf{})
		require.ErrorIs(t, err, core.ErrNotFound)
	}
	zero, many := int64(0), int64(101)
	for _, q := range []reading.ReferrersOf{
		{Limit: &zero}, {Limit: &many}, {Collection: "nowhere"}, {Field: "country"}, {Collection: "articles", Field: "secretLink"}, {Collection: "articles", Field: "title"}, {Collection: "articles", Field: "related"},
	} {
		_, err := l.reader.Referrers(t.Context(), l.project, "countries", peru.ID, q)
		assert.Equal(t, core.KindBadRequest, core.KindOf(err), q)
	}
}
