package rest_test

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/httpx"
)

// Repeated requests for a URL get the cached bytes without a read of entries, until the entry
// changes.
func TestResponsesAreCachedByURL(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, path := range []string{
		"/collections/articles/entries?where[title]=Alpha&count=true",
		"/collections/articles/entries/" + itoa(w.entry.ID) + "?timestamps=true",
	} {
		first := w.send("GET", w.public(path), "", w.bearer("read"))
		require.Equal(t, 200, first.StatusCode, string(first.body))
		read := w.entries.reads.Load()
		again := w.send("GET", w.public(path), "", w.bearer("read"))
		assert.Equal(t, string(first.body), string(again.body))
		assert.Equal(t, first.Header.Get("ETag"), again.Header.Get("ETag"))
		assert.Equal(t, read, w.entries.reads.Load(), "%s was read again", path)

		views := `{"fields":{"views":` + itoa(read+100) + `},"published":true}`
		changed := w.send("PATCH", w.public("/collections/articles/entries/"+itoa(w.entry.ID)), views, w.bearer("full"))
		require.Equal(t, 200, changed.StatusCode, string(changed.body))
		after := w.send("GET", w.public(path), "", w.bearer("read"))
		assert.Contains(t, string(after.body), `"views":`+itoa(read+100))
		assert.NotEqual(t, first.Header.Get("ETag"), after.Header.Get("ETag"))
	}
}

// Each content coding of a response is cached. All codings are created from one read, and a change
// invalidates all of them.
func TestCompressedResponsesAreCached(t *testing.T) {
	t.Parallel()
	w := setup(t)
	long := func(text string) {
		written := w.send("PATCH", w.public("/collections/articles/entries/"+itoa(w.entry.ID)),
			`{"fields":{"title":"`+strings.Repeat(text, 140)+`","tags":["`+strings.Repeat(text, 140)+`"]},"published":true}`, w.bearer("full"))
		require.Equal(t, 200, written.StatusCode, string(written.body))
	}
	path := w.public("/collections/articles/entries?count=true")
	long("first ")
	before := w.entries.reads.Load()
	tags := map[string]bool{}
	for range 2 {
		for _, coding := range []string{"", "gzip", "br", "zstd"} {
			res := w.send("GET", path, "", w.bearer("read"), header("Accept-Encoding", coding))
			require.Equal(t, coding, res.Header.Get("Content-Encoding"))
			tags[res.Header.Get("ETag")] = true
		}
	}
	assert.Equal(t, before+1, w.entries.reads.Load())
	assert.Len(t, tags, 1)
	long("second ")
	res := w.send("GET", path, "", w.bearer("read"), header("Accept-Encoding", "gzip"))
	assert.Contains(t, string(httpx.Unzip(res.body)), "second")
}

// A cached response is not returned to a caller without permission. Invalid requests are rejected
// each time.
func TestCachedResponsesNeedAuthorization(t *testing.T) {
	t.Parallel()
	w := setup(t)
	drafts := w.public("/collections/articles/entries?state=with_draft")
	for range 2 {
		assert.Equal(t, 200, w.send("GET", drafts, "", w.bearer("full")).StatusCode)
		assert.Equal(t, 403, w.send("GET", drafts, "", w.bearer("read")).StatusCode)
		assert.Equal(t, 401, w.send("GET", drafts, "").StatusCode)
		assert.Equal(t, 400, w.send("GET", drafts+"&wher=1", "", w.bearer("full")).StatusCode)
		assert.Equal(t, 404, w.send("GET", w.public("/collections/articles/entries/999"), "", w.bearer("full")).StatusCode)
	}
}

// A large page is complete, and the same in every response.
func TestLargePages(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tag := `"` + strings.Repeat("ä", 500) + `"`
	for n := range 3 {
		created := w.send("POST", w.public("/collections/articles/entries"),
			`{"fields":{"title":"`+itoa(int64(n))+`","tags":[`+tag+strings.Repeat(","+tag, 59)+`]},"published":true}`, w.bearer("full"))
		require.Equal(t, 201, created.StatusCode, string(created.body))
	}
	path := w.public("/collections/articles/entries?count=true&sort=id:asc")
	first := w.send("GET", path, "", w.bearer("read"))
	require.Equal(t, 200, first.StatusCode)
	require.Greater(t, len(first.body), 3*60_000)
	assert.Equal(t, first.Header.Get("Content-Length"), strconv.Itoa(len(first.body)))
	assert.Len(t, first.json(t)["data"], int(first.json(t)["meta"].(map[string]any)["total"].(float64)))
	assert.Equal(t, first.body, w.send("GET", path, "", w.bearer("read")).body)
}

// Concurrent responses do not mix, even while the cache is switched off and on by
// an unreliable change feed.
func TestConcurrentResponsesDoNotMix(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for n := range 12 {
		created := w.send("POST", w.public("/collections/articles/entries"),
			`{"fields":{"title":"`+itoa(int64(n))+strings.Repeat("x", 80*n)+`"},"published":true}`, w.bearer("full"))
		require.Equal(t, 201, created.StatusCode, string(created.body))
	}
	want := map[string]string{}
	for limit := range int64(12) {
		path := w.public("/collections/articles/entries?sort=id:asc&limit=" + itoa(limit+1))
		want[path] = string(w.send("GET", path, "", w.bearer("full")).body)
	}
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
				w.feedLost.Store(n%2 > 0)
				runtime.Gosched()
			}
		}
	}()
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 10 { // within the token's budget
				for path, body := range want {
					if got := w.send("GET", path, "", w.bearer("full")); string(got.body) != body {
						t.Errorf("%s: got %d other bytes, want the %d bytes of the first response", path, len(got.body), len(body))
					}
				}
			}
		})
	}
	readers.Wait()
	close(done)
}
