package graphql_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/graphql"
	"imprimatur/adapters/httpx"
	"imprimatur/adapters/memory"
	"imprimatur/adapters/ratelimit"
	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/cachetag"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// service is the API on a project in memory, with tokens by name.
type service struct {
	server  *httptest.Server
	handler http.Handler
	stores  ports.Stores
	project *core.Project
	entries *watchedEntries
	media   *watchedMedia
	reader  *reading.Reader
	changes *feed
}

// feed is a change feed whose liveness the test sets; responses are cached only while it is
// live.
type feed struct {
	*changefeed.Local
	live atomic.Bool
}

func (f *feed) Live() bool { return f.live.Load() }

var day = time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)

func setup(t testing.TB) *service {
	t.Helper()
	return setupTagged(t, nil)
}

// setupTagged is setup with cache tags.
func setupTagged(t testing.TB, tags *cachetag.Scheme) *service {
	t.Helper()
	ctx := context.Background()
	stores := memory.New().Stores()
	tenant := &core.Tenant{Name: "Meridian", CreatedAt: time.Now(), UpdatedAt: time.Now()}
	require.NoError(t, stores.Tenants.Insert(ctx, tenant))
	s := &service{stores: stores, project: &core.Project{
		UUID: "5b6b1a0e-3a6c-4a43-8d2a-0a6f7f0f9c11", TenantID: tenant.ID, Name: "World Desk",
		DefaultLocale: "en", Locales: []string{"en", "fr"}, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}}
	require.NoError(t, stores.Projects.Insert(ctx, s.project))
	s.fill(t)

	s.changes = &feed{Local: changefeed.NewLocal()}
	schemas := cache.NewSchemas(stores, s.changes)
	s.entries = &watchedEntries{EntryReader: stores.Entries}
	s.media = &watchedMedia{MediaReader: stores.Media}
	s.reader = reading.NewReader(s.entries, schemas, stores.Media, "https://files.example")
	one := 1
	tokens := holders{
		"full":    {ID: 1, AllowDrafts: true, Abilities: []core.Ability{core.AbilityRead, core.AbilityCreate}},
		"read":    {ID: 2, Abilities: []core.Ability{core.AbilityRead}},
		"noread":  {ID: 3, Abilities: []core.Ability{core.AbilityCreate}},
		"limited": {ID: 4, Abilities: []core.Ability{core.AbilityRead}, RateLimit: &one},
	}
	for _, token := range tokens {
		token.ProjectID = s.project.ID
	}
	noLimit := ports.Budget{Window: time.Minute}
	s.handler = httpx.Wrap(graphql.New(graphql.Deps{
		Gateway:    httpx.NewGateway(tokens, ratelimit.NewLocal(systemclock.New()), noLimit, httpx.NewCookies(&url.URL{Scheme: "http", Host: "cms.test"})),
		Authorizer: access.NewAuthorizer(stores.Tenants, stores.Departments, schemas),
		Reader:     s.reader,
		Previews:   reading.NewPreviews(stores, s.reader),
		Media:      s.media,
		Files:      "https://files.example",
		Cache:      cache.NewReads(1<<20, s.changes),
		Limiter:    httpx.NewLimiter(8),
		Tags:       tags,
	}), httpx.Options{Logger: zap.NewNop()})
	s.server = httptest.NewServer(s.handler)
	t.Cleanup(s.server.Close)
	return s
}

// fill creates three published articles, a draft, a French one and a picture.
func (s *service) fill(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	articles := &core.Collection{
		CreatedAt: day, UpdatedAt: day, ProjectID: s.project.ID, Slug: "articles", Name: "Articles", Description: "What we write", NextFieldID: 6, Version: 1,
		Fields: []*core.Field{
			{ID: 1, Name: "title", Label: "Title", Type: core.TypeText},
			{ID: 2, Name: "views", Label: "Views", Type: core.TypeNumber},
			{ID: 3, Name: "featured", Label: "Featured", Type: core.TypeBoolean},
			{ID: 4, Name: "tags", Label: "Tags", Type: core.TypeText, Multiple: true},
			{ID: 5, Name: "secretNote", Label: "Note", Type: core.TypeText, Hidden: true},
		},
	}
	empty := &core.Collection{CreatedAt: day, UpdatedAt: day, ProjectID: s.project.ID, Slug: "notes", Name: "Notes", NextFieldID: 1, Version: 1}
	require.NoError(t, s.stores.Collections.Insert(ctx, articles))
	require.NoError(t, s.stores.Collections.Insert(ctx, empty))
	schema := core.Schema{Project: s.project, Collection: articles, Collections: []*core.Collection{articles, empty}}
	add := func(document string, change func(*core.Entry)) {
		e := &core.Entry{
			ProjectID: s.project.ID, CollectionID: articles.ID, Locale: "en", Version: 1,
			Draft: core.Document(document), Published: core.Document(document),
			PublishedAt: day, CreatedAt: day.Add(-time.Hour), UpdatedAt: day.Add(time.Hour), ReleasedAt: day.Add(time.Minute),
		}
		change(e)
		require.NoError(t, s.stores.Entries.Insert(ctx, schema, e))
	}
	published := func(*core.Entry) {}
	add(`{"featured":true,"secretNote":"canary","tags":["a","b"],"title":"Alpha 😀","views":1}`, published)
	add(`{"featured":false,"tags":["b"],"title":"Beta, \"quoted\"","views":2.5}`, published)
	add(`{"tags":[],"title":"Gamma","views":9007199254740991}`, published)
	add(`{"tags":[],"title":"Draft"}`, func(e *core.Entry) {
		e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{}
	})
	add(`{"tags":[],"title":"Alpha en français"}`, func(e *core.Entry) { e.Group, e.Locale = 1, "fr" })
	require.NoError(t, s.stores.Media.Insert(ctx, &core.MediaItem{
		CreatedAt: day, UpdatedAt: day, ProjectID: s.project.ID, FileName: "harbour.jpg", Full: "u/a.jpg", Thumb: "u/b.jpg",
		Caption: "The harbour", Tags: []string{"sea"}, MimeType: "image/jpeg", Size: 1234, Width: 640, Height: 480,
	}))
}

