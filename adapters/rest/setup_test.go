package rest_test

import (
	"bytes"
	"context"
	"crypto/rand"
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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"imprimatur/adapters/blobstore"
	"imprimatur/adapters/cache"
	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/httpx"
	"imprimatur/adapters/memory"
	"imprimatur/adapters/password"
	"imprimatur/adapters/ratelimit"
	"imprimatur/adapters/rest"
	"imprimatur/adapters/systemclock"
	"imprimatur/adapters/webauthn"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/core/delegation"
	"imprimatur/core/delivery"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
	"imprimatur/core/live"
	"imprimatur/core/media"
	"imprimatur/core/notices"
	"imprimatur/core/publishing"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
	"imprimatur/core/webhook"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

const (
	origin       = "http://cms.test"
	userPassword = "correct horse battery staple"
	files        = "https://files.example" // serves /files
)

// world is an API with an organisation in memory: two tenants with one Project each. The Project
// of the first tenant is in a department.
type world struct {
	t       testing.TB
	handler http.Handler
	routes  []rest.Route
	stores  ports.Stores
	entries *countedEntries

	limiters httpx.Limiters
	usage    *access.Usage

	tenant, otherTenant core.Tenant
	department          core.Department
	role                core.CustomRole
	project, other      *core.Project
	articles            *core.Collection
	hero                *core.Component
	entry, trashed      core.Entry
	submitted           int64        // id of an entry under review, or 0
	commented           int64        // id of a comment on its request, or 0
	run                 int64        // of an assistant
	both                core.User    // has a role in both tenants, and makes no call
	feedLost            *atomic.Bool // true switches the caches off
	library             *media.Library
	blobs               ports.BlobStore
	note                core.MediaItem // a text file
	tokenID             int64
	webhookID           int64
	providerID          int64
	deliveryID          int64
	users               map[string]core.User
	cookies             map[string]string // session ids by user name
	secrets             map[string]string // token secrets by token name
}

// liveFeed is a change feed of a single process. It is live until lost is true.
type liveFeed struct {
	*changefeed.Local
	lost *atomic.Bool
}

func (f liveFeed) Live() bool { return !f.lost.Load() }

// countedEntries counts how often entries are read.
type countedEntries struct {
	ports.EntryReader
	reads atomic.Int64
}

// Seeing implements ports.EntryReader. It notes nothing.
func (c *countedEntries) Seeing(*release.Seen) ports.EntryReader { return c }

func (c *countedEntries) List(ctx context.Context, sel query.Selection, counted bool) ([]core.Row, int64, error) {
	c.reads.Add(1)
	return c.EntryReader.List(ctx, sel, counted)
}

func (c *countedEntries) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	c.reads.Add(1)
	return c.EntryReader.Published(ctx, projectID, collectionID, id)
}

// effectChecker is an idempotency store. It checks that every successful request with a key has
// called TakeEffect.
type effectChecker struct {
	ports.IdempotencyStore
	t testing.TB
}

func (s effectChecker) Finish(ctx context.Context, claim core.IdempotencyClaim, response ports.StoredResponse) error {
	if response.Status < http.StatusBadRequest {
		_, earlier, err := s.Begin(ctx, claim.Key, [32]byte{}, -time.Second)
		assert.NoError(s.t, err)
		assert.True(s.t, earlier.Lost, "the effect is not recorded for the key of its request")
	}
	return s.IdempotencyStore.Finish(ctx, claim, response)
}

func setup(t testing.TB) *world {
	t.Helper()
	return setupWith(t, func(*rest.Deps) {})
}

// setupWith is setup with other dependencies.
func setupWith(t testing.TB, change func(*rest.Deps)) *world {
	t.Helper()
	return setupOn(t, memory.New(), ratelimit.NewLocal(systemclock.New()), change)
}

