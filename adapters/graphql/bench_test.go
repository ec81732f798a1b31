package graphql_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// BenchmarkQueries measures a list of 20 entries of about 1 KB, and one of them by its id, without
// network and database.
func BenchmarkQueries(b *testing.B) {
	s := setup(b)
	collections, err := s.stores.Collections.Collections(b.Context(), s.project.ID)
	require.NoError(b, err)
	schema := core.Schema{Project: s.project, Collection: collections[0], Collections: collections}
	for i := range 20 {
		document := core.Document(fmt.Sprintf(`{"tags":[],"title":"%04d%s"}`, i, strings.Repeat("x", 900)))
		require.NoError(b, s.stores.Entries.Insert(b.Context(), schema, &core.Entry{
			ProjectID: s.project.ID, CollectionID: collections[0].ID, Locale: "en", Version: 1,
			Draft: document, Published: document, PublishedAt: day, CreatedAt: day, UpdatedAt: day, ReleasedAt: day,
		}))
	}
	for name, query := range map[string]struct {
		body string
		size int
	}{
		"list":  {`{"query":"query L($n: Int) { entries(collection: \"articles\", limit: $n) { items { id data } } }","variables":{"n":20}}`, 20_000},
		"entry": {`{"query":"query E($id: Int!) { entry(collection: \"articles\", id: $id) { id data } }","variables":{"id":5}}`, 100},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				request := httptest.NewRequest(http.MethodPost, "/public/v2/graphql", strings.NewReader(query.body))
				request.Header.Set("Authorization", "Bearer full")
				request.Header.Set("Content-Type", "application/json")
				response := httptest.NewRecorder()
				s.handler.ServeHTTP(response, request)
				if response.Code != http.StatusOK || response.Body.Len() < query.size {
					b.Fatal(response.Body.String())
				}
			}
		})
	}
}
