package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"imprimatur/test/postgrestest"
)

var copied = 2000 // changes that TestCopies makes on each database

// known is the time after which all processes know of a change.
const known = 1500 * time.Millisecond

// TestCopies keeps copies of the content by its changes, page by page and with all filters, while editors,
// reviewers, importers and schedules work, definitions change, and a process is killed again and again.
// In the end each copy has what readers read, byte for byte.
func TestCopies(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]string{
		"sqlite": "sqlite:" + filepath.Join(t.TempDir(), "copies.db"), "postgres": postgrestest.Migrated(t),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, database, 2, rand.New(rand.NewPCG(*seed, 4)))
			w.kills = true
			copies := w.copies()
			w.change(copied, copies)
			w.destroyTarget(copies)
			w.fallBehind(copies)
			w.compare(copies)
			for range 20 {
				w.edit(w.random)
			}
			w.must(http.MethodPost, w.site.path(fmt.Sprintf("/collections/%d/fields?acknowledge=true", w.site.collection)), `{"name":"last","type":"text"}`)
			time.Sleep(known) // for so long a page may lack a change
			w.compare(append(copies, w.newCopy(w.bases[0], w.site, "", "", 1)))
		})
	}
}

// compare compares the copies with others that are read at once, and these with what readers read.
func (w *world) compare(copies []*replica) {
	w.t.Helper()
	for _, c := range copies {
		c.finish()
	}
	for _, p := range []*project{w.site, w.agency} {
		for _, base := range w.bases {
			whole := w.newCopy(base, p, "", "", 500)
			whole.finish()
			whole.equalsReaders()
			for _, c := range copies {
				if c.project == p && c.base == base {
					c.equals(whole)
				}
			}
		}
	}
}

// copies returns the copies that are kept.
func (w *world) copies() (copies []*replica) {
	for _, base := range w.bases {
		copies = append(copies, w.newCopy(base, w.site, "", "", 3), w.newCopy(base, w.site, "", "", 100), w.newCopy(base, w.site, "articles", "", 7),
			w.newCopy(base, w.site, "", "en", 20), w.newCopy(base, w.agency, "", "", 50))
	}
	return copies
}

// change makes changes, and keeps the copies.
func (w *world) change(changes int, copies []*replica) {
	w.left.Store(int64(changes))
	for range 4 {
		w.upload()
	}
	w.importWire(0)
	for range 12 {
		w.write(w.random, 0, http.MethodPost, w.site.articles(), w.draft(w.random, true))
	}
	stop := make(chan struct{})
	var copying, acting sync.WaitGroup
	for _, c := range copies {
		copying.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(rand.N(60 * time.Millisecond)):
					c.poll()
				}
			}
		})
	}
	actor := func(pause time.Duration, act func(r *rand.Rand)) {
		r := rand.New(rand.NewPCG(w.random.Uint64(), 2))
		acting.Go(func() {
			for w.left.Load() > 0 && !w.t.Failed() {
				act(r)
				time.Sleep(rand.N(2*pause + 1)) // the pace of this actor
			}
		})
	}
	for range 3 {
		actor(0, w.edit)
	}
	actor(30*time.Millisecond, w.approve)
	actor(20*time.Millisecond, w.keepLibrary)
	actor(40*time.Millisecond, w.keepNotes)
	actor(600*time.Millisecond, w.govern)
	actor(400*time.Millisecond, w.redefine)
	actor(900*time.Millisecond, func(*rand.Rand) { w.kill(1) })
	imports := 0
	actor(time.Second, func(*rand.Rand) { imports++; w.importWire(imports) })
	acting.Wait()
	time.Sleep(known) // and the last schedules are due
	close(stop)
	copying.Wait()
}

// destroyTarget destroys what a published article refers to, when all copies have the article. That is no
// change of the article.
func (w *world) destroyTarget(copies []*replica) {
	w.t.Helper()
	w.write(nil, 0, http.MethodPatch, w.site.path(""), fmt.Sprintf(`{"departmentId":%d}`, w.bureau))
	w.write(nil, 0, http.MethodDelete, w.site.path("/approval-workflow"), "")
	notes := w.site.path(fmt.Sprintf("/collections/%d/content", w.site.notes))
	note := w.create(notes, `{"published":true,"fields":{"title":"Note"}}`)
	w.create(w.site.articles(), fmt.Sprintf(`{"published":true,"fields":{"title":"Last","see":[%d],"body":"<p><a data-entry=\"%d\">x</a></p>"}}`, note, note))
	time.Sleep(known) // for so long a page may lack a change
	for _, c := range copies {
		c.finish()
	}
	for _, rest := range []string{"", "/permanent"} {
		w.must(http.MethodDelete, fmt.Sprintf("%s/%d%s", notes, note, rest), "")
	}
	time.Sleep(known) // for so long a page may lack a change
}