// setupOn is setupWith on a store and with a rate limiter.
func setupOn(t testing.TB, store *memory.Store, limiter ports.RateLimiter, change func(*rest.Deps)) *world {
	t.Helper()
	stores, changes, clock := store.Stores(), liveFeed{changefeed.NewLocal(), new(atomic.Bool)}, systemclock.New()
	store.OnCommit(changes.Committed)
	hasher := password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1})
	schemas := cache.NewSchemas(stores, changes)
	cookies := httpx.NewCookies(&url.URL{Scheme: "http", Host: "cms.test"})
	usage := access.NewUsage(stores.Tokens, stores.Sessions, clock)
	authenticator := access.NewAuthenticator(cache.NewCredentials(stores, changes), clock, usage)
	reads := cache.NewReads(1<<20, changes)
	entries := &countedEntries{EntryReader: stores.Entries}
	reader := reading.NewReader(entries, schemas, stores.Media, files)
	publisher := publishing.New(clock, nil)
	requests := approval.NewRequests(publisher)
	writer := writing.NewWriter(stores, store, stores.Collections, requests, publisher, hasher)
	blobs, err := blobstore.Open(context.Background(), "mem://")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	library := media.NewLibrary(stores, store, blobs, fakeImager{}, clock, media.WithFetcher(fakeFetcher{}))
	limiters := httpx.NewLimiters(1, 1)
	passkeys := webauthn.New(&url.URL{Scheme: "https", Host: "cms.example"})
	factors := identity.NewFactors(stores, store, access.Standing{}, clock)
	keys := signing.NewKeys(stores.SigningKeys, stores.Clock, store, secret.New())
	definitions := definition.NewCollections(stores, store, requests, clock)
	sessions := identity.NewSessions(stores, store, hasher, clock, secret.Key{}, passkeys)
	invitations := identity.NewInvitations(stores, store, hasher, access.Standing{}, clock, letter.Post{})
	providers := identity.NewProviders(stores, store, access.Standing{}, clock, secret.Key{}, anyProvider{})
	hub := live.New(reading.NewChanges(stores, files), schemas, changes, 10)
	t.Cleanup(hub.Close)
	deps := rest.Deps{
		Gateway:      httpx.NewGateway(authenticator, limiter, httpx.DefaultBudget, cookies),
		Cookies:      cookies,
		Authorizer:   access.NewAuthorizer(stores.Tenants, stores.Departments, schemas),
		Sessions:     sessions,
		Schemas:      schemas,
		Tokens:       access.NewTokens(stores.Tokens, store, clock, usage),
		Organisation: access.NewOrganisation(stores, store, clock),
		Members:      access.NewMembers(stores, store),
		Users:        access.NewUsers(stores, store, hasher, clock, letter.Post{}),
		Invitations:  invitations,
		Resets:       identity.NewResets(stores, store, hasher, clock, letter.Post{On: true}),
		Addresses:    identity.NewAddresses(stores, store, clock, letter.Post{}),
		Providers:    providers,
		SignOn:       identity.NewSignOn(stores, store, clock, secret.Key{}, anyProvider{}, providers, sessions, invitations, letter.Post{}, "https://cms.example.org"),
		Base:         "https://cms.example.org",
		Passwords:    identity.NewPasswords(stores, store, hasher, access.Standing{}, clock),
		Factors:      factors,
		Apps:         identity.NewApps(factors, secret.Key{}),
		Passkeys:     identity.NewPasskeys(stores, factors, clock, secret.Key{}, passkeys), PasskeyAlgorithms: webauthn.Algorithms,
		Clock:         clock,
		Reader:        reader,
		Writer:        writer,
		Releases:      releasing.New(stores, store, writer, requests, publisher),
		Drafts:        reading.NewDrafts(stores, reader),
		Collections:   definitions,
		Planner:       schema.NewPlanner(definitions, stores, store),
		Workflows:     approval.NewWorkflows(stores, store, clock),
		Reviews:       approval.NewReviews(stores, store, publisher),
		Inbox:         approval.NewInbox(stores),
		Delegations:   delegation.New(stores, store, clock, access.Standing{}),
		Assistants:    access.NewAssistants(stores, store, clock),
		PreviewTokens: access.NewPreviews(store, clock),
		Publications:  proof.NewPublications(stores, keys),
		Keys:          keys,
		Previews:      reading.NewPreviews(stores, reader),
		History:       reading.NewHistory(stores, schemas, files),
		Changes:       reading.NewChanges(stores, files),
		Live:          hub,
		LiveLife:      10 * time.Millisecond,
		Former:        reading.NewFormer(reader, stores.Publications),
		Events:        stores.Events,
		Webhooks:      delivery.NewWebhooks(stores, store, anyAddress{}, secret.Key{}, clock),
		Notices:       notices.New(stores, store),
		Idempotency:   effectChecker{stores.Idempotency, t},
		Media:         library,
		Files:         files,
		Cache:         reads,
		Limiters:      limiters,
	}
	change(&deps)
	api := rest.New(deps)
	w := &world{
		t: t, usage: usage, entries: entries, limiters: limiters, feedLost: changes.lost, handler: httpx.Wrap(api.Handler(), httpx.Options{Logger: zap.NewNop()}), routes: api.Routes(), stores: stores, library: library, blobs: blobs,
		users: map[string]core.User{}, cookies: map[string]string{}, secrets: map[string]string{},
	}
	w.fillOrganisation(hasher)
	w.fillTokens()
	w.fillAssistants()
	w.fillWebhooks(api.Webhooks)
	w.fillProviders(api.Providers)
	w.fillContent()
	w.note = w.keep(w.project, "note.txt", "a note", "the first note")
	return w
}

