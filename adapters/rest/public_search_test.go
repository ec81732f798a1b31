package rest_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// searchable makes the titles of articles searchable and publishes some.
func (w *world) searchable() {
	w.t.Helper()
	field := "/api/projects/" + itoa(w.project.ID) + "/collections/" + itoa(w.articles.ID) + "/fields/title"
	res := w.send("PATCH", field, `{"searchable":true}`, w.as("super"))
	require.Equal(w.t, 200, res.StatusCode, string(res.body))
	for _, title := range []string{"Old harbour", "Harbour canal", "Nothing"} {
		res := w.send("POST", w.content("/content"), `{"published":true,"fields":{"title":"`+title+`"}}`, w.as("editor"))
		require.Equal(w.t, 201, res.StatusCode, string(res.body))
	}
	res = w.send("POST", w.content("/content"), `{"fields":{"title":"Harbour canary draft"}}`, w.as("editor"))
	require.Equal(w.t, 201, res.StatusCode, string(res.body))
}

func titles(t *testing.T, res answer) (titles []string) {
	t.Helper()
	require.Equal(t, 200, res.StatusCode, string(res.body))
	var page struct {
		Data []struct {
			Title  string
			Fields struct{ Title string }
		}
	}
	require.NoError(t, json.Unmarshal(res.body, &page))
	for _, one := range page.Data {
		titles = append(titles, one.Title+one.Fields.Title)
	}
	return titles
}

func TestListsSearch(t *testing.T) {
	t.Parallel()
	w := setup(t)
	list := func(query string) answer {
		return w.send("GET", w.public("/collections/articles/entries?"+query), "", w.bearer("read"))
	}
	for _, res := range []answer{list("search=harbour"), w.send("GET", w.content("/content?search=harbour"), "", w.as("editor"))} {
		require.Equal(t, 400, res.StatusCode, string(res.body))
		assert.Contains(t, string(res.body), `no field of the collection \"articles\" is searchable: set searchable of a text field to true`)
	}
	w.searchable()
	assert.Equal(t, []string{"Harbour canal", "Old harbour"}, titles(t, list("search=harb")))
	assert.Equal(t, []string{"Harbour canal"}, titles(t, list("search="+url.QueryEscape(`"harbour canal"`))))
	assert.Equal(t, []string{"Old harbour", "Harbour canal"}, titles(t, list("search=harbour&sort=id")))
	assert.Empty(t, titles(t, list("search=canary")))
	assert.Empty(t, titles(t, list("search=harbour&where[title]=Nothing")))
	counted := list("search=harbour&count=true&limit=1").json(t)["meta"].(map[string]any)
	assert.Equal(t, 2.0, counted["total"])
	next := list("search=harbour&limit=1&after=" + counted["next"].(string))
	assert.Equal(t, []string{"Old harbour"}, titles(t, next))
	w.problem(400, "invalid_query", "GET", w.public("/collections/articles/entries?search=nothing&limit=1&after="+counted["next"].(string)), "", w.bearer("read"))
	for query, message := range map[string]string{
		"search=":    "is empty",
		"search=%20": "must have a word: a letter or a digit", "search=%C2%A8%21": "must have a word: a letter or a digit",
		"search=" + strings.Repeat("a+", 21): "must have at most 20 words", "search=" + strings.Repeat("a", 4097): "must have at most 4096 bytes", "search=a%00": "is not properly encoded text",
	} {
		res := list(query)
		require.Equal(t, 400, res.StatusCode, query)
		assert.Contains(t, string(res.body), message, query)
		assert.Contains(t, string(res.body), `"search"`, query)
	}
	managed := w.send("GET", w.content("/content?search=harb&sort=id"), "", w.as("editor"))
	assert.Equal(t, []string{"Old harbour", "Harbour canal", "Harbour canary draft"}, titles(t, managed))
}

