package reading_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/changefeed"
	"imprimatur/core"
	"imprimatur/core/reading"
	"imprimatur/ports"
)

// liveFeed is a change feed that reports that it is live.
type liveFeed struct{ *changefeed.Local }

func (liveFeed) Live() bool { return true }

// cachedReader returns a reader with a cache, and its change feed.
func (l *readerFixture) cachedReader() (*reading.Reader, liveFeed) {
	feed := liveFeed{changefeed.NewLocal()}
	return reading.NewReader(l.calls, l.schemas, l.calls, "", reading.WithCache(cache.NewReads(1<<20, feed))), feed
}

// A cached and an uncached reader return the same for random queries in random order, with
// writes between them. Each query is followed by its next page, or by one that differs in one aspect.
func TestCachedAndUncachedReadsAreEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := setupReader(t)
		reader, feed := l.cachedReader()
		draws := generator{rt}
		for range rapid.IntRange(2, 8).Draw(rt, "writes") {
			document := fmt.Sprintf(`{"tags":%s,"title":%q,"views":%d}`,
				rapid.SampledFrom([]string{"[]", `["a"]`, `["a","b"]`}).Draw(rt, "tags"),
				draws.text(), rapid.IntRange(0, 3).Draw(rt, "views"))
			l.add(t, l.articles, document, func(e *core.Entry) {
				e.Locale = rapid.SampledFrom([]string{"en", "en", "fr", "fr-CA"}).Draw(rt, "locale")
				if rapid.IntRange(0, 3).Draw(rt, "draft") == 0 {
					unpublished(e)
				}
			})
			feed.Publish(ports.Change{Kind: ports.ChangeContent, ID: l.project.ID})
			for range rapid.IntRange(1, 6).Draw(rt, "questions") {
				q := draws.query()
				for range rapid.IntRange(1, 4).Draw(rt, "variants") {
					plain, next, plainErr := results(l.reader, l.project, q)
					again, _, againErr := results(reader, l.project, q)
					if fmt.Sprint(plainErr) != fmt.Sprint(againErr) || plain != again {
						rt.Fatalf("%+v\nuncached %s %v\ncached   %s %v", q, plain, plainErr, again, againErr)
					}
					if next != "" && rapid.Bool().Draw(rt, "follow") {
						q.Offset, q.After = nil, next
					} else {
						q = draws.variant(q)
					}
				}
			}
		}
	})
}

// results formats a page, its total and its entries, and returns the cursor of the next page.
func results(r *reading.Reader, project *core.Project, q core.Query) (text, next string, err error) {
	ctx := context.Background()
	listing, err := r.Prepare(ctx, project, true, q)
	if err != nil {
		return "", "", err
	}
	page, err := listing.Page(ctx)
	if err != nil {
		return "", "", err
	}
	total, err := listing.Total(ctx)
	if err != nil {
		return "", "", err
	}
	next = page.Next
	single := ""
	for _, e := range page.Entries {
		if shaped, err := r.Entry(ctx, project, q.Collection, e.ID, q.Shape); err == nil {
			single += string(shaped.JSON)
		}
	}
	return fmt.Sprintf("%s %x %d %d %t %s of %d; %s", page.JSON, page.Digest, page.Offset, page.Limit, page.HasMore, next, total, single), next, nil
}

// generator draws queries from few values.
type generator struct{ rt *rapid.T }

func (a generator) text() string {
	return rapid.SampledFrom([]string{"a", "b", "ab", "a,b", "", "1"}).Draw(a.rt, "text")
}

func (a generator) condition() core.Condition {
	field := rapid.SampledFrom([]string{"title", "views", "title", "views", "tags", "country.name", "locale"}).Draw(a.rt, "field")
	return core.Condition{Field: field, Op: a.op(), Operand: a.operand(field)}
}

func (a generator) operand(field string) core.Operand {
	if field == "views" {
		return core.Operand{Items: []any{rapid.SampledFrom([]string{"0", "1", "2"}).Draw(a.rt, "number")}}
	}
	return core.Operand{Items: []any{a.text()}}
}

func (a generator) op() string {
	return rapid.SampledFrom([]string{"", "not", "in", "not_in", "like", "gt", "lte", "null"}).Draw(a.rt, "op")
}

func (a generator) query() core.Query {
	q := core.Query{Collection: "articles"}
	if rapid.Bool().Draw(a.rt, "short pages") {
		q.Limit, q.Cursor = ptr(int64(1)), true
	}
	for range rapid.IntRange(0, 3).Draw(a.rt, "aspects") {
		q = a.variant(q)
	}
	return q
}