func (w *world) fillOrganisation(hasher ports.PasswordHasher) {
	ctx, now := context.Background(), time.Now().UTC().Truncate(time.Millisecond)
	w.tenant, w.otherTenant = core.Tenant{Name: "Meridian", Assistants: true, CreatedAt: now, UpdatedAt: now},
		core.Tenant{Name: "Elsewhere", Assistants: true, CreatedAt: now, UpdatedAt: now}
	require.NoError(w.t, w.stores.Tenants.Insert(ctx, &w.tenant))
	require.NoError(w.t, w.stores.Tenants.Insert(ctx, &w.otherTenant))
	w.department = core.Department{TenantID: w.tenant.ID, Name: "Newsroom", CreatedAt: now, UpdatedAt: now}
	require.NoError(w.t, w.stores.Departments.Insert(ctx, &w.department))
	w.role = core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: "Legal", CreatedAt: now}
	require.NoError(w.t, w.stores.CustomRoles.Insert(ctx, &w.role))
	w.project = &core.Project{
		UUID: "5b6b1a0e-3a6c-4a43-8d2a-0a6f7f0f9c11", TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: "World Desk",
		DefaultLocale: "en", Locales: []string{"en", "fr"}, UploadLimit: core.DefaultUploadLimit, CreatedAt: now, UpdatedAt: now,
	}
	w.other = &core.Project{
		UUID: "00000000-3a6c-4a43-8d2a-0a6f7f0f9c22", TenantID: w.otherTenant.ID, Name: "Beside",
		DefaultLocale: "en", Locales: []string{"en"}, UploadLimit: core.DefaultUploadLimit, CreatedAt: now, UpdatedAt: now,
	}
	require.NoError(w.t, w.stores.Projects.Insert(ctx, w.project))
	require.NoError(w.t, w.stores.Projects.Insert(ctx, w.other))

	w.both = core.User{Email: "both@meridian.example", Name: "Both", TenantID: w.tenant.ID, Active: true, CreatedAt: now, UpdatedAt: now}
	require.NoError(w.t, w.stores.Users.Insert(ctx, &w.both))
	require.NoError(w.t, w.stores.Grants.Set(ctx, core.Grant{UserID: w.both.ID, Role: core.RoleTenantAdmin, TenantID: w.otherTenant.ID}))

	hash, err := hasher.Hash(ctx, userPassword)
	require.NoError(w.t, err)
	for name, role := range map[string]core.Role{
		"super": core.RoleSuperAdmin, "tenantAdmin": core.RoleTenantAdmin, "departmentAdmin": core.RoleDepartmentAdmin,
		"projectAdmin": core.RoleAdmin, "editor": core.RoleEditor, "viewer": core.RoleViewer,
		"outsider": "", "otherAdmin": core.RoleTenantAdmin, "holder": "",
	} {
		u := core.User{
			Email: strings.ToLower(name) + "@meridian.example", Name: name, TenantID: w.tenant.ID, PasswordHash: hash,
			SuperAdmin: role == core.RoleSuperAdmin, Active: true, CreatedAt: now, UpdatedAt: now,
		}
		grant := core.Grant{Role: role, TenantID: w.tenant.ID}
		switch {
		case name == "otherAdmin":
			u.TenantID, grant.TenantID = w.otherTenant.ID, w.otherTenant.ID
		case name == "outsider" || name == "holder":
			u.TenantID = w.otherTenant.ID
		case role == core.RoleDepartmentAdmin:
			grant.DepartmentID = w.department.ID
		case role != core.RoleTenantAdmin:
			grant.DepartmentID, grant.ProjectID = w.department.ID, w.project.ID
		}
		require.NoError(w.t, w.stores.Users.Insert(ctx, &u))
		if name == "editor" || name == "holder" {
			require.NoError(w.t, w.stores.CustomRoles.Assign(ctx, w.role.ID, u.ID))
		}
		if role != "" && !u.SuperAdmin {
			grant.UserID = u.ID
			require.NoError(w.t, w.stores.Grants.Set(ctx, grant))
		}
		w.users[name] = u
		w.cookies[name] = name + strings.Repeat("x", len(rand.Text())-len(name)) // as long as a real session id
		require.NoError(w.t, w.stores.Sessions.Insert(ctx, account.Session{
			Hash: secret.Hash(w.cookies[name]), UserID: u.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		}))
	}
}

