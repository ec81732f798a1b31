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

	"imprimatur/test/postgrestest"
	"imprimatur/test/redistest"
)

// freshness is how old an answer of another replica may be.
const freshness = time.Second

// TestStaleness changes things on one replica and looks at them on the others, which
// have them in their caches: on SQLite, with Postgres alone, behind a connection pooler,
// with Redis, and while that is away.
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
			in := settle(t, "--database-url", database(t))
			in.awaitFeed(t)
			in.checkStaleness(t, rounds)
		})
	}
	t.Run("Redis", func(t *testing.T) {
		redis := redistest.New(t)
		in := settle(t, "--database-url", postgrestest.New(t), "--redis-url", redis.URL())
		in.awaitFeed(t)
		in.checkStaleness(t, rounds)
		redis.Stop(t)
		in.checkStaleness(t, rounds)
		redis.Start(t)
		in.awaitFeed(t)
		in.checkStaleness(t, 1)
	})
}

// checkStaleness makes each change once per round.
func (in *installation) checkStaleness(t *testing.T, rounds int) {
	t.Helper()
	users := 0
	worst := map[string]time.Duration{}
	spreads := func(what string, change func(), path, header string, before, after sign) {
		worst[what] = max(worst[what], in.spreads(t, what, change, path, header, before, after))
	}
	defer func() { t.Logf("oldest answers in %d rounds: %v", rounds, worst) }()
	for range rounds {
		member := func() (id int, cookie string) {
			users++
			email := fmt.Sprintf("u%d-%d@example.com", time.Now().UnixNano(), users)
			id = in.make(t, "/users", fmt.Sprintf(`{"email":%q,"name":"U","password":%q}`, email, password))
			in.as(t, 0, "PUT", fmt.Sprintf("/api/projects/%d/members/%d", in.project, id), `{"role":"editor"}`)
			return id, in.signIn(t, email)
		}
		bearer, _ := in.token(t, 0)

		revoked, token := in.token(t, 0)
		spreads("a revoked token", func() { in.as(t, 0, "DELETE", token, "") }, in.pages(), revoked, status(200), status(401))

		_, cookie := member()
		spreads("a sign-out", func() {
			if a := in.call(t, 0, "DELETE", "/api/session", "", cookie); a.status >= 300 {
				t.Fatalf("sign-out answered %d: %s", a.status, a.body)
			}
		}, "/api/session", cookie, status(200), status(401))

		id, cookie := member()
		project := fmt.Sprintf("/api/projects/%d", in.project)
		spreads("a role taken away", func() {
			in.as(t, 0, "DELETE", fmt.Sprintf("%s/members/%d", project, id), "")
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
		collection := in.make(t, project[len("/api"):]+"/collections", fmt.Sprintf(`{"slug":%q,"name":"C","fields":[]}`, slug))
		spreads("a removed collection", func() {
			in.as(t, 0, "DELETE", fmt.Sprintf("%s/collections/%d", project, collection), "")
		}, "/public/v2/projects/"+in.uuid+"/collections/"+slug, bearer, status(200), status(404))
	}
}

// checkContent changes an entry under lists and GraphQL answers that every replica
// remembers.
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
		t.Error("nothing was remembered: the test shows nothing")
	}
}

// agree holds that who has the answer of one replica has that of every other.
func (in *installation) agree(t *testing.T, what, path, header string) {
	t.Helper()
	tag := in.call(t, 0, "GET", path, "", header).header.Get("Etag")
	for n := range in.replicas {
		if a := in.call(t, n, "GET", path, "", header, "If-None-Match: "+tag); tag == "" || a.status != 304 {
			t.Errorf("%s: replica %d answered %d to the tag %s of another", what, n, a.status, tag)
		}
	}
}

// sign tells from an answer whether a change was seen.
type sign func(answer) bool

func status(want int) sign { return func(a answer) bool { return a.status == want } }

func shows(text string) sign {
	return func(a answer) bool { return a.status == 200 && strings.Contains(string(a.body), text) }
}

// spreads looks at path on every replica until the change that the first makes is
// seen: there by the next request, elsewhere by every request that is sent a second
// later, and for good. It returns when the last request was sent that did not see it.
func (in *installation) spreads(t *testing.T, what string, change func(), path, header string, before, after sign) time.Duration {
	t.Helper()
	for n := range in.replicas {
		// What was just made may take as long to arrive.
		await(t, what+": the state before it", func() bool { return before(in.call(t, n, "GET", path, "", header)) })
	}
	change()
	changed := time.Now()
	if a := in.call(t, 0, "GET", path, "", header); !after(a) {
		t.Errorf("%s: right after it, its own replica did not know: %d %.300s", what, a.status, a.body)
	}
	latest := make([]time.Duration, len(in.replicas))
	var watching sync.WaitGroup
	for n, r := range in.replicas[1:] {
		watching.Go(func() {
			for fresh := 0; fresh < 3 && time.Since(changed) < 10*freshness; time.Sleep(20 * time.Millisecond) {
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
		t.Errorf("%s: a replica still did not know after %s", what, oldest)
	}
	return oldest
}
