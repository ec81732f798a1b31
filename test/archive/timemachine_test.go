package archive

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/app/demo"
)

var (
	rounds = flag.Int("rounds", 2, "how often TestTimeMachine goes back in time")
	seed   = flag.Uint64("seed", 0, "of the moments of TestTimeMachine; 0: the time")
)

// TestTimeMachine writes, schedules, sends webhooks and keeps copies of the content. At a random moment the
// installation is backed up, by its own command or as a copy of the database of a killed service; then more
// happens, and then the backup is restored.
func TestTimeMachine(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano()) //nolint:gosec // any number will do
	}
	t.Logf("-seed %d", *seed)
	source, facts := demoPlace(t)
	archive := source.backup(t)
	for round := range *rounds {
		random := rand.New(rand.NewPCG(*seed, uint64(round))) //nolint:gosec // rounds are few
		engine, own := []string{"sqlite", "postgres"}[round%2], (round/2+random.IntN(2))%2 == 0
		if *rounds < 4 { // all kinds but one
			own = round == 0
		}
		t.Run(fmt.Sprintf("%d %s own=%t", round, engine, own), func(t *testing.T) {
			m := newTimeMachine(t, newPlace(t, engine, source.key), facts, random)
			m.place.resumed(t, archive)
			m.start()
			m.work(20 + random.IntN(60))
			if own {
				m.goBackByArchive(engine, source.key)
			} else {
				m.goBackByCopy(engine)
			}
			m.finish()
		})
	}
}

// timeMachine is an installation with clients that never stop.
type timeMachine struct {
	t        *testing.T
	place    place
	facts    demo.Facts
	random   *rand.Rand
	blog     blog
	receiver *receiver
	service  server
	line     atomic.Pointer[line] // nil while no service runs

	writes  atomic.Int64
	lost    atomic.Bool // what is written now gets lost
	mu      sync.Mutex
	due     []scheduled
	tags    []written // of the lost time
	copies  []*replica
	stop    chan struct{}
	running sync.WaitGroup
}

// line is how clients reach the service.
type line struct {
	base   string
	header []string
}

// scheduled is a post with a time.
type scheduled struct {
	id   int64
	kept bool // it was acknowledged before the backup, or after the restore
	lost bool // it was acknowledged in the lost time
}

// written is an acknowledged write.
type written struct{ path, tag string }

func newTimeMachine(t *testing.T, p place, facts demo.Facts, random *rand.Rand) *timeMachine {
	t.Helper()
	m := &timeMachine{t: t, place: p, facts: facts, random: random, blog: blogOf(facts), receiver: newReceiver(t), stop: make(chan struct{})}
	for range 2 {
		m.copies = append(m.copies, &replica{m: m, entries: map[int64]string{}})
	}
	return m
}

// start starts the service and, the first time, the clients.
func (m *timeMachine) start() {
	m.t.Helper()
	first := m.service.Process == nil
	m.service = m.place.serve(m.t, "--webhook-allow", m.receiver.address())
	header := m.service.signIn(m.t, m.facts, "tenantAdmin")
	m.line.Store(&line{m.service.base, header})
	if !first {
		return
	}
	for _, settings := range []string{"", `,"coalesce":{"quiet":1,"most":2}`} {
		idOf(m.t, m.service.call(m.t, "POST", fmt.Sprintf("/api/projects/%d/webhooks", m.facts.Projects.Blog.ID),
			`{"name":"Site","url":"`+m.receiver.URL+`/hook","events":["entry.*"]`+settings+`}`, header...))
	}
	m.client(m.write)
	m.client(m.write)
	m.client(m.schedule)
	for _, c := range m.copies {
		m.client(func(*rand.Rand) { c.poll() })
	}
}

// client calls act again and again.
func (m *timeMachine) client(act func(*rand.Rand)) {
	random := rand.New(rand.NewPCG(m.random.Uint64(), 1)) //nolint:gosec // not a secret
	m.running.Go(func() {
		for {
			select {
			case <-m.stop:
				return
			case <-time.After(time.Duration(random.Int64N(int64(40 * time.Millisecond)))):
				act(random)
			}
		}
	})
}