func (w *world) fillTokens() {
	ctx, now := context.Background(), time.Now().UTC().Truncate(time.Millisecond)
	all := []core.Ability{core.AbilityRead, core.AbilityCreate, core.AbilityUpdate, core.AbilityDelete}
	few, none := 2, 0
	for name, token := range map[string]core.Token{
		"full":       {Abilities: all, AllowDrafts: true},
		"read":       {Abilities: all[:1]},
		"create":     {Abilities: all[1:2]},
		"update":     {Abilities: all[2:3]},
		"delete":     {Abilities: all[3:]},
		"readupdate": {Abilities: []core.Ability{core.AbilityRead, core.AbilityUpdate}},
		"measure":    {Abilities: all, RateLimit: &none},
		"few":        {Abilities: all, RateLimit: &few},
		"expired":    {Abilities: all, ExpiresAt: now.Add(-time.Second)},
		"revoked":    {Abilities: all, RevokedAt: now.Add(-time.Second)},
		"other":      {Abilities: all, ProjectID: w.other.ID},
		"schema":     {Abilities: all[:1], AllowSchema: core.SchemaDestructive, CreatedBy: w.users["projectAdmin"].ID, ExpiresAt: now.AddDate(0, 0, 1)},
	} {
		if token.ProjectID == 0 {
			token.ProjectID = w.project.ID
		}
		text := access.NewSecret()
		token.Name, token.Hash, token.CreatedAt = name, secret.Hash(text), now
		require.NoError(w.t, w.stores.Tokens.Insert(ctx, &token))
		w.secrets[name] = text
		if name == "read" {
			w.tokenID = token.ID
		}
	}
}

// fillAssistants adds the assistants of the matrix. Those without drafts only read what is public.
func (w *world) fillAssistants() {
	now := time.Now().UTC().Truncate(time.Millisecond)
	for name, of := range map[string]struct {
		user string
		core.Assistant
	}{
		"bySuper":          {"super", core.Assistant{Drafts: true}},
		"byAdmin":          {"projectAdmin", core.Assistant{Drafts: true}},
		"byEditor":         {"editor", core.Assistant{Drafts: true}},
		"byViewer":         {"viewer", core.Assistant{Drafts: true}},
		"reader":           {"editor", core.Assistant{}},
		"byOutsider":       {"outsider", core.Assistant{Drafts: true}},
		"byHolder":         {"holder", core.Assistant{Drafts: true}},
		"elsewhere":        {"super", core.Assistant{Drafts: true, ProjectIDs: []int64{w.other.ID}}},
		"expiredAssistant": {"editor", core.Assistant{Drafts: true, ExpiresAt: now.Add(-time.Second)}},
		"revokedAssistant": {"editor", core.Assistant{Drafts: true, RevokedAt: now.Add(-time.Second)}},
	} {
		a, text := of.Assistant, access.NewAssistantSecret()
		a.Name, a.UserID, a.Hash, a.CreatedAt = name, w.users[of.user].ID, secret.Hash(text), now
		if a.ProjectIDs == nil {
			a.ProjectIDs = []int64{w.project.ID}
		}
		if a.ExpiresAt.IsZero() {
			a.ExpiresAt = now.Add(time.Hour)
		}
		require.NoError(w.t, w.stores.Assistants.Insert(context.Background(), &a))
		w.secrets[name] = text
	}
}

