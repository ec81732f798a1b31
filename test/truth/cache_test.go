package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
)

// staleness is the greatest age of a response of the purging cache: webhooks take less than a second, and
// the second purge follows after secondPurge.
const (
	staleness   = 2 * time.Second
	secondPurge = time.Second
)

// purging is a shared cache in front of the API. It keeps responses as their Cache-Control says, tells them
// apart by their URL, and drops what a webhook names: at once and again later. Now and then it asks whether
// a response is still valid, and takes the headers of a 304 in place of those that it has.
type purging struct {
	w      *world
	server *httptest.Server

	mu     sync.Mutex
	kept   map[string]keptResponse
	hits   int
	purged int
}

type keptResponse struct {
	body []byte
	etag string
	tags []string
}

func newPurging(w *world) *purging {
	c := &purging{w: w, kept: map[string]keptResponse{}}
	c.server = httptest.NewServer(http.HandlerFunc(c.receive))
	w.t.Cleanup(c.server.Close)
	return c
}

// receive takes a message of the webhook.
func (c *purging) receive(_ http.ResponseWriter, r *http.Request) {
	var message struct{ Data struct{ Tags []string } }
	text, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(text, &message); err != nil {
		c.w.t.Errorf("%v in %s", err, text)
	}
	c.purge(message.Data.Tags)
	time.AfterFunc(secondPurge, func() { c.purge(message.Data.Tags) })
}

func (c *purging) purge(tags []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for url, kept := range c.kept {
		for _, tag := range tags {
			if strings.Contains(" "+strings.Join(kept.tags, " ")+" ", " "+tag+" ") {
				delete(c.kept, url)
				c.purged++
				break
			}
		}
	}
}

// get reads a URL of a process through the cache.
func (c *purging) get(url string) []byte {
	c.mu.Lock()
	kept, ok := c.kept[url]
	valid := ok && rand.IntN(8) > 0
	if valid {
		c.hits++
	}
	c.mu.Unlock()
	if valid {
		return kept.body
	}
	header := c.w.site.reader
	if ok {
		header = append(header[:1:1], "If-None-Match: "+kept.etag)
	}
	a, err := c.w.call(context.Background(), http.MethodGet, url, "", header...)
	switch {
	case err != nil:
		return nil
	case ok && a.status == http.StatusNotModified:
		a.body = kept.body
	case a.status != http.StatusOK:
		return nil
	}
	if strings.Contains(a.header.Get("Cache-Control"), "s-maxage=3600") {
		c.mu.Lock()
		c.kept[url] = keptResponse{a.body, a.header.Get("ETag"), strings.Fields(a.header.Get("Surrogate-Key"))}
		c.mu.Unlock()
	}
	return a.body
}

// holds returns the response that the cache has.
func (c *purging) holds(url string) (keptResponse, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.kept[url]
	return kept, ok
}

var numbered = regexp.MustCompile(`"(?:title|caption)":"([a-z]+)(\d+) v(\d+)"`)

// TestPurgingCache reads through a cache that keeps everything and drops what webhooks name, while entries
// and media change. It never shows anything that was replaced more than two seconds ago, and two seconds
// after a change, all of its responses are what the API answers. One publication drops what shows the entry,
// and nothing else.
func TestPurgingCache(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]string{
		"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "cache.db"), "postgres": postgrestest.Migrated(t),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, database, 2, rand.New(rand.NewPCG(*seed, 5)), "--cache-tags", "surrogate-key", "--webhook-allow", "127.0.0.1/32")
			c := newPurging(w)
			w.must(http.MethodPatch, w.site.path(""), `{"sharedCache":3600}`)
			w.must(http.MethodPost, w.site.path("/webhooks"), `{"name":"Cache","url":"`+c.server.URL+`","events":["entry.*","media.*","collection.*","component.*","project.*"]}`)
			m := w.newMagazine(c)
			m.change()
			m.settle()
			m.publishOne()
			m.describeOne()
			m.publishNote()
		})
	}
}