// call sends a request, and reports false if the service was not there to answer.
func (m *timeMachine) call(method, path, body string, header ...string) (response, bool) {
	to := m.line.Load()
	if to == nil {
		return response{}, false
	}
	request, err := http.NewRequest(method, to.base+path, strings.NewReader(body))
	if err != nil {
		return response{}, false
	}
	request.Header.Set("Content-Type", "application/json")
	if len(header) == 0 {
		header = to.header
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return response{}, false
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return response{answer.StatusCode, answer.Header, string(text)}, err == nil && to == m.line.Load()
}

// write creates a post, or changes it, publishes it, unpublishes it.
func (m *timeMachine) write(random *rand.Rand) {
	lost := m.lost.Load()
	made, ok := m.call("POST", m.blog.posts, fmt.Sprintf(`{"fields":{"title":"Post %d"},"published":%t}`, random.IntN(1e6), random.IntN(2) == 0))
	if !ok || made.status != http.StatusCreated {
		return
	}
	path := fmt.Sprint(m.blog.posts, "/", idIn(made))
	m.note(lost, path, made)
	for range random.IntN(4) {
		body := fmt.Sprintf(`{"fields":{"title":"Post %d"},"published":%t}`, random.IntN(1e6), random.IntN(3) > 0)
		changed, ok := m.call("PATCH", path, body)
		if !ok || changed.status != http.StatusOK {
			return
		}
		m.note(lost, path, changed)
	}
}

// note remembers the ETag of a write of the lost time.
func (m *timeMachine) note(lost bool, path string, answer response) {
	m.writes.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if lost && m.lost.Load() {
		m.tags = append(m.tags, written{path, answer.header.Get("Etag")})
	}
}

// schedule creates a post with a time within the next seconds.
func (m *timeMachine) schedule(random *rand.Rand) {
	before := m.lost.Load()
	made, ok := m.call("POST", m.blog.posts, `{"fields":{"title":"Planned"}}`)
	if !ok || made.status != http.StatusCreated {
		return
	}
	at := time.Now().Add(time.Duration(random.Int64N(int64(3 * time.Second)))).UTC().Format(time.RFC3339Nano)
	planned, ok := m.call("POST", fmt.Sprintf("%s/%d/publish", m.blog.posts, idIn(made)), `{"publishAt":"`+at+`"}`)
	if !ok || planned.status >= 300 {
		return
	}
	m.writes.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.due = append(m.due, scheduled{id: idIn(made), kept: !before && !m.lost.Load(), lost: before})
}

// idIn returns the id in a response, 0 without one.
func idIn(answer response) int64 {
	var made struct{ ID int64 }
	_ = json.Unmarshal([]byte(answer.body), &made)
	return made.ID
}

// work waits until the clients have written so much more.
func (m *timeMachine) work(writes int) {
	m.t.Helper()
	until := m.writes.Load() + int64(writes)
	m.service.Await(m.t, "writes", func() bool { return m.writes.Load() >= until })
}

// lose marks what is written from now on as lost.
func (m *timeMachine) lose() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost.Store(true)
}

// goBackByArchive backs up beside the clients, and restores into another database.
func (m *timeMachine) goBackByArchive(engine, key string) {
	m.t.Helper()
	m.lose() // a write during the backup may be in it or not
	file := m.place.backup(m.t)
	m.mu.Lock()
	m.tags = nil
	for i := range m.due {
		m.due[i].lost = false
	}
	m.mu.Unlock()
	m.work(20 + m.random.IntN(60))
	m.line.Store(nil)
	m.service.Kill(m.t)
	m.place = newPlace(m.t, engine, key)
	m.place.restore(m.t, file)
	m.goOn()
}

// goBackByCopy kills the service, copies its database with other tools, and puts the copy back later.
func (m *timeMachine) goBackByCopy(engine string) {
	m.t.Helper()
	m.lose()
	m.line.Store(nil)
	m.service.Kill(m.t)
	putBack := m.place.copied(m.t, engine)
	m.start()
	m.work(20 + m.random.IntN(60))
	m.line.Store(nil)
	m.service.Stop(m.t)
	m.place = putBack()
	m.goOn()
}

// goOn starts the restored installation, which is paused, and ends the pause after some work.
func (m *timeMachine) goOn() {
	m.t.Helper()
	m.lost.Store(false)
	m.start()
	require.Equal(m.t, "ok\npaused\n", m.service.ready(m.t).body)
	m.work(10 + m.random.IntN(20))
	run(m.t, "resume", "--due", "publish", "--deliveries", "send", "--tokens", "keep", "--database-url", m.place.database)
	m.work(20 + m.random.IntN(60))
}

// finish stops the clients and checks what they have seen.
func (m *timeMachine) finish() {
	m.t.Helper()
	close(m.stop)
	m.running.Wait()
	m.checkSchedules()
	m.checkTags()
	m.service.Await(m.t, "the messages", func() bool { return len(m.place.messages(m.t, "waiting"))+len(m.place.messages(m.t, "gathering")) == 0 })
	require.Empty(m.t, m.receiver.faults)
	m.checkCopies()
	require.Equal(m.t, "0 differences found, 0 repaired\n", run(m.t, append([]string{"check"}, m.place.settings()...)...))
	require.Contains(m.t, run(m.t, "backup", "verify", m.place.backup(m.t)), "the archive is whole") // with all proofs
	m.service.Stop(m.t)
}

