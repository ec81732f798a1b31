package graphql_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/ports"
)

const newest = `{ entries(collection: "articles") { items { id data } totalCount } }`

// cached returns a service with a live change feed, so that it caches responses.
func cached(t *testing.T) *service {
	s := setup(t)
	s.changes.live.Store(true)
	return s
}

// change adds an article without announcing the change.
func (s *service) change(t *testing.T) {
	t.Helper()
	collections, err := s.stores.Collections.Collections(t.Context(), s.project.ID)
	require.NoError(t, err)
	schema := core.Schema{Project: s.project, Collection: collections[0], Collections: collections}
	document := core.Document(`{"tags":[],"title":"Late"}`)
	require.NoError(t, s.stores.Entries.Insert(t.Context(), schema, &core.Entry{
		ProjectID: s.project.ID, CollectionID: collections[0].ID, Locale: "en", Version: 1,
		Draft: document, Published: document, PublishedAt: day, CreatedAt: day, UpdatedAt: day, ReleasedAt: day,
	}))
}

func (s *service) announce(kind ports.ChangeKind, id int64) {
	s.changes.Publish(ports.Change{Kind: kind, ID: id})
}

func TestResponsesAreCachedUntilAChange(t *testing.T) {
	t.Parallel()
	for kind, seen := range map[ports.ChangeKind]bool{
		ports.ChangeContent: true, ports.ChangeSchema: true, ports.ChangeAll: true, ports.ChangeToken: false, ports.ChangeAccount: false,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := cached(t)
			first := s.post(t, newest)
			require.Contains(t, first.body, `"totalCount":3`)
			s.change(t)
			require.Equal(t, first.body, s.post(t, newest).body)
			require.EqualValues(t, 1, s.entries.lists.Load())
			s.announce(kind, s.project.ID)
			require.Equal(t, seen, s.post(t, newest).body != first.body)
		})
	}
}

func TestChangesOfOtherProjectsKeepTheCache(t *testing.T) {
	t.Parallel()
	s := cached(t)
	s.post(t, newest)
	s.announce(ports.ChangeContent, s.project.ID+1)
	s.post(t, newest)
	require.EqualValues(t, 1, s.entries.lists.Load())
}

func TestNothingIsCachedWithoutALiveFeed(t *testing.T) {
	t.Parallel()
	s := cached(t)
	s.post(t, newest)
	s.changes.live.Store(false)
	s.change(t)
	require.Contains(t, s.post(t, newest).body, `"totalCount":4`)
	s.post(t, newest)
	require.EqualValues(t, 3, s.entries.lists.Load())
	s.announce(ports.ChangeAll, 0)
	s.changes.live.Store(true)
	require.Contains(t, s.post(t, newest).body, `"totalCount":4`)
}

// Permissions of the token are checked for each request, also for cached responses.
func TestCachedResponsesRespectPermissions(t *testing.T) {
	t.Parallel()
	s := cached(t)
	drafts := `{"query":` + quoted(`{ entries(collection: "articles", state: "with_draft") { items { id } } }`) + `}`
	as := func(token string) exchange {
		return s.send(t, http.MethodPost, "", drafts, map[string]string{"Authorization": "Bearer " + token})
	}
	require.Empty(t, as("full").Errors)
	for range 2 {
		require.Equal(t, "FORBIDDEN", as("read").code())
		require.Equal(t, http.StatusForbidden, as("noread").status)
		require.Equal(t, http.StatusUnauthorized, as("unknown").status)
		require.Empty(t, as("full").Errors)
	}
	as("limited")
	require.Equal(t, http.StatusTooManyRequests, as("limited").status)
}

func TestErrorsAreNotCached(t *testing.T) {
	t.Parallel()
	s := cached(t)
	away := error(&core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "the database is unavailable"})
	s.entries.fault.Store(&away)
	require.Equal(t, http.StatusServiceUnavailable, s.post(t, `{ entries(collection: "articles") { items { id } } }`).status)
	partly := s.post(t, newest)
	require.NotEmpty(t, partly.Errors)
	s.entries.fault.Store(nil)
	require.Empty(t, s.post(t, newest).Errors)
	for range 2 {
		require.Equal(t, "GRAPHQL_VALIDATION_FAILED", s.post(t, `{ nothing }`).code())
		require.Equal(t, "BAD_USER_INPUT", s.post(t, `{ entries(collection: "articles", limit: 0) { items { id } } }`).code())
	}
}

// All forms of a request receive the same response.
func TestCachedResponsesAreEqualInEveryForm(t *testing.T) {
	t.Parallel()
	s := cached(t)
	sum := sha256.Sum256([]byte(newest))
	extensions := `{"persistedQuery":{"version":1,"sha256Hash":"` + hex.EncodeToString(sum[:]) + `"}}`
	byHash := "?extensions=" + url.QueryEscape(extensions)
	byText := "?query=" + url.QueryEscape(newest)
	require.Equal(t, "PERSISTED_QUERY_NOT_FOUND", s.send(t, http.MethodGet, byHash, "", nil).code())
	want := s.post(t, newest).body
	for range 2 {
		require.Equal(t, want, s.send(t, http.MethodPost, "", `{"query":`+quoted(newest)+`,"extensions":`+extensions+`}`, nil).body)
		require.Equal(t, want, s.send(t, http.MethodGet, byHash, "", nil).body)
		got := s.send(t, http.MethodGet, byText, "", nil)
		require.Equal(t, want, got.body)
		require.Equal(t, http.StatusNotModified, s.send(t, http.MethodGet, byText, "", map[string]string{"If-None-Match": got.header.Get("ETag")}).status)
		modern := s.send(t, http.MethodGet, byText, "", map[string]string{"Accept": "application/graphql-response+json"})
		require.Equal(t, want, modern.body)
		require.Equal(t, "application/graphql-response+json; charset=utf-8", modern.header.Get("Content-Type"))
		require.Equal(t, http.StatusNotAcceptable, s.send(t, http.MethodGet, byText, "", map[string]string{"Accept": "text/csv"}).status)
		require.Equal(t, http.StatusUnsupportedMediaType, s.send(t, http.MethodPost, "", `{"query":`+quoted(newest)+`}`, map[string]string{"Content-Type": "text/plain"}).status)
		require.EqualValues(t, 4, s.entries.lists.Load(), "each form is read once")
	}
}

func TestConcurrentRequestsShareARead(t *testing.T) {
	t.Parallel()
	s := cached(t)
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() { s.post(t, newest) })
	}
	running.Wait()
	require.EqualValues(t, 1, s.entries.lists.Load())
}
