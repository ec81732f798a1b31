package truth

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// run makes changes, and polls meanwhile.
func (w *world) run(changes int) {
	w.t.Helper()
	w.left.Store(int64(changes))
	for range 4 {
		w.upload()
	}
	w.importWire(0)
	for range 12 {
		w.write(w.random, 0, http.MethodPost, w.site.articles(), w.draft(w.random, true))
	}
	w.compose(w.random)
	stop := make(chan struct{})
	var polling, acting sync.WaitGroup
	w.poll(&polling, stop)
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
	actor(10*time.Millisecond, w.review)
	actor(20*time.Millisecond, w.keepLibrary)
	actor(80*time.Millisecond, w.compose)
	actor(600*time.Millisecond, w.govern)
	imports := 0
	actor(700*time.Millisecond, func(r *rand.Rand) {
		imports++
		w.importWire(imports)
		w.importArticles(r, imports)
	})
	acting.Wait()
	time.Sleep(1500 * time.Millisecond) // the last schedules are due
	close(stop)
	polling.Wait()
}

// write sends a change as the super admin. A refusal by the state of the entry is no fault.
func (w *world) write(r *rand.Rand, process int, method, path, body string) (id int, ok bool) {
	w.left.Add(-1)
	w.made.Add(1)
	a, err := w.call(w.t.Context(), method, w.bases[process]+path, body, append([]string{"Origin: " + w.bases[process]}, w.root[0])...)
	switch {
	case err != nil && w.kills:
		return 0, false
	case err != nil:
		w.t.Errorf("%s %s: %v", method, path, err)
		return 0, false
	case a.status == http.StatusNotFound, a.status == http.StatusConflict, a.status == http.StatusUnprocessableEntity, a.status == http.StatusPreconditionFailed,
		a.status == http.StatusServiceUnavailable: // a loaded machine
		w.refused.Add(1)
		return 0, false
	case a.status >= http.StatusMultipleChoices:
		w.t.Errorf("%s %s with %s answered %d: %s", method, path, body, a.status, a.body)
		return 0, false
	}
	var made struct{ ID int }
	_ = json.Unmarshal(a.body, &made)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if method == http.MethodPost && path == w.site.articles() {
		w.entries = append(w.entries, made.ID)
		w.writes[made.ID] = append(w.writes[made.ID], span{a.began, a.ended})
	} else if article := articlePath.FindStringSubmatch(path); article != nil {
		id, _ := strconv.Atoi(article[1])
		w.writes[id] = append(w.writes[id], span{a.began, a.ended})
	} else {
		w.writes[0] = append(w.writes[0], span{a.began, a.ended})
	}
	return made.ID, true
}

var articlePath = regexp.MustCompile(`/content/(\d+)`)

// draft returns the body of a write with new content.
func (w *world) draft(r *rand.Rand, published bool) string {
	fields := map[string]any{"title": fmt.Sprintf("Title %d", r.IntN(1e9))}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if r.IntN(2) == 0 && len(w.media) > 0 {
		fields["cover"] = w.media[r.IntN(len(w.media))]
	}
	if r.IntN(4) == 0 && len(w.media) > 1 {
		fields["shots"] = []int{w.media[0], w.media[len(w.media)-1]}
	}
	if r.IntN(2) == 0 && len(w.media) > 0 {
		part := func(key string) map[string]any {
			return map[string]any{"_type": "part", "_key": key, "words": fmt.Sprintf("Words %d", r.IntN(1e9)), "cover": w.media[r.IntN(len(w.media))]}
		}
		fields["parts"] = []any{part("a"), part("b")}
	}
	if r.IntN(3) == 0 && len(w.entries) > 0 {
		fields["related"] = []int{w.entries[r.IntN(min(len(w.entries), 8))]}
	}
	if r.IntN(2) == 0 && len(w.notes) > 0 {
		note := w.notes[r.IntN(len(w.notes))]
		fields["see"] = []int{note, w.entries[r.IntN(min(len(w.entries), 8))]}
		fields["body"] = fmt.Sprintf(`<p><a data-entry="%d">Note</a></p>`, note)
	}
	body := map[string]any{"fields": fields}
	if published {
		body["published"] = true
	}
	text, _ := json.Marshal(body)
	return string(text)
}

// article returns an article, often one of the first.
func (w *world) article(r *rand.Rand) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	n := len(w.entries)
	if r.IntN(3) > 0 {
		n = min(n, 6)
	}
	return w.entries[r.IntN(n)]
}