// checkSchedules checks that each post with a time is published once.
func (m *timeMachine) checkSchedules() {
	m.t.Helper()
	kept, lost := 0, 0
	for _, s := range m.due {
		path := fmt.Sprintf("%s/%d", m.blog.posts, s.id)
		publications := func() (n int) {
			answer, _ := m.call("GET", path+"/publications", "")
			if answer.status == http.StatusNotFound {
				return 0
			}
			require.Equal(m.t, http.StatusOK, answer.status, answer.body)
			var list struct{ Data []json.RawMessage }
			require.NoError(m.t, json.Unmarshal([]byte(answer.body), &list))
			return len(list.Data)
		}
		if s.kept {
			kept++
			m.service.Await(m.t, "the publication of "+path, func() bool { return publications() > 0 })
		}
		require.LessOrEqual(m.t, publications(), 1, path)
		if s.lost {
			lost++
			require.Zero(m.t, publications(), "%s was written in the lost time", path)
		}
	}
	m.t.Logf("%d times before the backup or after the restore, %d lost", kept, lost)
}

// checkTags checks that no version of the lost time can be overwritten by its ETag.
func (m *timeMachine) checkTags() {
	m.t.Helper()
	require.NotEmpty(m.t, m.tags)
	for _, w := range m.tags {
		to := m.line.Load()
		answer, _ := m.call("PATCH", w.path, `{"fields":{"title":"Overwritten"}}`, append([]string{"If-Match", w.tag}, to.header...)...)
		require.Contains(m.t, []int{http.StatusPreconditionFailed, http.StatusNotFound}, answer.status, "%s with %s: %s", w.path, w.tag, answer.body)
	}
}

// checkCopies compares the copies with one that is read at once, and that with what readers read.
func (m *timeMachine) checkCopies() {
	m.t.Helper()
	whole := &replica{m: m, entries: map[int64]string{}}
	for _, c := range append([]*replica{whole}, m.copies...) {
		for c.poll() {
		}
		require.Empty(m.t, c.fault)
		require.Equal(m.t, whole.entries, c.entries)
	}
	for _, c := range m.copies {
		require.Positive(m.t, c.expired, "a copy was not told of the restore")
	}
	reader := []string{"Authorization", "Bearer " + m.blog.token}
	ids := map[int64]bool{}
	public := strings.TrimSuffix(m.blog.changes, "/changes")
	listed, _ := m.call("GET", public+"/collections", "", reader...)
	var collections struct{ Data []struct{ Slug string } }
	require.NoError(m.t, json.Unmarshal([]byte(listed.body), &collections))
	for _, collection := range collections.Data {
		for after := ""; ; {
			answer, _ := m.call("GET", public+"/collections/"+collection.Slug+"/entries?locale=*&depth=0&limit=500"+after, "", reader...)
			require.Equal(m.t, http.StatusOK, answer.status, answer.body)
			var page struct {
				Data []struct{ ID int64 }
				Meta struct {
					Next    string
					HasMore bool
				}
			}
			require.NoError(m.t, json.Unmarshal([]byte(answer.body), &page))
			for _, e := range page.Data {
				ids[e.ID] = true
			}
			if !page.Meta.HasMore {
				break
			}
			after = "&after=" + page.Meta.Next
		}
	}
	require.Equal(m.t, slices.Sorted(maps.Keys(ids)), slices.Sorted(maps.Keys(whole.entries)))
}

// replica is a copy of the Blog that follows its changes.
type replica struct {
	m       *timeMachine
	since   string
	entries map[int64]string
	expired int // how often it was told to begin again
	fault   string
}

// poll applies one page, and reports whether more may follow.
func (c *replica) poll() (more bool) {
	answer, ok := c.m.call("GET", c.m.blog.changes+"?limit=50"+c.since, "", "Authorization", "Bearer "+c.m.blog.token)
	switch {
	case !ok, answer.status == http.StatusServiceUnavailable:
		return false
	case answer.status == http.StatusGone:
		c.since, c.entries = "", map[int64]string{}
		c.expired++
		return true
	case answer.status != http.StatusOK:
		c.fault = answer.body
		return false
	}
	var page struct {
		Data []struct {
			Op    string
			ID    int64
			Entry json.RawMessage
		}
		Meta struct {
			Next    string
			HasMore bool
		}
	}
	if err := json.Unmarshal([]byte(answer.body), &page); err != nil {
		c.fault = err.Error()
		return false
	}
	for _, change := range page.Data {
		switch change.Op {
		case "put":
			c.entries[change.ID] = string(change.Entry)
		case "delete":
			delete(c.entries, change.ID)
		case "reset": // the address of the service, which definitions of files have, changes with each start
			c.since, c.entries = "", map[int64]string{}
			return true
		}
	}
	c.since = "&since=" + page.Meta.Next
	return page.Meta.HasMore
}
