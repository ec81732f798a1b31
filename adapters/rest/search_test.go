package rest_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSearchFindsWhatTheCallerMayOpen searches for one thing of each kind as every user.
func TestSearchFindsWhatTheCallerMayOpen(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	id := w.submit("The Harbour reopens", "editor")
	accented := w.must(w.send("POST", w.content("/content"), `{"fields":{"title":"Do Łodzi przez Bodø"}}`, w.as("editor")))["id"]
	request := w.must(w.send("GET", w.content("/content/"+itoa(id)+"/approval"), "", w.as("editor")))
	number := request["releaseNumber"].(string)
	withHolder := append(slices.Clone(insiders), "holder")
	for _, tt := range []struct {
		q, kind, member string
		want            any
		may             []string
	}{
		{"harbour", "entries", "title", "The Harbour reopens", insiders},
		{"odzi przez bodo", "entries", "id", accented, insiders},
		{"THE HARB", "entries", "id", float64(id), insiders},
		{number, "requests", "entryId", float64(id), withHolder},
		{strings.ToLower(strings.Replace(number, "-000", "-", 1)), "requests", "releaseNumber", number, withHolder},
		{" articles ", "collections", "name", w.articles.Name, insiders},
		{"orld de", "projects", "name", "World Desk", insiders},
		{"beside", "projects", "name", "Beside", []string{"super", "otherAdmin"}},
		{"VIEWER@meridian", "users", "name", "viewer", insiders[:2]},
		{"otherAdmin", "users", "id", float64(w.users["otherAdmin"].ID), []string{"super", "otherAdmin"}},
	} {
		for _, user := range everyone {
			found := w.must(w.send("GET", "/api/search?q="+url.QueryEscape(tt.q), "", w.as(user)))
			require.Len(t, found, 6)
			var values []any
			for _, one := range found[tt.kind].([]any) {
				values = append(values, one.(map[string]any)[tt.member])
			}
			assert.Equal(t, slices.Contains(tt.may, user), slices.Contains(values, tt.want), "%s finds %q: %v", user, tt.q, values)
		}
	}
	entry := w.must(w.send("GET", "/api/search?q=harbour", "", w.as("viewer")))["entries"].([]any)[0]
	assert.Equal(t, map[string]any{
		"id": float64(id), "title": "The Harbour reopens", "locale": "en", "status": "in_review", "projectId": float64(w.project.ID), "projectName": "World Desk",
		"collectionId": float64(w.articles.ID), "collectionName": w.articles.Name,
	}, entry)
	w.must(w.send("PATCH", w.content("/content/"+itoa(id)), `{"published":false}`, w.as("editor")))
	require.Equal(t, 204, w.send("DELETE", w.content("/content/"+itoa(id)), "", w.as("editor")).StatusCode)
	assert.Empty(t, w.must(w.send("GET", "/api/search?q=harbour", "", w.as("viewer")))["entries"])
}

func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for range 10 {
		require.Equal(t, 201, w.send("POST", w.content("/content"), `{"fields":{"title":"A common title"}}`, w.as("editor")).StatusCode)
	}
	assert.Len(t, w.must(w.send("GET", "/api/search?q=common", "", w.as("editor")))["entries"], 8)
	for _, short := range []string{"e", "%20e%20", "e!"} {
		found := w.must(w.send("GET", "/api/search?q="+short, "", w.as("super")))
		for kind, list := range found {
			assert.Equal(t, []any{}, list, kind)
		}
	}
	// One character is a word in scripts without spaces.
	w.searchable()
	w.must(w.send("POST", w.content("/content"), `{"fields":{"title":"東京の橋"}}`, w.as("editor")))
	assert.Len(t, w.must(w.send("GET", "/api/search?q=%E6%A9%8B", "", w.as("editor")))["entries"], 1)
	assert.Len(t, w.must(w.send("GET", "/api/search?q="+strings.Repeat("%C3%A9", 2048), "", w.as("editor"))), 6)
	for _, query := range []string{
		"", "?q=", "?q=+", "?q=%21-_", "?q=" + strings.Repeat("e", 4097), "?q=" + strings.Repeat("e+", 21),
		"?q=a%00bc", "?q=abc&q=abc", "?q=abc&limit=5",
	} {
		w.problem(400, "bad_parameter", "GET", "/api/search"+query, "", w.as("editor"))
	}
}
