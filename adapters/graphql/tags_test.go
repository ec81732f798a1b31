package graphql_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core/cachetag"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// A response has the tags of all of its fields, unless one may show drafts.
func TestTags(t *testing.T) {
	t.Parallel()
	scheme := cachetag.New(cachetag.CacheTag, secret.New())
	s := setupTagged(t, scheme)
	s.project.SharedCache = 60
	require.NoError(t, s.stores.Projects.Update(t.Context(), s.project))
	s.changes.Publish(ports.Change{Kind: ports.ChangeAll})
	p := scheme.Definition(s.project.ID)
	e := func(id int64) []string { return scheme.Entry(s.project.ID, id, id, "articles") }
	for query, want := range map[string][]string{
		`{ collections { slug } }`: p,
		`{ entry(collection: "articles", id: 1) { data } media(id: 1) { id } }`:                                    {p[0], e(1)[0], e(1)[1], scheme.Medium(s.project.ID, 1)[0]},
		`{ entry(collection: "articles", id: 4) { data } }`:                                                        {p[0], e(4)[0]},
		`{ entries(collection: "articles", sort: "id", limit: 2) { items { id } } }`:                               {p[0], e(1)[2], e(1)[0], e(1)[1], e(2)[0], e(2)[1]},
		`{ a: entries(collection: "articles") { totalCount } b: entry(collection: "articles", id: 2) { data } }`:   {p[0], e(1)[2], e(2)[0], e(2)[1]},
		`{ entries(collection: "articles", state: "with_draft") { items { id } } collection(slug: "x") { slug } }`: nil,
	} {
		for range 2 { // from the cache, too
			got := s.send(t, http.MethodGet, "?query="+url.QueryEscape(query), "", nil)
			require.Empty(t, got.Errors, query)
			control := "public, s-maxage=60, stale-while-revalidate=60"
			if want == nil {
				control = "private, no-cache"
			}
			assert.Equal(t, control, got.header.Get("Cache-Control"), query)
			posted := s.post(t, query)
			assert.Equal(t, "no-store", posted.header.Get("Cache-Control"))
			for _, header := range []http.Header{got.header, posted.header} {
				var tags []string
				if text := header.Get("Cache-Tag"); text != "" {
					tags = strings.Split(text, ",")
				}
				assert.ElementsMatch(t, want, tags, query)
			}
		}
	}
	many := strings.Builder{}
	for id := range 30 {
		many.WriteString(strings.ReplaceAll(`eN: entry(collection: "notes", id: N) { id } mN: media(id: N) { id } `, "N", string(rune('0'+id/10))+string(rune('0'+id%10))))
	}
	query := strings.NewReplacer("id: 0", "id: ").Replace("{ " + many.String() + "}")
	got := s.post(t, query)
	require.Empty(t, got.Errors, got.body)
	assert.ElementsMatch(t, []string{p[0], scheme.Entry(s.project.ID, 0, 0, "notes")[2], scheme.Medium(s.project.ID, 1)[1]}, strings.Split(got.header.Get("Cache-Tag"), ","))
}
