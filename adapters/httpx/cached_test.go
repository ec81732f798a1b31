package httpx_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/httpx"
	"imprimatur/ports"
)

// liveFeed is a change feed of a single process.
type liveFeed struct{ *changefeed.Local }

func (liveFeed) Live() bool { return true }

// source makes responses that count how often they are made.
type source struct {
	httpx.Cached
	changes liveFeed
	made    atomic.Int64
	size    int
	err     error
}

func newSource() *source {
	changes := liveFeed{changefeed.NewLocal()}
	return &source{Cached: httpx.Cached{Cache: cache.NewReads(1<<20, changes)}, changes: changes, size: 5000}
}

func (s *source) load() (*httpx.Response, error) {
	body := strings.Repeat("x", s.size) + strconv.FormatInt(s.made.Add(1), 10)
	return &httpx.Response{Body: []byte(body), Tag: httpx.ContentETag([]byte(body))}, s.err
}

func (s *source) key(query string) ports.ReadKey {
	return ports.ReadKey{Kind: "test", ProjectID: 7, Epoch: s.Epoch(7), Query: query}
}

func TestCachedResponses(t *testing.T) {
	t.Parallel()
	s := newSource()
	read := func(key ports.ReadKey, coding httpx.Coding) *httpx.Response {
		t.Helper()
		response, err := s.Read(t.Context(), key, coding, s.load)
		require.NoError(t, err)
		return response
	}
	gzip := read(s.key("a"), httpx.Gzip)
	require.Equal(t, httpx.Gzip, gzip.Coding)
	plain := read(s.key("a"), httpx.Identity)
	require.Equal(t, plain.Body, httpx.Unzip(gzip.Body), "one load makes all codings")
	require.Equal(t, plain.Tag, gzip.Tag)
	require.Same(t, gzip, read(s.key("a"), httpx.Gzip))
	require.Equal(t, plain.Tag, read(s.key("a"), httpx.Brotli).Tag)
	require.EqualValues(t, 1, s.made.Load())

	for name, change := range map[string]func(*ports.ReadKey){
		"kind":    func(k *ports.ReadKey) { k.Kind = "another" },
		"drafts":  func(k *ports.ReadKey) { k.Drafts = true },
		"project": func(k *ports.ReadKey) { k.ProjectID++ },
		"query":   func(k *ports.ReadKey) { k.Query = "b" },
	} {
		key, made := s.key("a"), s.made.Load()
		change(&key)
		require.NotEqual(t, plain.Body, read(key, httpx.Identity).Body, name)
		require.Equal(t, made+1, s.made.Load(), name)
	}
	before := s.key("a")
	s.changes.Publish(ports.Change{Kind: ports.ChangeContent, ID: 7})
	require.NotEqual(t, before.Epoch, s.key("a").Epoch)
	require.NotEqual(t, plain.Tag, read(s.key("a"), httpx.Gzip).Tag)
}

// Without an epoch, and for long requests, each read calls load; Write encodes its response.
func TestUncachedResponses(t *testing.T) {
	t.Parallel()
	s := newSource()
	past := s.key("a")
	past.Epoch = 0
	require.Zero(t, httpx.Cached{}.Epoch(7))
	for i, key := range []ports.ReadKey{past, past, s.key(strings.Repeat("q", 16<<10+1))} {
		response, err := s.Read(t.Context(), key, httpx.Gzip, s.load)
		require.NoError(t, err)
		require.Equal(t, httpx.Identity, response.Coding)
		require.EqualValues(t, i+1, s.made.Load())
	}
}

func TestErrorsOfLoadsAreNotCached(t *testing.T) {
	t.Parallel()
	s := newSource()
	s.err = errors.New("away")
	for made := range 2 {
		_, err := s.Read(t.Context(), s.key("a"), httpx.Gzip, s.load)
		require.ErrorIs(t, err, s.err)
		require.EqualValues(t, made+1, s.made.Load(), "the request runs its load once")
	}
	s.err = nil
	_, err := s.Read(t.Context(), s.key("a"), httpx.Gzip, s.load)
	require.NoError(t, err)
}

// A request that waited for the load of an equal one, which failed, runs its own.
func TestAFailedLoadConcernsOneRequest(t *testing.T) {
	t.Parallel()
	s := newSource()
	failure := errors.New("the client disconnected")
	waiting, loading := make(chan struct{}), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		_, err := s.Read(t.Context(), s.key("a"), httpx.Identity, func() (*httpx.Response, error) {
			close(loading)
			<-waiting
			return nil, failure
		})
		assert.ErrorIs(t, err, failure)
	})
	<-loading
	for range 4 {
		running.Go(func() {
			_, err := s.Read(t.Context(), s.key("a"), httpx.Identity, s.load)
			assert.NoError(t, err)
		})
	}
	close(waiting)
	running.Wait()
}

func TestResponsesAreWritten(t *testing.T) {
	t.Parallel()
	long := []byte(strings.Repeat("long ", 500))
	for name, c := range map[string]struct {
		response httpx.Response
		coding   httpx.Coding
		known    string // If-None-Match
		status   int
		header   map[string]string
	}{
		"plain": {
			httpx.Response{Body: long, Tag: `"a"`}, httpx.Identity, "", 200,
			map[string]string{"Etag": `"a"`, "Cache-Control": "private, no-cache", "Content-Length": "2500"},
		},
		"encoded": {httpx.Response{Body: long, Tag: `"a"`}, httpx.Gzip, `"b"`, 200, map[string]string{"Etag": `"a"`, "Content-Encoding": "gzip"}},
		"short":   {httpx.Response{Body: []byte("short"), Tag: `"a"`}, httpx.Gzip, "", 200, map[string]string{"Content-Encoding": "", "Content-Length": "5"}},
		"known": {
			httpx.Response{Body: long, Tag: `"a"`}, httpx.Gzip, `W/"a"`, 304,
			map[string]string{"Etag": `"a"`, "Cache-Control": "private, no-cache", "Content-Type": "", "Content-Length": ""},
		},
		"without a tag": {httpx.Response{Body: long}, httpx.Identity, "*", 200, map[string]string{"Etag": "", "Cache-Control": "no-store"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, recorder := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
			if c.known != "" {
				request.Header.Set("If-None-Match", c.known)
			}
			c.response.Write(recorder, request, http.StatusOK, []string{"text/plain"}, c.coding)
			require.Equal(t, c.status, recorder.Code)
			for header, want := range c.header {
				require.Equal(t, want, recorder.Header().Get(header), header)
			}
			body := recorder.Body.Bytes()
			if recorder.Header().Get("Content-Encoding") == "gzip" {
				body = httpx.Unzip(body)
			}
			if c.status == http.StatusOK {
				require.Equal(t, string(c.response.Body), string(body))
			} else {
				require.Empty(t, body)
			}
		})
	}
}