// fallBehind makes many changes of entries and media, none of a definition, while no copy asks for them.
// Afterwards the copies have pages to read.
func (w *world) fallBehind(copies []*replica) {
	w.t.Helper()
	for _, c := range copies {
		c.finish()
	}
	for range 60 {
		w.edit(w.random)
	}
	for range 15 {
		w.keepLibrary(w.random)
		w.keepNotes(w.random)
	}
	w.importWire(1000)
	w.importArticles(w.random, 1000)
	time.Sleep(known) // and the last schedules are due
}

// approve decides about the request of an article.
func (w *world) approve(r *rand.Rand) {
	w.write(r, 0, http.MethodPost, w.site.content(w.article(r), "/approval/approve"), `{}`)
}

// redefine adds or removes a field, or changes a label.
func (w *world) redefine(r *rand.Rand) {
	name := []string{"extra", "other"}[r.IntN(2)]
	fields := w.site.path(fmt.Sprintf("/collections/%d/fields", w.site.collection))
	switch r.IntN(4) {
	case 0:
		w.write(r, 0, http.MethodPost, fields+"?acknowledge=true", `{"name":"`+name+`","type":"text"}`)
	case 1:
		w.write(r, 0, http.MethodDelete, fields+"/"+name+"?acknowledge=true", "")
	case 2:
		w.write(r, 0, http.MethodPatch, fields+"/title", fmt.Sprintf(`{"label":"Title %d"}`, r.IntN(1000)))
	default:
		id := w.createIfPossible(w.site.path("/collections"), fmt.Sprintf(`{"slug":"c%d","name":"C","fields":[{"name":"title","type":"text"}]}`, r.IntN(1e6)))
		if id == 0 {
			return
		}
		at := w.site.path(fmt.Sprintf("/collections/%d", id))
		for range 3 {
			if made, ok := w.write(r, 0, http.MethodPost, at+"/content", `{"published":true,"fields":{"title":"Soon gone"}}`); ok {
				w.write(r, 0, http.MethodPatch, w.site.content(w.article(r), ""), fmt.Sprintf(`{"published":true,"fields":{"body":"<p><a data-entry=\"%d\">x</a></p>"}}`, made))
			}
		}
		if r.IntN(2) == 0 {
			w.write(r, 0, http.MethodDelete, at+"?acknowledge=true", "")
		}
	}
}

// keepNotes creates or destroys a note. Articles refer to notes.
func (w *world) keepNotes(r *rand.Rand) {
	notes := w.site.path(fmt.Sprintf("/collections/%d/content", w.site.notes))
	if len(w.notes) < 4 || r.IntN(2) == 0 {
		if made, ok := w.write(r, 0, http.MethodPost, notes, fmt.Sprintf(`{"published":%t,"fields":{"title":"Note"}}`, r.IntN(3) > 0)); ok {
			w.mutex.Lock()
			w.notes = append(w.notes, made)
			w.mutex.Unlock()
		}
		return
	}
	w.mutex.Lock()
	at := r.IntN(len(w.notes))
	note := fmt.Sprintf("%s/%d", notes, w.notes[at])
	w.notes = append(w.notes[:at:at], w.notes[at+1:]...)
	w.mutex.Unlock()
	w.write(r, 0, http.MethodDelete, note, "")
	w.write(r, 0, http.MethodDelete, note+"/permanent", "")
}

func (w *world) createIfPossible(path, body string) int {
	id, _ := w.write(nil, 0, http.MethodPost, path, body)
	return id
}

// replica is a copy of a project.
type replica struct {
	w             *world
	base          string
	project       *project
	collection    string
	locale        string
	limit         int
	since         string
	entries       map[int]copiedEntry
	media         map[int]json.RawMessage
	pages, resets int
	changes       int  // ever
	passing       bool // the collection may be deleted
}

type copiedEntry struct {
	Op, Collection, Locale, ContentHash, PublishedAt string
	ID, Group                                        int
	Entry                                            json.RawMessage
}

