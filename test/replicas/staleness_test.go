package replicas

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
	"imprimatur/test/redistest"
)

// freshness is the maximum staleness of responses of other replicas.
const freshness = time.Second

// TestStaleness changes data on one replica and reads it on the others, which have it
// cached: on SQLite, on Postgres alone, behind a connection pooler, with Redis, and while
// Redis is down.
func TestStaleness(t *testing.T) {
	rounds := 1
	if *soak {
		rounds = 20
	}
	for name, database := range map[string]func(t *testing.T) string{
		"SQLite":    func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db") },
		"Postgres":  func(t *testing.T) string { return postgrestest.New(t) },
		"PgBouncer": pooled,
	} {
		t.Run(name, func(t *testing.T) {
			in := newInstallation(t, "--database-url", database(t))
			in.awaitFeed(t)
			in.checkStaleness(t, rounds)
		})
	}
	t.Run("Redis", func(t *testing.T) {
		redis := redistest.New(t)
		in := newInstallation(t, "--database-url", postgrestest.New(t), "--redis-url", redis.URL())
		in.awaitFeed(t)
		in.checkStaleness(t, rounds)
		redis.Stop(t)
		in.checkStaleness(t, rounds)
		redis.Start(t)
		in.awaitFeed(t)
		in.checkStaleness(t, 1)
	})
}

// checkStaleness applies each kind of change once per round.
func (in *installation) checkStaleness(t *testing.T, rounds int) {
	t.Helper()
	users := 0
	worst := map[string]time.Duration{}
	spreads := func(what string, change func(), path, header string, before, after sign) {
		worst[what] = max(worst[what], in.spreads(t, what, change, path, header, before, after))
	}
	defer func() { t.Logf("maximum staleness in %d rounds: %v", rounds, worst) }()
	for range rounds {
		member := func() (id int, cookie string) {
			users++
			email := fmt.Sprintf("u%d-%d@example.com", time.Now().UnixNano(), users)
			id = in.create(t, "/users", fmt.Sprintf(`{"email":%q,"name":"U","password":%q}`, email, firstPassword))
			in.mustCall(t, 0, "PUT", fmt.Sprintf("/api/projects/%d/members/%d", in.project, id), `{"role":"editor"}`)
			return id, in.signInFirst(t, id, email)
		}
		bearer, _ := in.token(t, 0)

		revoked, token := in.token(t, 0)
		spreads("a revoked token", func() { in.mustCall(t, 0, "DELETE", token, "") }, in.pages(), revoked, status(200), status(401))

		_, cookie := member()
		spreads("a sign-out", func() {
			if a := in.call(t, 0, "DELETE", "/api/session", "", cookie); a.status >= 300 {
				t.Fatalf("sign-out answered %d: %s", a.status, a.body)
			}
		}, "/api/me/settings", cookie, status(200), status(401))

		id, cookie := member()
		project := fmt.Sprintf("/api/projects/%d", in.project)
		spreads("a revoked role", func() {
			in.mustCall(t, 0, "DELETE", fmt.Sprintf("%s/members/%d", project, id), "")
		}, project, cookie, status(200), status(404))

		in.checkContent(t, bearer, spreads)

		a := in.call(t, 0, "POST", in.pages(), `{"published":true,"fields":{"title":"Now you see it"}}`, bearer)
		entry := fmt.Sprintf("%s/%d", in.pages(), decode[struct{ ID int }](t, a).ID)
		spreads("an unpublished entry", func() {
			if a := in.call(t, 0, "PATCH", entry, `{"published":false}`, bearer); a.status != 200 {
				t.Fatalf("unpublishing answered %d: %s", a.status, a.body)
			}
		}, entry, bearer, status(200), status(404))

		slug := fmt.Sprintf("c%d", time.Now().UnixNano())
		collection := in.create(t, project[len("/api"):]+"/collections", fmt.Sprintf(`{"slug":%q,"name":"C","fields":[]}`, slug))
		spreads("a removed collection", func() {
			in.mustCall(t, 0, "DELETE", fmt.Sprintf("%s/collections/%d", project, collection), "")
		}, "/public/v2/projects/"+in.uuid+"/collections/"+slug, bearer, status(200), status(404))
	}
}