// variant returns q with one aspect drawn again.
func (a generator) variant(q core.Query) core.Query {
	q.Where, q.Or = slices.Clone(q.Where), slices.Clone(q.Or)
	switch rapid.IntRange(0, 18).Draw(a.rt, "aspect") {
	case 0:
		q.Timestamps = !q.Timestamps
	case 1:
		q.Sort = rapid.SampledFrom([]string{"", "id", "views", "views:desc", "views,title:desc", "views:desc,title", "title", "createdAt"}).Draw(a.rt, "sort")
	case 2:
		q.Locale = rapid.SampledFrom([]string{"", "fr", "fr-CA", "*"}).Draw(a.rt, "locale")
	case 3:
		q.State = rapid.SampledFrom([]string{"published", "only_draft", "with_draft"}).Draw(a.rt, "state")
	case 4:
		q.Offset = ptr(rapid.Int64Range(0, 2).Draw(a.rt, "offset"))
	case 5:
		q.Limit = ptr(rapid.Int64Range(1, 4).Draw(a.rt, "limit"))
	case 6, 11:
		q.Where = append(q.Where, a.condition())
	case 7:
		q.Where = nil
	case 8, 12:
		if len(q.Where) > 0 {
			q.Where[0].Op = a.op()
		}
	case 13, 14:
		if len(q.Where) > 0 {
			q.Where[0].Operand = a.operand(q.Where[0].Field)
		}
	case 15:
		q.Fields = rapid.SampledFrom([]string{"", "title", "tags,views", "*", "createdAt"}).Draw(a.rt, "fields")
	case 16:
		q.Depth = ptr(rapid.Int64Range(0, 2).Draw(a.rt, "depth"))
	case 9: // the same conditions, grouped differently
		q.Or = append(q.Or, q.Where)
		q.Where = nil
	case 17:
		q.Cursor = !q.Cursor
	case 18:
		q.After = ""
	case 10:
		q.Collection = rapid.SampledFrom([]string{"articles", "articles", "countries"}).Draw(a.rt, "collection")
	}
	return q
}

func TestCachedReadsMakeNoStoreCalls(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	peru := l.add(t, l.countries, `{"name":"Perú"}`)
	article := l.add(t, l.articles, fmt.Sprintf(`{"country":%d,"title":"A"}`, peru.Group))
	reader, feed := l.cachedReader()
	read := func() string {
		t.Helper()
		got, _, err := results(reader, l.project, core.Query{Collection: "articles"})
		require.NoError(t, err)
		return got
	}
	first := read()
	made := l.calls.made.Load()
	require.Equal(t, first, read())
	require.Equal(t, made, l.calls.made.Load())

	page := func() *reading.Page {
		listing, err := reader.Prepare(t.Context(), l.project, false, core.Query{Collection: "articles"})
		require.NoError(t, err)
		page, err := listing.Page(t.Context())
		require.NoError(t, err)
		return page
	}
	require.Same(t, page(), page())
	require.Equal(t, strings.Join(bodies(page()), ","), string(page().JSON))
	require.Equal(t, core.DigestOf(page().JSON), page().Digest)

	feed.Publish(ports.Change{Kind: ports.ChangeContent, ID: l.project.ID})
	l.calls.fail = l.calls.made.Load() + 1
	_, err := reader.Entry(t.Context(), l.project, "articles", article.ID, core.Shape{})
	require.ErrorIs(t, err, errUnavailable)
	_, err = reader.Entry(t.Context(), l.project, "articles", article.ID, core.Shape{})
	require.NoError(t, err, "an error is not cached")
}

// The permission to read drafts is checked each time, and validation.Missing entries are looked up
// each time.
func TestPermissionsAreNotCached(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.add(t, l.articles, `{"title":"canary"}`, unpublished)
	reader, _ := l.cachedReader()
	q := core.Query{Collection: "articles", State: "with_draft"}
	for range 2 {
		got, _, err := results(reader, l.project, q)
		require.NoError(t, err)
		require.Contains(t, got, "canary")
		_, err = reader.Prepare(t.Context(), l.project, false, q)
		require.Equal(t, core.KindForbidden, core.KindOf(err))
		_, err = reader.Entry(t.Context(), l.project, "articles", 1, core.Shape{})
		require.ErrorIs(t, err, core.ErrNotFound)
	}
}

// A transport may have read the project just before it was changed.
func TestReadsUseTheCurrentProject(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.add(t, l.articles, `{"title":"A"}`, inLocale("fr"))
	reader, feed := l.cachedReader()
	before := l.project
	after := *before
	after.DefaultLocale, after.Locales = "fr", []string{"fr", "en"}
	require.NoError(t, l.stores.Projects.Update(t.Context(), &after))
	feed.Publish(ports.Change{Kind: ports.ChangeSchema, ID: before.ID})
	listing, err := reader.Prepare(t.Context(), before, false, core.Query{Collection: "articles"})
	require.NoError(t, err)
	_, err = listing.Page(t.Context())
	require.NoError(t, err)
	got, _, err := results(reader, &after, core.Query{Collection: "articles"})
	require.NoError(t, err)
	want, _, err := results(l.reader, &after, core.Query{Collection: "articles"})
	require.NoError(t, err)
	require.Equal(t, want, got)
}