func TestSearchInSeveralCollections(t *testing.T) {
	t.Parallel()
	w := setup(t)
	none := w.send("GET", w.public("/search?q=harbour"), "", w.bearer("read"))
	require.Equal(t, 400, none.StatusCode, string(none.body))
	assert.Contains(t, string(none.body), `no field of the Project's collections is searchable`)
	w.searchable()
	w.must(w.send("POST", "/api/projects/"+itoa(w.project.ID)+"/collections", `{"slug":"silent","name":"Silent","fields":[{"name":"title","type":"text"}]}`, w.as("super")))
	find := func(query string) answer {
		res := w.send("GET", w.public("/search?"+query), "", w.bearer("read"))
		conforms(t, w.route("searchEntries"), res)
		return res
	}
	res := find("q=harb")
	assert.Equal(t, []string{"Harbour canal", "Old harbour"}, titles(t, res))
	first := res.json(t)["data"].([]any)[0].(map[string]any)
	assert.Equal(t, "articles", first["collection"])
	assert.Equal(t, "en", first["locale"])
	assert.Len(t, first, 5)
	assert.Equal(t, []any{map[string]any{"text": "Harbour", "found": true}, map[string]any{"text": " canal", "found": false}}, first["excerpt"])
	assert.Equal(t, map[string]any{"limit": 20.0, "hasMore": false}, res.json(t)["meta"])

	// Every result is on one page, in the same order.
	res = find("q=harb&limit=1&fields=articles.title,articles.tags")
	first = res.json(t)["data"].([]any)[0].(map[string]any)
	assert.Equal(t, map[string]any{"id": first["id"], "locale": "en", "title": "Harbour canal", "tags": []any{}}, first["entry"])
	next := res.json(t)["meta"].(map[string]any)["next"].(string)
	after := find("q=harb&limit=1&after=" + next)
	assert.Equal(t, []string{"Old harbour"}, titles(t, after))
	assert.Equal(t, map[string]any{"limit": 1.0, "hasMore": false}, after.json(t)["meta"])
	assert.Equal(t, []string{"Harbour canal"}, titles(t, find("q=harb&limit=1&collections=articles&locale=en")))
	assert.Empty(t, titles(t, find("q=canary")))
	for query, location := range map[string]string{
		"": "q", "q=": "q", "q=%20": "q", "q=a&limit=51": "limit", "q=a&limit=0": "limit", "q=a&collections=none": "collections", "q=a&collections=": "collections", "q=a&collections=articles,silent": "collections",
		"q=a&locale=xx": "locale", "q=" + strings.Repeat("a+", 21): "q", "q=" + strings.Repeat("a", 4097): "q", "q=a&page=2": "page",
		"q=a&fields=": "fields", "q=a&fields=title": "fields", "q=a&fields=articles": "fields", "q=a&fields=articles.none": "fields", "q=a&fields=silent.title": "fields",
		"q=a&after=": "after", "q=a&after=x": "after", "q=other&limit=1&after=" + next: "after", "q=harb&locale=*&after=" + next: "after", "q=harb&after=" + next + "A": "after",
	} {
		res := w.send("GET", w.public("/search?"+query), "", w.bearer("read"))
		require.Equal(t, 400, res.StatusCode, query)
		assert.Contains(t, string(res.body), `"location":"`+location+`"`, query)
	}
	res = w.send("GET", w.public("/search?q=a&collections="), "", w.bearer("read"))
	assert.Contains(t, string(res.body), "parameter collections is empty")
}

func TestSearchFindsWordsAndMedia(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.searchable()
	w.keep(w.project, "harbour-dawn.txt", "text", "Dawn")
	found := w.must(w.send("GET", "/api/search?q="+url.QueryEscape("canal harb"), "", w.as("viewer")))
	require.Len(t, found["entries"], 1)
	found = w.must(w.send("GET", "/api/search?q=harbour", "", w.as("viewer")))
	require.Len(t, found["entries"], 3)
	require.Len(t, found["media"], 1)
	assert.Equal(t, "harbour-dawn.txt", found["media"].([]any)[0].(map[string]any)["fileName"])
	found = w.must(w.send("GET", "/api/search?q=harbour", "", w.as("otherAdmin")))
	assert.Empty(t, found["entries"])
	assert.Empty(t, found["media"])
}