// holders is an authenticator with tokens by secret.
type holders map[string]*core.Token

func (h holders) Token(_ context.Context, secret string, _ core.Ability) (core.Actor, error) {
	if token, ok := h[secret]; ok {
		return core.Actor{Token: token}, nil
	}
	return core.Actor{}, core.Unauthenticated()
}

func (h holders) Assistant(context.Context, string) (core.Actor, error) {
	return core.Actor{}, core.Unauthenticated()
}

// Preview returns a super admin's preview of the draft of the entry whose id ends the secret.
func (h holders) Preview(_ context.Context, secret string) (core.Actor, error) {
	id, err := strconv.ParseInt(secret[strings.LastIndexByte(secret, '_')+1:], 10, 64)
	if err != nil {
		return core.Actor{}, core.Unauthenticated()
	}
	read := h["read"]
	return core.Actor{User: &core.User{ID: 1, Active: true, SuperAdmin: true}, Preview: &core.Preview{
		ProjectID: read.ProjectID, CollectionID: 1, EntryID: id, Of: core.PreviewDraft, Drafts: strings.HasPrefix(secret, "imv_drafts"),
	}}, nil
}

func (h holders) Session(context.Context, string, account.Exempt) (core.Actor, error) {
	return core.Actor{}, core.Unauthenticated()
}

// watchedEntries counts reads and can fail them.
type watchedEntries struct {
	ports.EntryReader
	lists, counts, both atomic.Int64 // both counts calls of List with a total
	fault               atomic.Pointer[error]
}

// Seeing implements ports.EntryReader. It notes nothing.
func (w *watchedEntries) Seeing(*release.Seen) ports.EntryReader { return w }

func (w *watchedEntries) List(ctx context.Context, sel query.Selection, counted bool) ([]core.Row, int64, error) {
	w.lists.Add(1)
	if counted {
		w.both.Add(1)
	}
	if fault := w.fault.Load(); fault != nil {
		return nil, 0, *fault
	}
	return w.EntryReader.List(ctx, sel, counted)
}

func (w *watchedEntries) Count(ctx context.Context, sel query.Selection) (int64, error) {
	w.counts.Add(1)
	return w.EntryReader.Count(ctx, sel)
}

// exchange is one response with its whole body.
type exchange struct {
	status int
	header http.Header
	body   string
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Path       []any
		Extensions map[string]any
	}
}

// code returns the code of the first error.
func (e exchange) code() string {
	if len(e.Errors) == 0 {
		return ""
	}
	code, _ := e.Errors[0].Extensions["code"].(string)
	return code
}

func (e exchange) message() string {
	if len(e.Errors) == 0 {
		return ""
	}
	return e.Errors[0].Message
}

// post sends a query and its variables with the token "full".
func (s *service) post(t testing.TB, query string, variables ...string) exchange {
	t.Helper()
	body := `{"query":` + quoted(query)
	if len(variables) > 0 {
		body += `,"variables":` + variables[0]
	}
	return s.send(t, http.MethodPost, "", body+"}", nil)
}

// send sends a request with the token "full", unless header says otherwise.
func (s *service) send(t testing.TB, method, params, body string, header map[string]string) exchange {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.server.URL+"/public/v2/graphql"+params, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer full")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		if request.Header.Set(name, value); value == "" {
			request.Header.Del(name)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	response := exchange{status: resp.StatusCode, header: resp.Header, body: string(read)}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") && len(read) > 0 {
		require.NoError(t, json.Unmarshal(read, &response), string(read))
	}
	return response
}

func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