// magazine has articles and media with numbered versions.
type magazine struct {
	*world
	cache *purging
	urls  []string
	more  []string // random questions

	mu       sync.Mutex
	articles []int
	pictures []int
	note     int                          // no article refers to it
	seen     []int                        // notes to which articles refer
	acked    map[string][]numberedVersion // by name
}

type numberedVersion struct {
	at time.Time
	n  int
}

func (w *world) newMagazine(c *purging) *magazine {
	w.t.Helper()
	m := &magazine{world: w, cache: c, acked: map[string][]numberedVersion{}}
	for range 4 {
		w.upload()
	}
	m.pictures = w.media
	for _, collection := range []int{w.site.collection, w.site.notes} {
		w.must(http.MethodPatch, w.site.path(fmt.Sprintf("/collections/%d/fields/title", collection)), `{"searchable":true}`)
	}
	notes := w.site.path(fmt.Sprintf("/collections/%d/content", w.site.notes))
	m.note = w.create(notes, `{"published":true,"fields":{"title":"Note"}}`)
	for _, title := range noteTitles {
		m.seen = append(m.seen, w.create(notes, `{"published":true,"fields":{"title":"`+title+`"}}`))
	}
	for i := range 8 {
		related := strings.ReplaceAll(fmt.Sprint(m.articles[max(0, i-2):]), " ", ",")
		body := fmt.Sprintf(`{"published":true,"fields":{"title":"a%d v0","cover":%d,"see":[%d],"related":%s}}`, i, m.pictures[i%len(m.pictures)], m.seen[i%len(m.seen)], related)
		m.articles = append(m.articles, w.create(w.site.articles(), body))
	}
	for n, base := range w.bases {
		list := base + w.site.public()
		m.urls = append(m.urls, list, list+"?limit=2&sort=id", list+"?where[title][like]=a3", list+"?where[related.title][like]=a5", list+"?where[see.title]=Other")
		for _, id := range m.articles {
			m.urls = append(m.urls, list+"/"+strconv.Itoa(id), list+"/"+strconv.Itoa(id)+"?depth=2&fields=title,related.title")
		}
		if n > 0 {
			continue
		}
		m.urls = append(m.urls, base+"/public/v2/graphql?query="+`{entries(collection:"articles",sort:"id"){items{data}}}`)
	}
	for n := range 100 {
		m.more = append(m.more, w.bases[w.random.IntN(len(w.bases))]+m.question(w.random, n))
	}
	for i, u := range m.urls {
		m.urls[i] = strings.NewReplacer(`"`, "%22", "{", "%7B", "}", "%7D").Replace(u)
	}
	for _, u := range m.more {
		if a := m.read(u); a.status != http.StatusOK {
			m.t.Fatalf("%s answers %d: %s", u, a.status, a.body)
		}
	}
	return m
}

var noteTitles = []string{"Note one", "Note two", "Other three"}

