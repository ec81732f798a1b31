package reading_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
)

// follow reads all pages of q by their cursors. It calls between before each further page.
func (l *readerFixture) follow(t *testing.T, q query.Query, between func(shown []reading.Shaped)) (ids []int64) {
	t.Helper()
	for q.Cursor = true; ; {
		page := l.page(t, q)
		for _, e := range page.Entries {
			ids = append(ids, e.ID)
		}
		require.Zero(t, page.Offset)
		require.Equal(t, page.HasMore, page.Next != "")
		if !page.HasMore {
			return ids
		}
		require.NotContains(t, page.Next, "=")
		between(page.Entries)
		q.After = page.Next
	}
}

func TestPagesByCursor(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for n := range 7 {
		l.add(t, l.articles, fmt.Sprintf(`{"title":"%d","views":%d}`, n%3, n%2), inLocale([]string{"en", "fr"}[n%2]))
	}
	for _, sort := range []string{"", "id", "title", "views:desc,title", "createdAt", "updatedAt:desc", "locale,publishedAt"} {
		q := query.Query{Collection: "articles", Sort: sort, Locale: "*"}
		var want []int64
		for _, e := range l.page(t, q).Entries {
			want = append(want, e.ID)
		}
		require.Len(t, want, 7)
		q.Limit = ptr(int64(2))
		require.Equal(t, want, l.follow(t, q, func([]reading.Shaped) {}), sort)
		require.Empty(t, l.page(t, q).Next, "only a query with Cursor has cursors")
	}
}

// Pages sorted by a leaf of a group continue where they ended.
func TestPagesByCursorOfALeaf(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	seo := &core.Component{CreatedAt: day, UpdatedAt: day, ProjectID: l.project.ID, Slug: "seo", Name: "seo", NextFieldID: 3, Version: 1, Fields: []*core.Field{
		{ID: 1, Name: "title", Type: core.TypeText, Filterable: true}, {ID: 2, Name: "rank", Type: core.TypeNumber, Filterable: true},
	}}
	require.NoError(t, l.stores.Components.Insert(t.Context(), seo))
	made := l.collection(t, "pages", &core.Field{Name: "seo", Type: core.TypeGroup, Component: "seo"})
	pages, err := l.stores.Collections.Collection(t.Context(), l.project.ID, made.ID)
	require.NoError(t, err)
	for _, f := range pages.Filterable() {
		f.ID, f.Slot, f.SlotReady = pages.NextFieldID, map[core.FieldType]string{core.TypeText: "t1", core.TypeNumber: "n1"}[f.Type], true
		pages.NextFieldID++
		pages.Leaves = append(pages.Leaves, f)
	}
	pages.Version++
	require.NoError(t, l.stores.Collections.Update(t.Context(), pages))
	for n := range 7 {
		l.add(t, pages, fmt.Sprintf(`{"seo":{"title":"%d","rank":%d}}`, n%3, 9-n))
	}
	l.add(t, pages, `{}`)
	for _, sort := range []string{"seo.title", "seo.title:desc", "seo.rank", "seo.rank:desc,seo.title"} {
		q := query.Query{Collection: "pages", Sort: sort}
		var want []int64
		for _, e := range l.page(t, q).Entries {
			want = append(want, e.ID)
		}
		require.Len(t, want, 8)
		q.Limit = ptr(int64(2))
		require.Equal(t, want, l.follow(t, q, func([]reading.Shaped) {}), sort)
	}
}

// A cursor has the values of the row, so the row may go or change.
func TestPagesContinueAfterADeletedEntry(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	var all []int64
	for n := range 6 {
		all = append(all, l.add(t, l.articles, fmt.Sprintf(`{"views":%d}`, n)).ID)
	}
	q := query.Query{Collection: "articles", Sort: "views", Limit: ptr(int64(2))}
	require.Equal(t, all, l.follow(t, q, func(shown []reading.Shaped) {
		last := shown[len(shown)-1].ID
		require.NoError(t, l.stores.Entries.Destroy(context.Background(), l.schema(t, l.articles), last, ""))
	}))
}

func TestCursorsBelongToTheirList(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for range 3 {
		l.add(t, l.articles, `{"title":"a","views":1}`)
		l.add(t, l.countries, `{"name":"a"}`)
	}
	first := query.Query{Collection: "articles", Sort: "views", Limit: ptr(int64(1)), Cursor: true, Where: []query.Filter{one("title", "", "a")}}
	next := first
	next.After = l.page(t, first).Next
	for name, c := range map[string]struct {
		change   func(*query.Query)
		location string
	}{
		"the next page":     {func(*query.Query) {}, ""},
		"another limit":     {func(q *query.Query) { q.Limit = nil }, ""},
		"timestamps":        {func(q *query.Query) { q.Timestamps = true }, ""},
		"a count":           {func(q *query.Query) { q.Total = true }, ""},
		"a default, named":  {func(q *query.Query) { q.Locale, q.State = "en", "published" }, ""},
		"an offset":         {func(q *query.Query) { q.Offset = ptr(int64(0)) }, "offset"},
		"another order":     {func(q *query.Query) { q.Sort = "views:desc" }, "after"},
		"another condition": {func(q *query.Query) { q.Where = []query.Filter{one("title", "", "b")} }, "after"},
		"a group":           {func(q *query.Query) { q.Or = [][]query.Filter{q.Where} }, "after"},
		"another locale":    {func(q *query.Query) { q.Locale = "*" }, "after"},
		"another state":     {func(q *query.Query) { q.State = "with_draft" }, "after"},
		"another list":      {func(q *query.Query) { q.Collection, q.Sort, q.Where = "countries", "", nil }, "after"},
		"no cursor":         {func(q *query.Query) { q.After = "AQ" }, "after"},
		"only other faults": {func(q *query.Query) { q.Sort = "nothing" }, "sort"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := next
			c.change(&q)
			_, err := l.reader.Prepare(context.Background(), l.project, true, q)
			if c.location == "" {
				require.NoError(t, err)
				return
			}
			var fault *core.Error
			require.ErrorAs(t, err, &fault)
			require.Equal(t, core.KindBadRequest, fault.Kind)
			require.Len(t, fault.Fields, 1)
			require.Equal(t, c.location, fault.Fields[0].Location)
		})
	}
}

// The total is that of the whole list on every page.
func TestTotalsOfPagesByCursor(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for n := range 5 {
		l.add(t, l.articles, fmt.Sprintf(`{"title":"a","views":%d}`, n))
	}
	for _, where := range [][]query.Filter{nil, {one("title", "", "a")}} {
		q := query.Query{Collection: "articles", Where: where, Limit: ptr(int64(2)), Total: true, Cursor: true}
		for pages := 1; ; pages++ {
			listing, err := l.reader.Prepare(context.Background(), l.project, false, q)
			require.NoError(t, err)
			page, total, err := listing.PageAndTotal(context.Background())
			require.NoError(t, err)
			require.EqualValues(t, 5, total)
			if q.After = page.Next; !page.HasMore {
				require.Equal(t, 3, pages)
				break
			}
		}
	}
}