// anyAddress allows webhooks at any address.
type anyAddress struct{}

func (anyAddress) Fault(context.Context, string) string { return "" }

// anyProvider allows identity providers at any address. No domain has records.
type anyProvider struct{ anyAddress }

func (anyProvider) Records(context.Context, string) ([]string, error) { return nil, nil }

func (anyProvider) SignInAddress(_ context.Context, p ports.ProviderClient, r ports.ProviderRequest) (string, error) {
	return p.Issuer + "/authorize?state=" + r.State, nil
}

// Redeem takes the code for the subject.
func (anyProvider) Redeem(_ context.Context, _ ports.ProviderClient, a ports.ProviderAnswer) (account.ProviderClaims, error) {
	code, now := strings.CutSuffix(a.Code, "!")  // it has just signed in
	subject, groups, _ := strings.Cut(code, ":") // the code names the person and its groups
	claims := account.ProviderClaims{Subject: subject, All: map[string]any{"sub": subject}}
	if now {
		claims.AuthTime = time.Now()
	}
	if groups != "" {
		var names []any
		for name := range strings.SplitSeq(groups, ",") {
			names = append(names, name)
		}
		claims.All["groups"] = names
	}
	return claims, nil
}

func (anyProvider) SignOutAddress(_ context.Context, p ports.ProviderClient, back string) (string, error) {
	return p.Issuer + "/logout?back=" + back, nil
}

// LoggedOut takes the token for the subject, and its id.
func (anyProvider) LoggedOut(_ context.Context, _ ports.ProviderClient, token string) (account.ProviderLogout, error) {
	if token == "forged" || token == "" {
		return account.ProviderLogout{}, &core.Error{Kind: core.KindUnauthenticated, Code: "provider_refused"}
	}
	subject, _, _ := strings.Cut(token, ":")
	return account.ProviderLogout{Subject: subject, ID: token, IssuedAt: time.Now()}, nil
}

func (w *world) fillProviders(providers *identity.Providers) {
	made, err := providers.Create(context.Background(), core.Actor{User: new(w.users["super"])}, w.tenant.ID, identity.ProviderChange{
		Name: new("Staff"), Issuer: new("https://login.example.org"), ClientID: new("imprimatur"), Secret: new("canary"), Domains: &[]string{"meridian.example"},
	})
	require.NoError(w.t, err)
	w.providerID = made.ID
}

func (w *world) fillWebhooks(webhooks *delivery.Webhooks) {
	ctx := context.Background()
	made, _, err := webhooks.Create(ctx, core.SystemActor, w.project, delivery.Change{
		Name: new("Site"), URL: new("https://example.org/hook"), Events: &[]string{"media.deleted"}, Headers: &map[string]string{"X-Key": "canary"},
	})
	require.NoError(w.t, err)
	w.webhookID = made.ID
	sent := webhook.Delivery{ProjectID: w.project.ID, WebhookID: made.ID, Events: []int64{1}, Count: 1, Status: webhook.DeliveryWaiting}
	require.NoError(w.t, w.stores.Deliveries.Insert(ctx, 0, &sent))
	w.deliveryID = sent.ID
}