// question returns a random path of the API: of a list with conditions, a search and an order, of an entry,
// or of a search of all collections. The first 88 have every condition in every place.
func (m *magazine) question(r *rand.Rand, n int) string {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	article, note := func() string { return strconv.Itoa(m.articles[r.IntN(len(m.articles))]) }, func() string { return strconv.Itoa(m.seen[r.IntN(len(m.seen))]) }
	word := func() string { return one("a"+strconv.Itoa(r.IntN(len(m.articles))), "note", "other", "three") }
	condition := func(n int) string {
		return []string{"[title][like]=" + word(), "[related.title][like]=" + word(), "[see.title][like]=" + word(), "[see]=" + note(), "[see]=" + article(), "[see.id]=" + note(),
			"[related]=" + article(), "[related][not]=" + article(), "[cover]=" + strconv.Itoa(m.pictures[r.IntN(len(m.pictures))]), "[cover][null]", "[cover][not_null]"}[n%11]
	}
	shape := one("", "&fields=title", "&fields=title", "&fields=title,related.title", "&depth=0", "&depth=2", "&fields=see", "&fields=cover",
		"&fields=cover.alt", "&alternates=true", "&alternates=true&fields=title", "&fields=title&referrers=articles.related:2", "&fields=title&referrers=articles.related,articles.see:1")
	list := m.site.public()
	if n >= 96 {
		return list + "/" + article() + "/referrers" + one("", "?collection=articles", "?collection=articles&field=related&limit=1")
	}
	if n == 95 {
		return strings.TrimSuffix(list, "/entries") + "/former"
	}
	if n >= 90 {
		return list + "/counts?by=" + one("see", "related", "publishedAt:year") + one("", "&where"+condition(n))
	}
	switch n % 8 {
	case 0:
		return list + "/" + article() + "?" + strings.TrimPrefix(shape, "&")
	case 1:
		return "/public/v2/projects/" + m.site.uuid + "/search?q=" + word() + one("", "&collections=articles", "&collections=notes", "&fields=articles.related,articles.cover", "&fields=articles.see&limit=1")
	case 2, 3:
		list += "?or[0]" + condition(n/8) + "&or[1]" + condition(r.IntN(11))
	case 4, 5:
		list += "?where" + condition(n/8)
	default:
		list += "?limit=" + one("2", "25")
	}
	where := one("", "", "&where"+condition(r.IntN(11)), "&where[related.related.title][like]="+word(), "&where[_group]="+article())
	return list + where + one("", "", "&search="+word()) + one("", "&sort=title:desc", "&sort=title:asc") + shape
}

// read returns what the first process, which caches nothing, answers to a URL of any process.
func (m *magazine) read(url string) response {
	for _, base := range m.bases {
		url = strings.TrimPrefix(url, base)
	}
	a, err := m.call(context.Background(), http.MethodGet, m.bases[0]+url, "", m.site.reader...)
	if err != nil {
		m.t.Errorf("%s: %v", url, err)
	}
	return a
}

// settle makes random changes, one by one, and compares the whole cache with the API after each.
func (m *magazine) settle() {
	m.t.Helper()
	r := rand.New(rand.NewPCG(m.random.Uint64(), 7))
	all := slices.Concat(m.more, m.urls)
	public := map[string]bool{}
	for n := range 60 {
		for _, u := range all {
			m.cache.get(u)
		}
		what := m.alter(r, n, public)
		m.expectCurrent(what, all)
	}
	for path, is := range public {
		if !is {
			m.must(http.MethodPost, path+"/publish", "{}")
		}
	}
	m.cache.mu.Lock()
	defer m.cache.mu.Unlock()
	clear(m.cache.kept)
}

