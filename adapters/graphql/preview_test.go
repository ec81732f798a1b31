package graphql_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// A preview shows the draft of its entry, keeps out of caches, and has no library.
func TestPreview(t *testing.T) {
	t.Parallel()
	s := setup(t)
	collections, err := s.stores.Collections.Collections(t.Context(), s.project.ID)
	require.NoError(t, err)
	schema := core.Schema{Project: s.project, Collection: collections[0], Collections: collections}
	e, err := s.stores.Entries.Entry(t.Context(), s.project.ID, 1)
	require.NoError(t, err)
	e.Draft = core.Document(`{"title":"As typed","views":1}`)
	e.Version++
	require.NoError(t, s.stores.Entries.Update(t.Context(), schema, &e))

	ask := func(secret, query string) exchange {
		t.Helper()
		return s.send(t, http.MethodPost, "", `{"query":`+quoted(query)+`}`, map[string]string{"Authorization": "Bearer " + secret})
	}
	const titles = `{ entries(collection: "articles", sort: "id:asc") { totalCount items { data } } }`
	read := ask("imv_published_1", titles)
	assert.Contains(t, read.body, "As typed")
	assert.NotContains(t, read.body, `"Draft"`)
	assert.Equal(t, "no-store", read.header.Get("Cache-Control"))
	assert.Contains(t, ask("imv_drafts_1", titles).body, `Draft`)
	assert.Contains(t, ask("imv_published_1", `{ entry(collection: "articles", id: 1) { data } }`).body, "As typed")
	assert.Contains(t, ask("imv_published_4", `{ entry(collection: "articles", id: 4) { data } }`).body, "Draft")
	for range 2 { // also from the cache
		assert.NotContains(t, ask("read", titles).body, "As typed")
	}
	assert.Equal(t, "FORBIDDEN", ask("imv_published_1", `{ media(id: 1) { id } }`).code())
	assert.Equal(t, 401, ask("imv_unknown", titles).status)
}
