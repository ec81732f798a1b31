package truth

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"golang.org/x/sync/errgroup"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"imprimatur/test/postgrestest"
)

// set is a collection whose entries are published together again and again. Each shows in its title the name of
// the collection and the number of the release.
type set struct {
	name       string
	collection int
	more       int   // another collection
	entries    []int // first those of the other collection
	round      int
}

// TestReleasesAreWhole reads sets of entries through every door while releases publish them, by the routes of
// releases and, faster than these, in the database as another replica does. No answer shows entries of two
// releases. The first process caches no responses.
func TestReleasesAreWhole(t *testing.T) {
	for _, on := range []struct {
		name      string
		database  string
		processes int
		routes    bool
	}{
		{"sqlite", "sqlite:" + filepath.Join(t.TempDir(), "releases.db"), 1, false},
		{"sqlite by routes", "sqlite:" + filepath.Join(t.TempDir(), "routes.db"), 1, true},
		{"postgres", postgrestest.Migrated(t), 2, false},
		{"postgres by routes", postgrestest.Migrated(t), 2, true},
	} {
		t.Run(on.name, func(t *testing.T) {
			w := newWorld(t, on.database, on.processes, rand.New(rand.NewPCG(1, 1)))
			sets := []*set{w.newSet("few", 2), w.newSet("some", 20), w.newSet("many", 200)}
			release := w.release
			if !on.routes {
				release = w.newPublisher().release
			}
			w.watchReleases(sets, release, w.wholeDoors(sets, on.routes))
		})
	}
}

// watchReleases polls doors and publishes releases until each door has seen enough.
func (w *world) watchReleases(sets []*set, release func(*set) error, doors []*wholeDoor) {
	stop := make(chan struct{})
	var pollers, releases sync.WaitGroup
	for _, d := range doors {
		pollers.Go(func() { w.pollWhole(d, stop) })
	}
	end := time.Now().Add(3 * time.Minute)
	enough := func() bool {
		return w.t.Failed() || time.Now().After(end) || !slices.ContainsFunc(doors, func(d *wholeDoor) bool { return !d.enough() })
	}
	for _, s := range sets {
		releases.Go(func() {
			for n := 0; n < 2 || !enough(); n++ {
				<-time.After(10 * time.Millisecond) // the pace of releases
				if err := release(s); err != nil {
					w.t.Errorf("release of %s: %v", s.name, err)
				}
			}
		})
	}
	releases.Wait()
	close(stop)
	pollers.Wait()
	for _, d := range doors {
		if !d.enough() {
			w.t.Errorf("%s: too little was seen", d.name)
		}
		w.t.Logf("%s: %d answers, %d states, %d halves", d.name, d.answers.Load(), d.states.Load(), d.halves.Load())
	}
}

// release changes the drafts of a set and publishes them together by the routes of releases.
func (w *world) release(s *set) error {
	s.round++
	send := func(method, path, body string) (a response, err error) {
		a, err = w.call(context.Background(), method, w.bases[0]+w.agency.path(path), body, w.root...)
		if err == nil && a.status >= http.StatusMultipleChoices {
			err = fmt.Errorf("%s %s answered %d: %s", method, path, a.status, a.body)
		}
		return a, err
	}
	members := make([]string, len(s.entries))
	var drafts errgroup.Group
	drafts.SetLimit(16) // pollers leave a single writer little processor time
	for i, e := range s.entries {
		members[i] = fmt.Sprintf(`{"entryId":%d}`, e)
		collection := s.collection
		if i < moreEntries {
			collection = s.more
		}
		path := fmt.Sprintf("/collections/%d/content/%d", collection, e)
		drafts.Go(func() error {
			_, err := send(http.MethodPatch, path, fmt.Sprintf(`{"keepPublished":true,"fields":{"title":"%s round %d end"}}`, s.name, s.round))
			return err
		})
	}
	if err := drafts.Wait(); err != nil {
		return err
	}
	a, err := send(http.MethodPost, "/releases", fmt.Sprintf(`{"name":"%s %d"}`, s.name, s.round))
	if err != nil {
		return err
	}
	one := fmt.Sprintf("/releases/%d", decode[struct{ ID int }](w.t, a).ID)
	if _, err := send(http.MethodPost, one+"/members", `{"members":[`+strings.Join(members, ",")+`]}`); err != nil {
		return err
	}
	_, err = send(http.MethodPost, one+"/publish", "")
	return err
}

// moreEntries is how many entries of a set are in its other collection: the first ones.
const moreEntries = 3

// newSet creates a collection of the agency with published entries, each with relations to two others.
func (w *world) newSet(name string, size int) *set {
	w.t.Helper()
	s := &set{name: name}
	s.collection = w.create(w.agency.path("/collections"), fmt.Sprintf(`{"slug":%q,"name":"Set","fields":[
		{"name":"title","type":"text","searchable":true},{"name":"related","type":"relation","collection":%q,"multiple":true}]}`, name, name))
	s.more = w.create(w.agency.path("/collections"), fmt.Sprintf(`{"slug":"more-%s","name":"More","fields":[{"name":"title","type":"text","searchable":true}]}`, name))
	for range moreEntries {
		s.entries = append(s.entries, w.create(w.agency.path(fmt.Sprintf("/collections/%d/content", s.more)), fmt.Sprintf(`{"published":true,"fields":{"title":"%s round 0 end"}}`, name)))
	}
	content := w.agency.path(fmt.Sprintf("/collections/%d/content", s.collection))
	for n := range size {
		related := []string{}
		for _, back := range []int{1, 7} {
			if n >= back {
				related = append(related, fmt.Sprint(s.entries[moreEntries+n-back]))
			}
		}
		s.entries = append(s.entries, w.create(content, fmt.Sprintf(`{"published":true,"fields":{"title":"%s round 0 end","related":[%s]}}`, name, strings.Join(related, ","))))
	}
	return s
}