func (w *world) newCopy(base string, p *project, collection, locale string, limit int) *replica {
	c := &replica{w: w, base: base, project: p, collection: collection, locale: locale, limit: limit}
	c.clear()
	return c
}

func (c *replica) clear() {
	c.since, c.entries, c.media = "", map[int]copiedEntry{}, map[int]json.RawMessage{}
}

// poll applies one page, and reports whether another one follows.
func (c *replica) poll() (more bool) {
	var page struct {
		Data []struct {
			copiedEntry
			Media json.RawMessage
		}
		Meta struct {
			Next    string
			HasMore bool
		}
	}
	query := url.Values{"limit": {strconv.Itoa(c.limit)}}
	for name, value := range map[string]string{"since": c.since, "collection": c.collection, "locale": c.locale} {
		if value != "" {
			query.Set(name, value)
		}
	}
	a, err := c.w.call(context.Background(), http.MethodGet, c.base+"/public/v2/projects/"+c.project.uuid+"/changes?"+query.Encode(), "", c.project.reader...)
	switch {
	case err != nil && c.w.kills, a.status == http.StatusServiceUnavailable:
		return true // the process is gone
	case a.status == http.StatusBadRequest && c.passing: // the collection is deleted
		return false
	case err != nil || a.status != http.StatusOK:
		c.w.t.Errorf("changes since %q: %v, %d: %s", c.since, err, a.status, a.body)
		return false
	}
	if err := json.Unmarshal(a.body, &page); err != nil {
		c.w.t.Error(err)
		return false
	}
	c.pages++
	c.changes += len(page.Data)
	seen := map[string]bool{}
	for _, change := range page.Data {
		media := 0
		if change.Op == "media" {
			media = idOf(change.Media)
		}
		if thing := fmt.Sprint(change.Op == "mediaDeleted", change.Op == "reset", change.ID, media, change.Op == "reset" && change.Collection != ""); change.Op != "reset" && seen[thing] {
			c.w.t.Errorf("%s is twice in a page", thing)
		} else {
			seen[thing] = true
		}
		switch change.Op {
		case "put":
			c.entries[change.ID] = change.copiedEntry
		case "delete":
			delete(c.entries, change.ID)
		case "media":
			c.media[media] = change.Media
		case "mediaDeleted":
			delete(c.media, change.ID)
		case "reset":
			c.resets++
			if change.Collection == "" || c.collection != "" {
				c.clear()
				return true
			}
			c.reread(change.Collection)
		default:
			c.w.t.Errorf("unknown change %q", change.Op)
		}
	}
	c.since = page.Meta.Next
	return page.Meta.HasMore
}

// reread reads the entries of one collection again. One that was deleted has none.
func (c *replica) reread(slug string) {
	maps.DeleteFunc(c.entries, func(_ int, e copiedEntry) bool { return e.Collection == slug })
	again := c.w.newCopy(c.base, c.project, slug, c.locale, c.limit)
	again.passing = slug != "articles"
	for again.poll() {
		if c.w.t.Failed() {
			return
		}
	}
	maps.Copy(c.entries, again.entries)
}

func idOf(item json.RawMessage) int {
	var of struct{ ID int }
	_ = json.Unmarshal(item, &of)
	return of.ID
}

// finish polls until a page says that nothing more is there, which is so, because nothing changes meanwhile.
func (c *replica) finish() {
	c.w.t.Helper()
	changes := 0
	for last := range 2 {
		for c.poll() && !c.w.t.Failed() {
			time.Sleep(time.Millisecond) // between two polls
		}
		if last == 1 && c.changes > changes && !c.w.t.Failed() {
			c.w.t.Errorf("copy of %q %q, limit %d: %d changes follow a page without more", c.collection, c.locale, c.limit, c.changes-changes)
		}
		changes = c.changes
	}
	c.w.t.Logf("%s %s%s: %d pages, %d resets, %d entries, %d media", c.project.uuid[:4], c.collection, c.locale, c.pages, c.resets, len(c.entries), len(c.media))
}

