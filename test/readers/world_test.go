package readers_test

import (
	"cmp"
	"context"
	crypto "crypto/rand"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"imprimatur/adapters/blobstore"
	"imprimatur/adapters/cache"
	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/files"
	"imprimatur/adapters/httpx"
	"imprimatur/adapters/password"
	"imprimatur/adapters/ratelimit"
	"imprimatur/adapters/rest"
	"imprimatur/adapters/systemclock"
	"imprimatur/adapters/webauthn"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/approval/proof"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
	"imprimatur/core/library"
	"imprimatur/core/media"
	"imprimatur/core/reading"
	"imprimatur/core/releasing"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

const origin = "http://cms.test"

// world is a newsroom whose Project is governed, behind the REST API and the file server, with
// all caches.
type world struct {
	*newsroom.Fixture
	t       *testing.T
	random  *rand.Rand
	handler http.Handler
	sweeper *media.Sweeper
	routes  []rest.Route // routes that operations call
	callers map[string]func(*http.Request)

	log       []string
	succeeded map[string]int // by route

	versions        map[submission]version
	requests        map[int64][]int64 // those that publish an entry, by entry
	last            int64             // the newest known request
	seen, seenMedia int
	seenItems       int

	past past
}

// feed is a change feed of a single process.
type feed struct{ *changefeed.Local }

func (feed) Live() bool { return true }

// noImager accepts no pictures: media are texts.
type noImager struct{ ports.Imager }

func (noImager) Decodes(string) bool { return false }

func (noImager) Measures(string) bool { return false }

func newWorld(t *testing.T, store engine, random *rand.Rand) *world {
	t.Helper()
	stores, changes, clock := store.Stores(), feed{changefeed.NewLocal()}, systemclock.New()
	store.OnCommit(changes.Committed)
	w := &world{
		Fixture: newsroom.New(t, stores, store, clock), t: t, random: random,
		callers: map[string]func(*http.Request){"anonymous": func(*http.Request) {}}, succeeded: map[string]int{}, versions: map[submission]version{}, requests: map[int64][]int64{},
	}
	_, err := w.Collections.Components().Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: "part", Name: "Part", Fields: []definition.FieldInput{
		{Name: "words", Type: core.TypeText}, {Name: "shot", Type: core.TypeMedia}, {Name: "prose", Type: core.TypeRichText},
		{Name: "see", Type: core.TypeRelation, Collection: "articles"}, {Name: "inner", Type: core.TypeBlocks, Components: []string{"part"}},
	}})
	must(t, err)
	_, err = w.Collections.Components().Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: "facts", Name: "Facts", Fields: []definition.FieldInput{
		{Name: "shots", Type: core.TypeMedia, Multiple: true}, {Name: "related", Type: core.TypeRelation, Collection: "articles", Multiple: true}, {Name: "extra", Type: core.TypeText},
	}})
	must(t, err)
	for _, f := range []definition.FieldInput{
		{Name: "facts", Type: core.TypeGroup, Component: "facts"},
		{Name: "parts", Type: core.TypeBlocks, Components: []string{"part"}},
		{Name: "shots", Type: core.TypeMedia, Multiple: true},
		{Name: "related", Type: core.TypeRelation, Collection: "articles", Multiple: true},
		{Name: "about", Type: core.TypeRelation, Collections: []string{"articles"}},
	} {
		_, err := w.Collections.AddField(t.Context(), definition.Change{Actor: core.Actor{System: true}, Project: w.Project, CollectionID: w.Articles.ID}, f)
		must(t, err)
	}
	w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	releases := releasing.New(stores, store, w.Writer, w.Requests, w.Publisher)
	w.Worker.PublishUngoverned = releases.PublishDue
	w.signIn()
	w.addTokens()

	blobs, err := blobstore.Open(t.Context(), "mem://")
	must(t, err)
	t.Cleanup(func() { must(t, blobs.Close()) })
	w.sweeper = media.NewSweeper(stores, store, blobs, clock)
	hasher := password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1})
	schemas, reads, usage := cache.NewSchemas(stores, changes), cache.NewReads(1<<20, changes), access.NewUsage(stores.Tokens, stores.Sessions, clock)
	cookies := httpx.NewCookies(&url.URL{Scheme: "http", Host: "cms.test"})
	reader := reading.NewReader(stores.Entries, schemas, stores.Media, origin)
	keys := signing.NewKeys(stores.SigningKeys, stores.Clock, store, secret.New())
	library := media.NewLibrary(stores, store, blobs, noImager{}, clock)
	passkeys, factors := webauthn.New(&url.URL{Scheme: "https", Host: "cms.example"}), identity.NewFactors(stores, store, access.Standing{}, clock)
	api := rest.New(rest.Deps{
		Gateway: httpx.NewGateway(access.NewAuthenticator(cache.NewCredentials(stores, changes), clock, usage), ratelimit.NewLocal(clock), ports.Budget{}, cookies),
		Cookies: cookies, Authorizer: access.NewAuthorizer(stores.Tenants, stores.Departments, schemas), Schemas: schemas,
		Sessions: identity.NewSessions(stores, store, hasher, clock, secret.Key{}, passkeys), Tokens: access.NewTokens(stores.Tokens, store, clock, usage),
		Organisation: w.Organisation, Members: access.NewMembers(stores, store), Users: access.NewUsers(stores, store, hasher, clock, letter.Post{}), Passwords: identity.NewPasswords(stores, store, hasher, access.Standing{}, clock), Factors: factors,
		Apps: identity.NewApps(factors, secret.Key{}), Passkeys: identity.NewPasskeys(stores, factors, clock, secret.Key{}, passkeys), Clock: clock,
		Reader: reader, Previews: reading.NewPreviews(stores, reader), PreviewTokens: access.NewPreviews(store, clock), Changes: reading.NewChanges(stores, origin), History: reading.NewHistory(stores, schemas, origin), Former: reading.NewFormer(reader, stores.Publications), Writer: w.Writer, Drafts: reading.NewDrafts(stores, reader), Collections: w.Collections, Planner: schema.NewPlanner(w.Collections, stores, store),
		Workflows: w.Workflows, Reviews: w.Reviews, Releases: releases, Inbox: w.Inbox, Publications: proof.NewPublications(stores, keys), Keys: keys, Idempotency: stores.Idempotency, Events: stores.Events,
		Media: library, Files: origin, Cache: reads, Limiters: httpx.NewLimiters(4, 4),
	})
	w.chooseRoutes(api.Routes())
	mux := http.NewServeMux()
	mux.Handle("/", api.Handler())
	for _, pattern := range files.Patterns {
		mux.Handle(pattern, files.New(blobs, media.NewRenditions(stores, store, blobs, noImager{}, clock), library.Moved))
	}
	w.handler = httpx.Wrap(mux, httpx.Options{Logger: zap.NewNop()})
	return w
}