// alter makes a random change, and says which. public says what alter has unpublished or published.
func (m *magazine) alter(r *rand.Rand, n int, public map[string]bool) string {
	article, at := m.articles[r.IntN(len(m.articles))], r.IntN(len(m.pictures))
	note := m.site.path(fmt.Sprintf("/collections/%d/content/%d", m.site.notes, m.seen[r.IntN(len(m.seen))]))
	picture := m.site.path(fmt.Sprintf("/media/%d", m.pictures[at]))
	process := r.IntN(len(m.bases))
	toggle := func(path string) string {
		was, known := public[path]
		act, body := "/publish", "{}"
		if was || !known {
			act, body = "/unpublish", ""
		}
		public[path] = act == "/publish"
		m.write(r, process, http.MethodPost, path+act, body)
		return path + act
	}
	change := func(path, body string) string {
		m.write(r, process, http.MethodPatch, path, body)
		return path + " " + body
	}
	switch r.IntN(12) {
	case 0, 1:
		return change(m.site.content(article, ""), fmt.Sprintf(`{"fields":{"title":"a%d v%d"}}`, r.IntN(len(m.articles)), 1000+n))
	case 2:
		return change(m.site.content(article, ""), fmt.Sprintf(`{"fields":{"see":[%d],"related":[%d]}}`, m.seen[r.IntN(len(m.seen))], m.articles[r.IntN(len(m.articles))]))
	case 3:
		return change(m.site.content(article, ""), fmt.Sprintf(`{"fields":{"cover":%d}}`, m.pictures[at]))
	case 4, 5:
		return change(note, `{"fields":{"title":"`+noteTitles[r.IntN(len(noteTitles))]+`"}}`)
	case 6:
		return change(picture, fmt.Sprintf(`{"caption":"m%d v%d"}`, at, 1000+n))
	case 7, 8:
		return toggle(m.site.content(article, ""))
	case 9:
		return toggle(note)
	case 10:
		for _, path := range slices.Sorted(maps.Keys(public)) {
			if !public[path] {
				return toggle(path)
			}
		}
		return toggle(note)
	default:
		if at > 1 { // one of the others is used later
			m.write(r, process, http.MethodDelete, picture, "")
		}
		return "the deletion of " + picture
	}
}

// expectCurrent waits until the responses of the cache are those of the API, for as long as they may be
// older.
func (m *magazine) expectCurrent(what string, urls []string) {
	m.t.Helper()
	began := time.Now()
	await.Within(2*staleness, func() bool {
		late := time.Since(began) > staleness
		old := 0
		for _, u := range urls {
			kept, ok := m.cache.holds(u)
			if !ok {
				continue
			}
			if a := m.read(u); !bytes.Equal(a.body, kept.body) {
				if old++; late {
					m.t.Errorf("%v after %s: %s is kept as\n%s\nand the API answers %d\n%s", staleness, what, u, kept.body, a.status, a.body)
				}
			}
		}
		return old == 0 || late
	})
}

// change changes articles and media, and reads through the cache meanwhile.
func (m *magazine) change() {
	const writes = 150
	var writing, reading sync.WaitGroup
	stop := make(chan struct{})
	all := slices.Concat(m.more, m.urls)
	for worker := range 2 {
		r := rand.New(rand.NewPCG(m.random.Uint64(), 6))
		writing.Go(func() {
			for n := 1; n <= writes; n++ {
				// Each worker has things of its own, so that their versions ascend.
				i, process := 2*r.IntN(len(m.articles)/2)+worker, r.IntN(len(m.bases))
				name, path, body := fmt.Sprintf("a%d", i), m.site.content(m.articles[i], ""), fmt.Sprintf(`{"fields":{"title":"a%d v%d"}}`, i, n)
				switch r.IntN(10) {
				case 0:
					i = 2*r.IntN(len(m.pictures)/2) + worker
					name, path, body = fmt.Sprintf("m%d", i), m.site.path(fmt.Sprintf("/media/%d", m.pictures[i])), fmt.Sprintf(`{"caption":"m%d v%d"}`, i, n)
				case 1:
					m.write(r, process, http.MethodPost, m.site.content(m.articles[i], "/unpublish"), "")
					m.write(r, process, http.MethodPost, m.site.content(m.articles[i], "/publish"), "{}")
				}
				if _, ok := m.write(r, process, http.MethodPatch, path, body); ok {
					m.mu.Lock()
					m.acked[name] = append(m.acked[name], numberedVersion{time.Now(), n})
					m.mu.Unlock()
				}
				time.Sleep(rand.N(40 * time.Millisecond)) // the pace of this writer
			}
		})
	}
	for range 3 {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(rand.N(4 * time.Millisecond)):
					m.look(all[rand.IntN(len(all))])
				}
			}
		})
	}
	writing.Wait()
	time.Sleep(staleness + 500*time.Millisecond) // for so long the cache may be stale
	for _, u := range all {
		m.look(u)
	}
	close(stop)
	reading.Wait()
	m.cache.mu.Lock()
	defer m.cache.mu.Unlock()
	m.t.Logf("%d responses from the cache, %d purged", m.cache.hits, m.cache.purged)
	if m.cache.hits < 500 || m.cache.purged < 100 {
		m.t.Errorf("%d responses from the cache and %d purged: too few to say something", m.cache.hits, m.cache.purged)
	}
}

