package rest_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEntryOfASingleton(t *testing.T) {
	t.Parallel()
	w := setup(t)
	all := "/api/projects/" + itoa(w.project.ID) + "/collections"
	made := w.send("POST", all, `{"slug":"home","name":"Home","singleton":true,"fields":[{"name":"title","type":"text"},{"name":"lead","type":"text"}]}`, w.as("super"))
	require.Equal(t, 201, made.StatusCode, string(made.body))
	assert.Equal(t, true, made.json(t)["singleton"])
	assert.Equal(t, true, w.send("GET", w.public("/collections/home"), "", w.bearer("read")).json(t)["singleton"])

	single, entries := w.public("/collections/home/entry"), w.public("/collections/home/entries")
	w.problem(404, "not_found", "GET", single, "", w.bearer("read"))
	entry := w.send("POST", entries, `{"fields":{"title":"Welcome","lead":"Hello"}}`, w.bearer("full"))
	require.Equal(t, 201, entry.StatusCode, string(entry.body))
	w.problem(404, "not_found", "GET", single, "", w.bearer("read"))
	w.problem(409, "singleton", "POST", entries, `{"fields":{"title":"Second"}}`, w.bearer("full"))
	own := entry.Header.Get("Location")
	require.Equal(t, 200, w.send("PATCH", own, `{"published":true,"fields":{}}`, w.bearer("full")).StatusCode)

	for _, query := range []string{"", "?timestamps=true", "?fields=title", "?depth=0"} {
		byID, alone := w.send("GET", own+query, "", w.bearer("read")), w.send("GET", single+query, "", w.bearer("read"))
		require.Equal(t, 200, alone.StatusCode, string(alone.body))
		assert.Equal(t, string(byID.body), string(alone.body))
		assert.Equal(t, byID.Header.Get("ETag"), alone.Header.Get("ETag"))
		again := w.send("GET", single+query, "", w.bearer("read"), header("If-None-Match", alone.Header.Get("ETag")))
		assert.Equal(t, 304, again.StatusCode)
	}
	for _, locale := range w.project.Locales[1:] {
		assert.Equal(t, "Welcome", w.send("GET", single+"?locale="+locale, "", w.bearer("read")).json(t)["title"], locale)
	}
	for _, query := range []string{"?locale=*", "?locale=", "?locale=xx-unknown-1", "?fields=nothing", "?limit=1"} {
		assert.Equal(t, 400, w.send("GET", single+query, "", w.bearer("read")).StatusCode, query)
	}
	several := w.problem(404, "not_found", "GET", w.public("/collections/articles/entry"), "", w.bearer("read"))
	assert.Contains(t, several["detail"], "several entries")
}

func TestSingletonAsItWas(t *testing.T) {
	t.Parallel()
	w := setup(t)
	project := "/api/projects/" + itoa(w.project.ID)
	w.must(w.send("POST", project+"/collections", `{"slug":"home","name":"Home","singleton":true,"fields":[{"name":"title","type":"text"}]}`, w.as("super")))
	token := w.must(w.send("POST", project+"/tokens", `{"name":"archive","abilities":["read"],"allowHistory":true}`, w.as("super")))
	history := header("Authorization", "Bearer "+token["secret"].(string))
	single := w.public("/collections/home/entry")
	own := w.send("POST", w.public("/collections/home/entries"), `{"published":true,"fields":{"title":"First"}}`, w.bearer("full")).Header.Get("Location")
	first, err := time.Parse(time.RFC3339Nano, w.must(w.send("GET", single, "", history))["publishedAt"].(string))
	require.NoError(t, err)
	time.Sleep(2 * time.Millisecond) // times of publications are whole milliseconds
	w.must(w.send("PATCH", own, `{"published":true,"fields":{"title":"Second"}}`, w.bearer("full")))
	time.Sleep(3 * time.Millisecond) // the second is public in the past

	asOf := func(at time.Time) string { return "?asOf=" + url.QueryEscape(at.Format(time.RFC3339Nano)) }
	assert.Equal(t, "Second", w.must(w.send("GET", single, "", history))["title"])
	assert.Equal(t, "First", w.must(w.send("GET", single+asOf(first), "", history))["title"])
	assert.Equal(t, "Second", w.must(w.send("GET", single+asOf(time.Now().UTC().Add(-time.Millisecond)), "", history))["title"])
	w.problem(404, "not_found", "GET", single+asOf(first.Add(-time.Millisecond)), "", history)
	w.problem(403, "forbidden", "GET", single+asOf(first), "", w.bearer("read"))
}