// publisher publishes releases from outside the processes.
type publisher struct {
	db      *sql.DB
	project int
}

func (w *world) newPublisher() *publisher {
	w.t.Helper()
	driver, source := "pgx", w.database
	if file, ok := strings.CutPrefix(w.database, "sqlite:"); ok {
		driver, source = "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)&_txlock=immediate"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = db.Close() }) // the test is over
	return &publisher{db, w.agency.id}
}

// release publishes all entries of s with the next number, in one transaction.
func (p *publisher) release(s *set) error {
	ctx := context.Background()
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing is left after a commit
	before, after := fmt.Sprintf("round %d end", s.round), fmt.Sprintf("round %d end", s.round+1)
	s.round++
	if _, err = tx.ExecContext(ctx, "UPDATE entries SET draft = replace(draft, $3, $4), published = replace(published, $3, $4)"+
		" WHERE project_id = $1 AND collection_id IN ($2, $5)", p.project, s.collection, before, after, s.more); err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, "INSERT INTO release_counts AS n (project_id, published) VALUES ($1, 1)"+
		" ON CONFLICT (project_id) DO UPDATE SET published = n.published + 1", p.project); err != nil {
		return err
	}
	return tx.Commit()
}

// wholeDoor is a way to read sets. An answer shows each set in one state.
type wholeDoor struct {
	name    string
	request func(ctx context.Context) (response, error)

	answers, states, halves atomic.Int64
}

// enough reports whether the door was read while releases were published.
func (d *wholeDoor) enough() bool { return d.answers.Load() >= 20 && d.states.Load() >= 3 }

var shownRound = regexp.MustCompile(`(few|some|many) round (\d+) end`)

func (w *world) pollWhole(d *wholeDoor, stop <-chan struct{}) {
	seen := map[string]bool{}
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Millisecond):
		}
		a, err := d.request(context.Background())
		if err == nil && a.status == http.StatusServiceUnavailable {
			continue // the machine is busy
		}
		if err != nil || a.status != http.StatusOK {
			w.t.Errorf("%s: %v, %d: %.300s", d.name, err, a.status, a.body)
			return
		}
		rounds := map[string][]string{}
		for _, m := range shownRound.FindAllSubmatch(a.body, -1) {
			if set, round := string(m[1]), string(m[2]); !slices.Contains(rounds[set], round) {
				rounds[set] = append(rounds[set], round)
				seen[set+round] = true
			}
		}
		d.states.Store(int64(len(seen)))
		d.answers.Add(1)
		for name, shown := range rounds {
			if len(shown) > 1 && d.halves.Add(1) < 4 {
				w.t.Errorf("%s: one answer shows the releases %v of %s", d.name, shown, name)
			}
		}
	}
}

// wholeDoors returns the doors of all processes. If the routes of releases publish, it leaves out the lists of drafts,
// which change one by one before.
func (w *world) wholeDoors(sets []*set, routes bool) (doors []*wholeDoor) {
	for n, base := range w.bases {
		add := func(name string, header []string, method, url string, body func() string) {
			name = fmt.Sprintf("%s of process %d", name, n+1)
			doors = append(doors, &wholeDoor{name: name, request: func(ctx context.Context) (response, error) {
				return w.call(ctx, method, base+url, body(), header...)
			}})
		}
		nothing := func() string { return "" }
		public := "/public/v2/projects/" + w.agency.uuid
		for _, s := range sets {
			entries := public + "/collections/" + s.name + "/entries"
			last := s.entries[len(s.entries)-1]
			add("list of "+s.name, w.agency.reader, http.MethodGet, entries+"?limit=500&sort=id", nothing)
			add("deep list of "+s.name, w.agency.reader, http.MethodGet, entries+"?limit=20&depth=3&count=true&sort=id", nothing)
			add("entry of "+s.name, w.agency.reader, http.MethodGet, fmt.Sprintf("%s/%d?depth=3", entries, last), nothing)
			add("roots of "+s.name, w.agency.reader, http.MethodPost, "/public/v2/graphql", func() string {
				return fmt.Sprintf(`{"query":"{ a: entries(collection: \"%[1]s\", limit: 1) { totalCount items { data } } b: entries(collection: \"%[1]s\", sort: \"id:asc\", limit: 9) { items { data } } c: entry(collection: \"%[1]s\", id: %[2]d) { data } }"}`, s.name, last)
			})
			if !routes {
				add("drafts of "+s.name, w.root, http.MethodGet, w.agency.path(fmt.Sprintf("/collections/%d/content?limit=100", s.collection)), nothing)
			}
		}
		add("roots of collections", w.agency.reader, http.MethodPost, "/public/v2/graphql", func() string {
			return `{"query":"{ a: entries(collection: \"few\") { items { data } } b: entries(collection: \"more-few\") { items { data } } }"}`
		})
		add("search", w.agency.reader, http.MethodGet, public+"/search?q=round&limit=50", nothing)
		add("changes", w.agency.reader, http.MethodGet, public+"/changes?limit=500", nothing)
	}
	return doors
}