// look reads through the cache, and checks that no version is too old.
func (m *magazine) look(url string) {
	began := time.Now()
	body := m.cache.get(url)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, seen := range numbered.FindAllSubmatch(body, -1) {
		name := string(seen[1]) + string(seen[2])
		n, _ := strconv.Atoi(string(seen[3]))
		for _, v := range m.acked[name] {
			if v.n > n && began.Sub(v.at) > staleness {
				m.t.Errorf("%s shows version %d of %s, which version %d replaced %v before", url, n, name, v.n, began.Sub(v.at))
				return
			}
		}
	}
}

// publishOne publishes one article, and unpublishes it. What shows it is dropped. A draft drops nothing.
func (m *magazine) publishOne() {
	m.t.Helper()
	const i = 4
	own := m.articles[i]
	m.drops("a draft", func() {
		m.must(http.MethodPatch, m.site.content(own, ""), fmt.Sprintf(`{"keepPublished":true,"fields":{"title":"a%d v500"}}`, i))
	}, func(string, string) bool { return false })
	shown := func(url, body string) bool { // lists depend on each article; single reads on those that they show
		return !strings.Contains(url, "/entries/") || strings.Contains(body, fmt.Sprintf(`"id":%d,`, own))
	}
	m.drops("a publication", func() { m.must(http.MethodPost, m.site.content(own, "/publish"), "{}") }, shown)
	m.drops("the end of a publication", func() { m.must(http.MethodPost, m.site.content(own, "/unpublish"), "") }, shown)
	m.must(http.MethodPost, m.site.content(own, "/publish"), "{}")
}

// describeOne changes one medium. What shows it is dropped.
func (m *magazine) describeOne() {
	m.t.Helper()
	medium := m.pictures[1]
	m.drops("a medium", func() {
		m.must(http.MethodPatch, m.site.path(fmt.Sprintf("/media/%d", medium)), `{"caption":"m1 v500"}`)
	}, func(_, body string) bool { return strings.Contains(body, fmt.Sprintf(`"cover":{"id":%d,`, medium)) })
}

// publishNote publishes an entry of another collection. What chooses articles by it is dropped.
func (m *magazine) publishNote() {
	m.t.Helper()
	m.drops("a note", func() {
		m.must(http.MethodPatch, m.site.path(fmt.Sprintf("/collections/%d/content/%d", m.site.notes, m.note)), `{"fields":{"title":"Other"}}`)
	}, func(url, _ string) bool { return strings.Contains(url, "see.title") })
}

// drops fills the cache, makes a change, and checks that the responses are dropped for which want is true.
func (m *magazine) drops(what string, change func(), want func(url, body string) bool) {
	m.t.Helper()
	time.Sleep(staleness) // for so long the cache may be stale
	for _, u := range m.urls {
		m.cache.get(u)
	}
	m.cache.mu.Lock()
	before := maps.Clone(m.cache.kept)
	m.cache.mu.Unlock()
	if len(before) != len(m.urls) {
		m.t.Errorf("%s: the cache has %d of %d responses", what, len(before), len(m.urls))
	}
	change()
	time.Sleep(staleness) // for so long the cache may be stale
	m.cache.mu.Lock()
	defer m.cache.mu.Unlock()
	for u, response := range before {
		if _, kept := m.cache.kept[u]; kept == want(u, string(response.body)) {
			m.t.Errorf("%s: kept %v afterwards: %s", what, kept, u)
		}
	}
}