// edit makes one change of an article.
func (w *world) edit(r *rand.Rand) {
	id, process := w.article(r), r.IntN(len(w.bases))
	in := func(low, high int) string {
		return time.Now().Add(time.Duration(low+r.IntN(high-low)) * time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	switch n := r.IntN(100); {
	case n < 6 && len(w.entries) < 60:
		w.write(r, process, http.MethodPost, w.site.articles(), w.draft(r, r.IntN(3) > 0))
	case n < 30:
		w.write(r, process, http.MethodPatch, w.site.content(id, ""), w.draft(r, false))
	case n < 60:
		w.write(r, process, http.MethodPatch, w.site.content(id, ""), w.draft(r, true))
	case n < 68:
		w.write(r, process, http.MethodPost, w.site.content(id, "/publish"), `{}`)
	case n < 76:
		w.write(r, process, http.MethodPost, w.site.content(id, "/publish"), `{"publishAt":"`+in(50, 400)+`","unpublishAt":"`+in(500, 1200)+`"}`)
	case n < 84:
		w.write(r, process, http.MethodPost, w.site.content(id, "/unpublish"), "")
	case n < 90:
		w.write(r, process, http.MethodDelete, w.site.content(id, ""), "")
		time.Sleep(rand.N(30 * time.Millisecond)) // pollers may see that it is away
		w.write(r, process, http.MethodPost, w.site.content(id, "/restore"), "")
	case n < 92:
		w.write(r, process, http.MethodDelete, w.site.content(id, ""), "")
		w.write(r, process, http.MethodDelete, w.site.content(id, "/permanent"), "")
	default:
		w.write(r, process, http.MethodPost, w.site.content(id, "/restore"), "")
	}
}

// review decides about waiting requests.
func (w *world) review(r *rand.Rand) {
	a, err := w.call(w.t.Context(), http.MethodGet, w.bases[0]+"/api/approvals/pending?perPage=50", "", w.root...)
	if err != nil || a.status != http.StatusOK {
		w.t.Errorf("inbox: %v, %d: %s", err, a.status, a.body)
		return
	}
	for _, waiting := range decode[struct {
		Data []struct{ EntryID, ReleaseID int }
	}](w.t, a).Data {
		at := w.site.content(waiting.EntryID, "/approval")
		if waiting.ReleaseID != 0 {
			at = w.site.path(fmt.Sprintf("/releases/%d/approval", waiting.ReleaseID))
		}
		if r.IntN(8) == 0 {
			w.write(r, 0, http.MethodPut, at+"/schedule", `{"publishAt":"`+time.Now().Add(200*time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z")+`"}`)
		}
		w.write(r, 0, http.MethodPost, at+"/approve", `{}`)
		if r.IntN(8) == 0 {
			w.write(r, 0, http.MethodPost, at+"/publish-now", `{}`)
		}
	}
}

// compose submits a release of a few articles: of new drafts, past publications and ends.
func (w *world) compose(r *rand.Rand) {
	var articles struct {
		Data []struct {
			ID       int
			State    string
			Approval *struct{ Status string }
		}
	}
	w.get(w.site.articles()+"?limit=200", &articles)
	var members []string
	for _, n := range r.Perm(len(articles.Data)) {
		a := articles.Data[n]
		if a.Approval != nil && (a.Approval.Status == "pending" || a.Approval.Status == "approved") {
			continue // a member has no open request of its own
		}
		switch choice := r.IntN(8); {
		case choice == 0 && a.State == "published":
			members = append(members, fmt.Sprintf(`{"entryId":%d,"action":"unpublish"}`, a.ID))
		case choice == 1 && a.State == "published":
			members = append(members, fmt.Sprintf(`{"entryId":%d,"from":{"publication":1}}`, a.ID))
		default:
			w.write(r, 0, http.MethodPatch, w.site.content(a.ID, ""), `{"keepPublished":true,`+w.draft(r, false)[1:])
			members = append(members, fmt.Sprintf(`{"entryId":%d}`, a.ID))
		}
		if len(members) > r.IntN(5) {
			break
		}
	}
	if len(members) == 0 {
		return
	}
	release, ok := w.write(r, 0, http.MethodPost, w.site.path("/releases"), `{"name":"Together"}`)
	if !ok {
		return
	}
	at := w.site.path(fmt.Sprintf("/releases/%d", release))
	if _, ok := w.write(r, 0, http.MethodPost, at+"/members", `{"members":[`+strings.Join(members, ",")+`]}`); !ok {
		return
	}
	body := `{}`
	if r.IntN(3) == 0 {
		body = `{"publishAt":"` + time.Now().Add(rand.N(300*time.Millisecond)).UTC().Format("2006-01-02T15:04:05.000Z") + `"}`
	}
	w.write(r, r.IntN(len(w.bases)), http.MethodPost, at+"/publish", body)
}

// keepLibrary uploads, describes or deletes a medium.
func (w *world) keepLibrary(r *rand.Rand) {
	w.mutex.Lock()
	known := len(w.media)
	medium := w.media[r.IntN(known)]
	w.mutex.Unlock()
	at := w.site.path(fmt.Sprintf("/media/%d", medium))
	switch n := r.IntN(10); {
	case n < 2 || known < 4:
		w.upload()
	case n < 4:
		if _, deleted := w.write(r, 0, http.MethodDelete, at, ""); deleted {
			w.mutex.Lock()
			for i, id := range w.media {
				if id == medium {
					w.media = append(w.media[:i:i], w.media[i+1:]...)
					break
				}
			}
			w.mutex.Unlock()
		}
	default:
		w.write(r, 0, http.MethodPatch, at, fmt.Sprintf(`{"caption":"Caption %d"}`, r.IntN(1e9)))
	}
}

func (w *world) upload() {
	content := fmt.Sprintf("file %d", time.Now().UnixNano())
	form := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + content + "\r\n--" + boundary + "--\r\n"
	w.left.Add(-1)
	w.made.Add(1)
	a, err := w.call(w.t.Context(), http.MethodPost, w.bases[0]+w.site.path("/media/upload"), form, w.root...)
	if err == nil && a.status == http.StatusServiceUnavailable { // a loaded machine
		w.refused.Add(1)
		return
	}
	if err != nil || a.status != http.StatusCreated {
		w.t.Errorf("upload: %v, %d: %s", err, a.status, a.body)
		return
	}
	id := decode[struct{ ID int }](w.t, a).ID
	w.mutex.Lock()
	w.media, w.bytes[id] = append(w.media, id), content
	w.mutex.Unlock()
}

// govern changes what governs the project: its own workflow, or its department.
func (w *world) govern(r *rand.Rand) {
	switch r.IntN(4) {
	case 0:
		w.write(r, 0, http.MethodPut, w.site.path("/approval-workflow"), workflow)
	case 1:
		w.write(r, 0, http.MethodDelete, w.site.path("/approval-workflow"), "")
	case 2:
		w.write(r, 0, http.MethodPatch, w.site.path(""), fmt.Sprintf(`{"departmentId":%d}`, w.desk))
	default:
		w.write(r, 0, http.MethodPatch, w.site.path(""), fmt.Sprintf(`{"departmentId":%d}`, w.bureau))
		w.write(r, 0, http.MethodDelete, w.site.path("/approval-workflow"), "")
	}
}

const wireEntries = 300

// importWire publishes new versions of all articles of the agency.
func (w *world) importWire(n int) {
	var lines strings.Builder
	for i := range wireEntries {
		fmt.Fprintf(&lines, `{"key":"w%d","published":true,"publishedAt":"2020-01-0%dT00:00:00.000Z","fields":{"title":"Wire %d of import %d","code":"w%d"}}`+"\n", i, 1+n%9, i, n, i)
	}
	w.importLines(w.agency, lines.String(), wireEntries)
}

// importArticles publishes some articles of the site, new ones at first.
func (w *world) importArticles(r *rand.Rand, n int) {
	var lines strings.Builder
	const count = 8
	for i := range count {
		fmt.Fprintf(&lines, `{"key":"a%d","published":true,"fields":{"title":"Imported %d %d","code":"a%d"}}`+"\n", i, n, r.IntN(1e9), i)
	}
	w.importLines(w.site, lines.String(), count)
}

func (w *world) importLines(p *project, lines string, count int) {
	w.left.Add(-int64(count))
	w.made.Add(int64(count))
	file := filepath.Join(w.t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		w.t.Error(err)
		return
	}
	w.command("import", "", "import", "--database-url", w.database, "--project", p.uuid, "--collection", "articles", file)
}

// articles returns the path of new articles.
func (p *project) articles() string {
	return p.path(fmt.Sprintf("/collections/%d/content", p.collection))
}