// equals compares the copy with one that was just read.
func (c *replica) equals(whole *replica) {
	c.w.t.Helper()
	want := maps.Clone(whole.entries)
	maps.DeleteFunc(want, func(_ int, e copiedEntry) bool { return c.collection != "" && e.Collection != c.collection })
	for id, e := range want {
		if got, ok := c.entries[id]; !ok || fmt.Sprint(got) != fmt.Sprint(e) {
			c.w.t.Errorf("copy of %q %q, limit %d: entry %d is\n%s\nwant\n%s", c.collection, c.locale, c.limit, id, got.Entry, e.Entry)
		}
	}
	if len(c.entries) != len(want) || len(c.media) != len(whole.media) {
		c.w.t.Errorf("copy of %q %q: %d entries and %d media, want %d and %d", c.collection, c.locale, len(c.entries), len(c.media), len(want), len(whole.media))
	}
	for id, item := range whole.media {
		if !bytes.Equal(c.media[id], item) {
			c.w.t.Errorf("item %d is %s, want %s", id, c.media[id], item)
		}
	}
}

var (
	groupMember = regexp.MustCompile(`\{"group":(\d+),"collection":"[a-z0-9]+"\}`)
	mediaMember = regexp.MustCompile(`\{"id":(\d+)\}`)
	fileMembers = regexp.MustCompile(`,"mimeType":.*$`)
	listMember  = regexp.MustCompile(`"(shots|related|see)":\[([^\[\]]|\[[^\]]*\])*?\]`)
)

// asRead returns an entry of the copy as readers with depth 0 see it: with the members of its groups that
// are in the copy, and the items of the library.
func (c *replica) asRead(e copiedEntry) string {
	const none = "\x00"
	text := groupMember.ReplaceAllStringFunc(string(e.Entry), func(member string) string {
		group, _ := strconv.Atoi(groupMember.FindStringSubmatch(member)[1])
		for _, other := range c.entries {
			if other.Group == group && other.Locale == e.Locale {
				return fmt.Sprintf(`{"id":%d,"collection":%q}`, other.ID, other.Collection)
			}
		}
		return none
	})
	text = mediaMember.ReplaceAllStringFunc(text, func(member string) string {
		id, _ := strconv.Atoi(mediaMember.FindStringSubmatch(member)[1])
		if item, ok := c.media[id]; ok {
			return fileMembers.ReplaceAllString(string(item), "}")
		}
		return none
	})
	text = listMember.ReplaceAllStringFunc(text, func(list string) string {
		for _, gone := range []string{none + ",", "," + none, none} {
			list = string(bytes.ReplaceAll([]byte(list), []byte(gone), nil))
		}
		return list
	})
	return string(bytes.ReplaceAll([]byte(text), []byte(none), []byte("null")))
}

// equalsReaders compares the copy with what readers read of all collections and of the library.
func (c *replica) equalsReaders() {
	c.w.t.Helper()
	get := func(path string, into any) {
		a, err := c.w.call(context.Background(), http.MethodGet, c.base+"/public/v2/projects/"+c.project.uuid+path, "", c.project.reader...)
		if err == nil {
			err = json.Unmarshal(a.body, into)
		}
		if err != nil || a.status != http.StatusOK {
			c.w.t.Fatalf("%s: %v, %d: %s", path, err, a.status, a.body)
		}
	}
	type page struct {
		Data []json.RawMessage
		Meta struct {
			Next    string
			HasMore bool
		}
	}
	var collections struct{ Data []struct{ Slug string } }
	get("/collections", &collections)
	left := maps.Clone(c.entries)
	for _, collection := range collections.Data {
		var p page
		for next := ""; ; next = "&after=" + p.Meta.Next {
			p = page{}
			get("/collections/"+collection.Slug+"/entries?locale=*&depth=0&limit=500"+next, &p)
			for _, read := range p.Data {
				id := idOf(read)
				if got := c.asRead(c.entries[id]); got != string(read) {
					c.w.t.Errorf("entry %d of the copy is\n%s\nand readers read\n%s", id, got, read)
				}
				delete(left, id)
			}
			if !p.Meta.HasMore {
				break
			}
		}
	}
	if len(left) > 0 {
		c.w.t.Errorf("readers do not read %v", slices.Collect(maps.Keys(left)))
	}
	count := 0
	for n := 1; ; n++ {
		var p page
		get(fmt.Sprintf("/media?perPage=100&page=%d", n), &p)
		for _, item := range p.Data {
			count++
			if !bytes.Equal(item, c.media[idOf(item)]) {
				c.w.t.Errorf("item of the copy: %s, of the library: %s", c.media[idOf(item)], item)
			}
		}
		if !p.Meta.HasMore {
			break
		}
	}
	if count != len(c.media) {
		c.w.t.Errorf("the copy has %d items, the library %d", len(c.media), count)
	}
}
