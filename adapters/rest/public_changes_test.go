package rest_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/ports"
)

// changes are the parts of a page that tests compare.
type changesPage struct {
	Data []struct {
		Op, Collection, Locale, ContentHash, PublishedAt string
		ID, Group                                        int64
		Entry, Media                                     json.RawMessage
	}
	Meta struct {
		Next    string
		HasMore bool
	}
}

func (w *world) changes(query string, changes ...with) (page changesPage, res answer) {
	w.t.Helper()
	res = w.send("GET", w.public("/changes"+query), "", append(changes, w.bearer("read"))...)
	require.Equal(w.t, 200, res.StatusCode, string(res.body))
	conforms(w.t, w.route("listChanges"), res)
	require.NotContains(w.t, string(res.body), "canary")
	require.NoError(w.t, json.Unmarshal(res.body, &page))
	return page, res
}

func TestFollowChanges(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.send("PATCH", w.content("/content/"+itoa(w.entry.ID)), `{"keepPublished":true,"fields":{"title":"draft canary"}}`, w.as("editor"))
	first, res := w.changes("")
	require.Len(t, first.Data, 2)
	assert.False(t, first.Meta.HasMore)
	assert.Equal(t, "5", res.Header.Get("Retry-After"))
	assert.Equal(t, "private, no-cache", res.Header.Get("Cache-Control"))
	alone := w.send("GET", w.public("/collections/articles/entries/"+itoa(w.entry.ID)), "", w.bearer("read"))
	put := first.Data[0]
	assert.Equal(t, "put", put.Op)
	assert.Equal(t, string(alone.body), string(put.Entry))
	assert.Equal(t, "articles", put.Collection)
	assert.Equal(t, w.entry.ID, put.Group)
	assert.Equal(t, alone.json(t)["publishedAt"], put.PublishedAt)
	note := w.send("GET", w.public("/media/"+itoa(w.note.ID)), "", w.bearer("read"))
	assert.Equal(t, "media", first.Data[1].Op)
	assert.Equal(t, string(note.body), string(first.Data[1].Media))
	paged, res := w.changes("?limit=1")
	assert.True(t, paged.Meta.HasMore)
	assert.Equal(t, "0", res.Header.Get("Retry-After"))

	// Nothing new: the same response, from the cache or not.
	quiet := "?since=" + first.Meta.Next
	same, res := w.changes(quiet)
	assert.Empty(t, same.Data)
	assert.Equal(t, first.Meta.Next, same.Meta.Next)
	tag := res.Header.Get("ETag")
	for _, lost := range []bool{false, true} {
		w.feedLost.Store(lost)
		again := w.send("GET", w.public("/changes"+quiet), "", w.bearer("read"), header("If-None-Match", tag))
		assert.Equal(t, http.StatusNotModified, again.StatusCode)
		assert.Equal(t, "5", again.Header.Get("Retry-After"))
		assert.Equal(t, tag, again.Header.Get("ETag"))
	}
	w.feedLost.Store(false)

	w.must(w.send("PATCH", w.content("/content/"+itoa(w.entry.ID)), `{"fields":{"views":7}}`, w.as("editor")))
	w.send("DELETE", w.public("/media/"+itoa(w.note.ID)), "", w.bearer("full"))
	next, _ := w.changes(quiet)
	require.Len(t, next.Data, 2)
	assert.Contains(t, string(next.Data[0].Entry), `"views":7`)
	assert.Equal(t, "mediaDeleted", next.Data[1].Op)
	assert.Equal(t, w.note.ID, next.Data[1].ID)
	require.Equal(t, 204, w.send("DELETE", w.public("/collections/articles/entries/"+itoa(w.entry.ID)), "", w.bearer("full")).StatusCode)
	gone, res := w.changes("?since=" + next.Meta.Next)
	assert.JSONEq(t, `[{"op":"delete","id":`+itoa(w.entry.ID)+`,"group":`+itoa(w.entry.ID)+`,"collection":"articles","locale":"en"}]`, dataOf(t, res))
	w.must(w.send("POST", w.content("/fields"), `{"name":"more","type":"text"}`, w.as("projectAdmin")))
	_, res = w.changes("?since=" + gone.Meta.Next)
	assert.JSONEq(t, `[{"op":"reset","collection":"articles"}]`, dataOf(t, res))
}

func dataOf(t *testing.T, res answer) string {
	t.Helper()
	var body struct{ Data json.RawMessage }
	require.NoError(t, json.Unmarshal(res.body, &body))
	return string(body.Data)
}

func TestRefusedChanges(t *testing.T) {
	t.Parallel()
	w := setup(t)
	page, _ := w.changes("")
	of, _ := w.changes("?collection=articles&locale=en")
	for _, query := range []string{
		"?limit=0", "?limit=501", "?limit=-1", "?limit=x", "?limit=", "?limit=1&limit=2", "?since=", "?since=x", "?since=%00", "?collection=", "?collection=nowhere", "?collection=articles'",
		"?locale=", "?locale=de", "?locale=*", "?until=x", "?offset=1", "?where[title]=x",
		"?since=" + page.Meta.Next + "&collection=articles", "?since=" + of.Meta.Next, "?since=" + of.Meta.Next + "&collection=articles", "?since=" + page.Meta.Next[1:],
	} {
		res := w.send("GET", w.public("/changes"+query), "", w.bearer("read"))
		assert.Equal(t, 400, res.StatusCode, "%s: %s", query, res.body)
		assert.NotContains(t, string(res.body), page.Meta.Next)
	}
	for _, token := range []string{"create", "update", "delete"} {
		w.problem(403, "forbidden", "GET", w.public("/changes"), "", w.bearer(token))
	}
	w.problem(401, "unauthenticated", "GET", w.public("/changes"), "")
	w.problem(404, "not_found", "GET", w.public("/changes"), "", w.bearer("other"))
	own := "/public/v2/projects/" + w.other.UUID + "/changes"
	w.problem(400, "bad_parameter", "GET", own+"?since="+page.Meta.Next, "", w.bearer("other"))
	_, err := w.stores.Aging.Delete(t.Context(), ports.AgedEvents, time.Now().Add(time.Hour), 1000)
	require.NoError(t, err)
	w.must(w.send("PATCH", w.content("/content/"+itoa(w.entry.ID)), `{"fields":{"views":7}}`, w.as("editor"))) // the cache has the response of before
	w.problem(410, "cursor_expired", "GET", w.public("/changes?since="+page.Meta.Next), "", w.bearer("read"))
}
