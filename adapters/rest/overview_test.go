package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTokenUsage counts the requests of a token by day.
func TestTokenUsage(t *testing.T) {
	t.Parallel()
	w := setup(t)
	entries := "/public/v2/projects/" + w.project.UUID + "/collections/" + w.articles.Slug + "/entries"
	for range 3 {
		w.must(w.send(http.MethodGet, entries, "", w.bearer("read")))
	}
	w.problem(http.StatusForbidden, "forbidden", http.MethodPost, entries, `{"fields":{"title":"New"}}`, w.bearer("read"))
	require.NoError(t, w.usage.Flush(t.Context()))
	path := "/api/projects/" + itoa(w.project.ID) + "/tokens/" + itoa(w.tokenID) + "/usage"
	a := w.send(http.MethodGet, path+"?days=7", "", w.as("projectAdmin"))
	require.Equal(t, http.StatusOK, a.StatusCode, string(a.body))
	conforms(t, w.route("getTokenUsage"), a)
	days := a.json(t)["data"].([]any)
	require.Len(t, days, 7)
	today := days[6].(map[string]any)
	assert.Equal(t, []any{3.0, 1.0}, []any{today["reads"], today["writes"]})
	assert.Equal(t, 0.0, days[0].(map[string]any)["reads"])
	assert.Len(t, w.must(w.send(http.MethodGet, path, "", w.as("projectAdmin")))["data"], 30)
	for _, days := range []string{"0", "91", "x"} {
		w.problem(http.StatusBadRequest, "bad_parameter", http.MethodGet, path+"?days="+days, "", w.as("projectAdmin"))
	}
}
