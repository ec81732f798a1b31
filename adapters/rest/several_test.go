package rest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRelationsToSeveral defines a relation to two collections, writes, reads, filters and narrows it.
func TestRelationsToSeveral(t *testing.T) {
	t.Parallel()
	w := setup(t)
	admin, token := w.as("projectAdmin"), w.bearer("full")
	collections := "/api/projects/" + itoa(w.project.ID) + "/collections"
	do := func(status int, method, target, body string, as ...with) answer {
		got := w.send(method, target, body, as...)
		require.Equal(t, status, got.StatusCode, "%s %s: %s", method, target, got.body)
		return got
	}
	id := func(got answer) int64 { return int64(got.json(t)["id"].(float64)) } //nolint:errcheck,forcetypeassert // a test
	do(http.StatusCreated, http.MethodPost, collections, `{"slug":"people","name":"People","fields":[{"name":"title","type":"text"},{"name":"views","type":"text"}]}`, admin)
	notes := do(http.StatusCreated, http.MethodPost, collections,
		`{"slug":"notes","name":"Notes","fields":[{"name":"title","type":"text"},{"name":"related","type":"relation","multiple":true,"collections":["articles","people"]}]}`, admin)
	require.Contains(t, string(notes.body), `"collections":["articles","people"]`)
	both := do(http.StatusUnprocessableEntity, http.MethodPost, collections+"/"+itoa(id(notes))+"/fields", `{"name":"x","type":"relation","collection":"people","collections":["people"]}`, admin)
	require.Contains(t, string(both.body), "cannot be given with collection")
	require.Contains(t, string(do(http.StatusOK, http.MethodGet, w.public("/collections/notes"), "", token).body), `"collections":["articles","people"]`)

	entries := func(slug string) string { return w.public("/collections/" + slug + "/entries") }
	ada := id(do(http.StatusCreated, http.MethodPost, entries("people"), `{"published":true,"fields":{"title":"Ada"}}`, token))
	note := id(do(http.StatusCreated, http.MethodPost, entries("notes"), fmt.Sprintf(`{"published":true,"fields":{"related":[%d,%d]}}`, ada, w.entry.ID), token))
	refused := do(http.StatusUnprocessableEntity, http.MethodPost, entries("notes"), fmt.Sprintf(`{"fields":{"related":[%d,%d]}}`, ada, note), token)
	require.Contains(t, string(refused.body), `"location":"fields.related[1]"`)

	read := func(query string) string {
		return string(do(http.StatusOK, http.MethodGet, entries("notes")+"/"+itoa(note)+query, "", token).body)
	}
	require.Contains(t, read(""), fmt.Sprintf(`"related":[{"_collection":"people","id":%d,"locale":"en",`, ada))
	require.Contains(t, read("?depth=0"), fmt.Sprintf(`"related":[{"id":%d,"collection":"people"},{"id":%d,"collection":"articles"}]`, ada, w.entry.ID))
	require.Contains(t, read("?fields=related.people.title"), fmt.Sprintf(`"related":[{"_collection":"people","id":%d,"locale":"en","title":"Ada"},{"_collection":"articles","id":%d,"locale":"en"}]`, ada, w.entry.ID))
	do(http.StatusOK, http.MethodPatch, entries("people")+"/"+itoa(ada), `{"fields":{"title":"Ada L."}}`, token)
	require.Contains(t, read(""), `"title":"Ada L."`, "a change in any of the collections is seen at once")

	found := func(status int, query string) string {
		return string(do(status, http.MethodGet, entries("notes")+"?count=true&"+query, "", token).body)
	}
	require.Contains(t, found(http.StatusOK, "where[related]="+itoa(ada)), `"total":1`)
	require.Contains(t, found(http.StatusOK, "where[related.title]=Alpha"), `"total":1`)
	require.Contains(t, found(http.StatusOK, "where[related.title]=Beta"), `"total":0`)
	require.Contains(t, found(http.StatusBadRequest, "where[related.views]=1"), `\"related.views\" is not of one type in all collections of \"related\": it is number, but text in people`)
	require.Contains(t, found(http.StatusBadRequest, "where[related.tags]=a"), `people has no field \"tags\"`)

	require.Contains(t, string(do(http.StatusConflict, http.MethodDelete, w.content("")+"?acknowledge=true", "", admin).body), "notes.related points to the collection")
	narrow := func(status int, body string) answer {
		return do(status, http.MethodPatch, collections+"/"+itoa(id(notes))+"/fields/related", body, admin)
	}
	w.govern()
	require.Contains(t, string(narrow(http.StatusConflict, `{"collections":["articles"]}`).body), "readers no longer see its references to people")
	narrow(http.StatusOK, `{"collections":["articles"],"acknowledge":true}`)
	require.NotContains(t, read(""), `"people"`)
	require.Contains(t, string(narrow(http.StatusConflict, `{"collections":["articles","people"]}`).body), "readers see the references to people that its entries still have")
	narrow(http.StatusOK, `{"collections":["articles","people"],"acknowledge":true}`)
	require.Contains(t, read(""), `"Ada L."`)
}