// checkContent changes an entry whose lists and GraphQL responses every replica has cached.
func (in *installation) checkContent(t *testing.T, bearer string, spreads func(what string, change func(), path, header string, before, after sign)) {
	t.Helper()
	title := fmt.Sprintf("t%d", time.Now().UnixNano())
	a := in.call(t, 0, "POST", in.pages(), fmt.Sprintf(`{"published":true,"fields":{"title":"%s-0"}}`, title), bearer)
	entry := fmt.Sprintf("%s/%d", in.pages(), decode[struct{ ID int }](t, a).ID)
	query := url.Values{"query": {`{ entries(collection: "pages", where: [{field: "title", op: "like", value: "` + title + `"}]) { totalCount items { data } } }`}}
	for n, look := range []struct{ what, path string }{
		{"a list over REST", in.pages() + "?count=true&where[title][like]=" + title},
		{"a list over GraphQL", "/public/v2/graphql?" + query.Encode()},
	} {
		spreads(look.what, func() {
			if a := in.call(t, 0, "PATCH", entry, fmt.Sprintf(`{"fields":{"title":"%s-%d"}}`, title, n+1), bearer); a.status != 200 {
				t.Fatalf("changing an entry answered %d: %s", a.status, a.body)
			}
		}, look.path, bearer, shows(fmt.Sprintf("%s-%d", title, n)), shows(fmt.Sprintf("%s-%d", title, n+1)))
		in.agree(t, look.what, look.path, bearer)
	}
	if hits := in.sum(t, "imprimatur_read_cache_hits_total"); in.sum(t, "imprimatur_change_feed_live") == 3 && hits == 0 {
		t.Error("no cache hits: the responses were not cached")
	}
}

// agree fails unless all replicas return the same ETag.
func (in *installation) agree(t *testing.T, what, path, header string) {
	t.Helper()
	tag := in.call(t, 0, "GET", path, "", header).header.Get("Etag")
	for n := range in.replicas {
		if a := in.call(t, n, "GET", path, "", header, "If-None-Match: "+tag); tag == "" || a.status != 304 {
			t.Errorf("%s: replica %d answered %d to the ETag %s of replica 0", what, n, a.status, tag)
		}
	}
}

// sign reports whether a response shows a change.
type sign func(response) bool

func status(want int) sign { return func(a response) bool { return a.status == want } }

func shows(text string) sign {
	return func(a response) bool { return a.status == 200 && strings.Contains(string(a.body), text) }
}

// spreads makes a change on the first replica and reads path on all: the first replica must
// show it at once, the others after at most freshness. It returns the maximum staleness.
func (in *installation) spreads(t *testing.T, what string, change func(), path, header string, before, after sign) time.Duration {
	t.Helper()
	for n := range in.replicas {
		// Data that was just created may be stale as well.
		await.Until(t, what+": the state before it", func() bool { return before(in.call(t, n, "GET", path, "", header)) })
	}
	change()
	changed := time.Now()
	if a := in.call(t, 0, "GET", path, "", header); !after(a) {
		t.Errorf("%s: the writing replica is stale: %d %.300s", what, a.status, a.body)
	}
	latest := make([]time.Duration, len(in.replicas))
	var watching sync.WaitGroup
	for n, r := range in.replicas[1:] {
		watching.Go(func() {
			for fresh := 0; fresh < 3 && time.Since(changed) < 10*freshness; time.Sleep(20 * time.Millisecond) { // how stale it is, is measured
				a, err := request(t.Context(), "GET", r.base+path, "", header)
				switch {
				case err != nil:
					t.Errorf("%s: %v", what, err)
					return
				case after(a):
					fresh++
				default:
					fresh, latest[n+1] = 0, a.began.Sub(changed)
				}
			}
		})
	}
	watching.Wait()
	oldest := slices.Max(latest)
	if oldest > freshness {
		t.Errorf("%s: a replica was stale for %s", what, oldest)
	}
	return oldest
}