func (w *world) fillContent() {
	ctx, now := context.Background(), time.Now().UTC().Truncate(time.Millisecond)
	w.articles = &core.Collection{
		ProjectID: w.project.ID, Slug: "articles", Name: "Articles", Icon: core.DefaultIcon, NextFieldID: 5, Version: 1, CreatedAt: now, UpdatedAt: now,
		Fields: []*core.Field{
			{ID: 1, Name: "title", Label: "Title", Type: core.TypeText, Required: true},
			{ID: 2, Name: "views", Label: "Views", Type: core.TypeNumber},
			{ID: 3, Name: "tags", Label: "Tags", Type: core.TypeText, Multiple: true},
			{ID: 4, Name: "note", Label: "Note", Type: core.TypeText, Hidden: true},
		},
	}
	require.NoError(w.t, w.stores.Collections.Insert(ctx, w.articles))
	w.hero = &core.Component{
		ProjectID: w.project.ID, Slug: "hero", Name: "Hero", NextFieldID: 3, Version: 1, CreatedAt: now, UpdatedAt: now,
		Fields: []*core.Field{{ID: 1, Name: "title", Label: "Title", Type: core.TypeText}, {ID: 2, Name: "views", Label: "Views", Type: core.TypeNumber}},
	}
	require.NoError(w.t, w.stores.Components.Insert(ctx, w.hero))
	schema := core.Schema{Project: w.project, Collection: w.articles, Collections: []*core.Collection{w.articles}}
	insert := func(document string, trashedAt time.Time) core.Entry {
		e := core.Entry{
			ProjectID: w.project.ID, CollectionID: w.articles.ID, Locale: "en", Version: 1,
			Draft: core.Document(document), CreatedAt: now, UpdatedAt: now, TrashedAt: trashedAt,
		}
		_, hash, _ := w.articles.Snapshot(e.Locale, e.Draft, nil)
		revision := core.RevisionRecord{Number: 1, ContentHash: hash, By: core.SystemActor.Ref(), CreatedAt: core.InstantOf(now), UpdatedAt: core.InstantOf(now), Closed: true}
		e.Revision = revision.Encode()
		if trashedAt.IsZero() {
			e.Published, e.PublishedAt, e.ReleasedAt = e.Draft, now, now
		}
		require.NoError(w.t, w.stores.Entries.Insert(ctx, schema, &e))
		return e
	}
	w.entry = insert(`{"note":"canary","tags":["a","b"],"title":"Alpha","views":1}`, time.Time{})
	w.trashed = insert(`{"tags":[],"title":"Gone"}`, now)
}

// on returns the same world with the t of a subtest.
func (w *world) on(t testing.TB) *world {
	w2 := *w
	w2.t = t
	return &w2
}

// public returns a path of the content API of the first Project.
func (w *world) public(path string) string {
	return "/public/v2/projects/" + w.project.UUID + path
}

// content returns a path of the dashboard API of the first collection.
func (w *world) content(path string) string {
	return "/api/projects/" + itoa(w.project.ID) + "/collections/" + itoa(w.articles.ID) + path
}

func itoa(id int64) string { return strconv.FormatInt(id, 10) }

// answer is a response with its body.
type answer struct {
	*http.Response
	body []byte
}

// json decodes the body of the response.
func (a answer) json(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal(a.body, &v), string(a.body))
	return v
}

// with is a change of a request before it is sent.
type with func(*http.Request)

func header(name, value string) with {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

func (w *world) bearer(token string) with { return header("Authorization", "Bearer "+w.secrets[token]) }

// as adds the session of a user, with the headers of a page of this service.
func (w *world) as(user string) with {
	return func(r *http.Request) {
		r.AddCookie(&http.Cookie{Name: "imprimatur_session", Value: w.cookies[user]})
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
}

// send sends a request. body is JSON unless a change sets another Content-Type.
func (w *world) send(method, target, body string, changes ...with) answer {
	w.t.Helper()
	r := httptest.NewRequest(method, origin, strings.NewReader(body))
	parsed, err := url.ParseRequestURI(target)
	require.NoError(w.t, err)
	r.URL, r.RequestURI = parsed, target
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, change := range changes {
		change(r)
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	res := rec.Result()
	raw, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	return answer{res, bytes.TrimSpace(raw)}
}

// problem sends a request and checks that the response is a problem with this status and code.
func (w *world) problem(status int, code, method, target, body string, changes ...with) map[string]any {
	w.t.Helper()
	res := w.send(method, target, body, changes...)
	require.Equal(w.t, status, res.StatusCode, string(res.body))
	require.Equal(w.t, httpx.ProblemType, res.Header.Get("Content-Type"))
	p := res.json(w.t)
	require.Equal(w.t, code, p["code"], string(res.body))
	require.EqualValues(w.t, status, p["status"])
	require.Equal(w.t, http.StatusText(status), p["title"])
	require.Equal(w.t, res.Header.Get("X-Request-Id"), p["requestId"])
	require.NotEmpty(w.t, p["detail"])
	return p
}
