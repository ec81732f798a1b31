package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCountEntries counts articles by their tags.
func TestCountEntries(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.must(w.send("POST", w.content("/content"), `{"published":true,"fields":{"title":"<b>","tags":["b","<c> & d"]}}`, w.as("editor")))
	w.must(w.send("POST", w.content("/content"), `{"fields":{"title":"Draft","tags":["canary"]}}`, w.as("editor")))
	count := func(query string) answer {
		return w.send("GET", w.public("/collections/articles/entries/counts?"+query), "", w.bearer("full"))
	}
	res := count("by=tags")
	conforms(t, w.route("countEntries"), res)
	assert.Equal(t, `{"data":[{"value":"b","count":2},{"value":"<c> & d","count":1},{"value":"a","count":1}]}`, string(res.body))
	assert.Equal(t, `{"data":[{"value":"<c> & d","count":1},{"value":"b","count":1}]}`, string(count("by=tags&where[title]=%3Cb%3E").body))
	assert.Contains(t, string(count("by=tags&state=only_draft").body), `{"value":"canary","count":1}`)
	assert.Equal(t, `{"data":[]}`, string(count("by=tags&locale=fr&where[title]=none").body))
	reads := w.entries.reads.Load()
	again := w.send("GET", w.public("/collections/articles/entries/counts?by=tags"), "", w.bearer("full"), header("If-None-Match", res.Header.Get("ETag")))
	require.Equal(t, 304, again.StatusCode)
	assert.Equal(t, reads, w.entries.reads.Load(), "from the cache")
	for query, location := range map[string]string{
		"": "by", "by=": "by", "by=title": "by", "by=note": "by", "by=views": "by", "by=none": "by", "by=tags&by=tags": "by", "by=tags&zone=UTC": "zone", "by=publishedAt:year&zone=": "zone",
		"by=tags&sort=id": "sort", "by=tags&limit=1": "limit", "by=tags&offset=0": "offset", "by=tags&count=true": "count", "by=tags&timestamps=true": "timestamps",
		"by=tags&fields=title": "fields", "by=tags&after=x": "after", "by=tags&locale=xx": "locale", "by=tags&state=x": "state", "by=tags&search=x": "search",
	} {
		res := count(query)
		require.Equal(t, 400, res.StatusCode, query)
		assert.Contains(t, string(res.body), `"location":"`+location+`"`, query)
	}
	w.problem(403, "forbidden", "GET", w.public("/collections/articles/entries/counts?by=tags&state=with_draft"), "", w.bearer("read"))
	w.problem(404, "not_found", "GET", w.public("/collections/none/entries/counts?by=tags"), "", w.bearer("read"))
}