// signIn gives every user of the newsroom a session.
func (w *world) signIn() {
	now := w.Clock.Now()
	for name, id := range w.IDs {
		cookie := crypto.Text()
		must(w.t, w.Stores.Sessions.Insert(w.Context(), account.Session{Hash: secret.Hash(cookie), UserID: id, CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour)}))
		w.callers[name] = func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: "imprimatur_session", Value: cookie})
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
	}
}

// addTokens creates a token of each kind.
func (w *world) addTokens() {
	all, now := []core.Ability{core.AbilityRead, core.AbilityCreate, core.AbilityUpdate, core.AbilityDelete}, w.Clock.Now()
	for name, token := range map[string]core.Token{
		"token full":    {Abilities: all, AllowDrafts: true},
		"token history": {Abilities: all[:1], AllowHistory: true},
		"token reader":  {Abilities: all[:1]}, "token create": {Abilities: all[1:2]}, "token update": {Abilities: all[2:3]}, "token delete": {Abilities: all[3:]},
		"token expired": {Abilities: all, ExpiresAt: now.Add(-time.Hour)},
	} {
		text := access.NewSecret()
		token.ProjectID, token.Name, token.Hash, token.CreatedAt = w.Project.ID, name, secret.Hash(text), now
		must(w.t, w.Stores.Tokens.Insert(w.Context(), &token))
		w.callers[name] = func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }
	}
}

// send sends a request to the handler. An answer of 500 or more fails the test.
func (w *world) send(caller, method, target, contentType, body string) (status int, answer []byte) {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.Context(), method, origin+target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", cmp.Or(contentType, "application/json"))
	}
	w.callers[caller](r)
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	answer, err := io.ReadAll(recorder.Result().Body)
	must(w.t, err)
	if recorder.Code >= http.StatusInternalServerError {
		w.t.Fatalf("%s %s by %s with %s answered %d: %s", method, target, caller, body, recorder.Code, answer)
	}
	return recorder.Code, answer
}

// one returns a random element.
func one[T any](w *world, list ...T) T { return list[w.random.IntN(len(list))] }

func (w *world) entries() []core.Entry {
	all, err := w.Stores.Entries.Walk(w.Context(), w.Project.ID, w.Articles.ID, 0, 1000)
	must(w.t, err)
	return all
}

func (w *world) items() []core.MediaItem {
	all, err := w.Stores.Media.List(w.Context(), library.Query{ProjectID: w.Project.ID, Limit: 1000})
	must(w.t, err)
	slices.Reverse(all)
	return all
}

func (w *world) collection() *core.Collection {
	c, err := w.Stores.Collections.Collection(context.WithoutCancel(w.Context()), w.Project.ID, w.Articles.ID)
	must(w.t, err)
	return c
}

// publish publishes an article with a medium, and returns the id of the medium.
func (w *world) publish() int64 {
	w.send("token full", http.MethodPost, "/public/v2/projects/"+w.Project.UUID+"/media/upload", "multipart/form-data; boundary=x", w.form(false))
	medium := w.mediaID()
	m := w.Create(newsroom.Article("A", newsroom.Published(true), func(wr *core.EntryWrite) { wr.Fields.Raw["cover"] = []byte(itoa(medium)) }))
	w.learn()
	w.OK(w.Approve("admin", m.ID))
	if w.check(); w.seenMedia == 0 {
		w.t.Fatal("readers do not see the article and its medium")
	}
	return medium
}
