package rest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReferrers reads what refers to an article, on its own and with the article.
func TestReferrers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.must(w.send("POST", w.content("/fields"), `{"name":"related","type":"relation","collection":"articles","multiple":true}`, w.as("projectAdmin")))
	var ids []int64
	for _, title := range []string{"One", "Two"} {
		made := w.must(w.send("POST", w.content("/content"), fmt.Sprintf(`{"published":true,"fields":{"title":"%s","related":[%d]}}`, title, w.entry.ID), w.as("editor")))
		ids = append(ids, int64(made["id"].(float64)))
	}
	w.must(w.send("POST", w.content("/content"), fmt.Sprintf(`{"fields":{"title":"canary","related":[%d]}}`, w.entry.ID), w.as("editor")))
	own := w.public("/collections/articles/entries/" + itoa(w.entry.ID))
	read := func(path string) answer { return w.send("GET", path, "", w.bearer("full")) }

	res := read(own + "/referrers?limit=1")
	conforms(t, w.route("listReferrers"), res)
	assert.Contains(t, string(res.body), fmt.Sprintf(`{"data":[{"_collection":"articles","id":%d,`, ids[1]))
	next := res.json(t)["meta"].(map[string]any)["next"].(string)
	assert.Equal(t, []string{"One"}, titles(t, read(own+"/referrers?limit=1&after="+next)))
	assert.Equal(t, []string{"Two", "One"}, titles(t, read(own+"/referrers?collection=articles&field=related")))
	for query, location := range map[string]string{
		"limit=0": "limit", "limit=101": "limit", "after=0": "after", "after=x": "after", "collection=": "collection", "field=related": "field", "field=": "field", "collection=none": "collection", "collection=articles&field=note": "field", "page=1": "page",
	} {
		res := read(own + "/referrers?" + query)
		require.Equal(t, 400, res.StatusCode, query)
		assert.Contains(t, string(res.body), `"location":"`+location+`"`, query)
	}
	w.problem(404, "not_found", "GET", w.public("/collections/articles/entries/"+itoa(w.trashed.ID)+"/referrers"), "", w.bearer("full"))
	w.problem(404, "not_found", "GET", w.public("/collections/articles/entries/x/referrers"), "", w.bearer("full"))

	first := read(own + "?referrers=articles.related:1&fields=title")
	assert.Contains(t, string(first.body), fmt.Sprintf(`"title":"Alpha","_referrers":{"articles.related":{"items":[{"id":%d,`, ids[1]))
	assert.Contains(t, string(first.body), `],"total":2}}`)
	assert.Contains(t, string(read(w.public("/collections/articles/entries?referrers=articles.related")).body), `"_referrers":{"articles.related":{"items":[],"total":0}}`)
	w.problem(400, "bad_parameter", "GET", own+"?referrers=", "", w.bearer("full"))
	w.problem(400, "bad_parameter", "GET", own+"?referrers=articles.related&asOf=2026-01-01T00:00:00Z", "", w.bearer("full"))
	w.problem(400, "invalid_query", "GET", own+"?referrers=articles.note", "", w.bearer("full"))
	changed := w.send("PATCH", own, `{"published":true,"fields":{"views":2}}`, w.bearer("full"), header("If-Match", first.Header.Get("ETag")))
	require.Equal(t, 200, changed.StatusCode, string(changed.body))
	w.must(w.send("PATCH", w.content("/content/"+itoa(ids[0])), `{"published":true,"fields":{"related":[]}}`, w.as("editor")))
	stale := w.send("PATCH", own, `{"published":true,"fields":{"views":3}}`, w.bearer("full"), header("If-Match", first.Header.Get("ETag")))
	require.Equal(t, 412, stale.StatusCode, string(stale.body))
}
