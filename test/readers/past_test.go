package readers_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/test/newsroom"
)

// moment has what readers saw at a time: the public articles by id.
type moment struct {
	at       time.Time
	articles map[int64]string
}

// definitions are the definitions that readers can see. Reads of the past use the present ones.
type definitions struct {
	defaultLocale string
	locales       []string
	fallbacks     map[string][]string
	fields        []core.Field
	inside        []string // the fields of components, as "slug.name"
}

// past has the moments since the last change of definitions.
type past struct {
	definitions
	moments  []moment
	existed  map[int64]bool // the articles at all moments, drafts, trashed and destroyed ones too
	compared int            // articles
	files    int
	most     int // the largest number of moments
}

// articlesPath is the path of the articles for readers.
func (w *world) articlesPath() string {
	return "/public/v2/projects/" + w.Project.UUID + "/collections/articles/entries"
}

// remember adds what readers see now to the moments.
func (w *world) remember() {
	w.t.Helper()
	w.Reload()
	w.forget()
	time.Sleep(2 * time.Millisecond) // a publication in the millisecond of the one before has the time of the next
	status, answer := w.send("token reader", http.MethodGet, w.articlesPath()+"?locale=*&limit=500&timestamps=true", "", "")
	var list struct{ Data []json.RawMessage }
	if status != http.StatusOK || json.Unmarshal(answer, &list) != nil {
		w.t.Fatalf("the list answered %d: %s", status, answer)
	}
	m := moment{w.Clock.Now(), map[int64]string{}}
	for _, text := range list.Data {
		var e struct{ ID int64 }
		must(w.t, json.Unmarshal(text, &e))
		// Below the entry, a list in all locales follows other locales than a single read.
		status, single := w.send("token reader", http.MethodGet, w.articlesPath()+"/"+itoa(e.ID)+"?timestamps=true", "", "")
		if status != http.StatusOK {
			w.t.Fatalf("entry %d is in the list, but reading it answered %d: %s", e.ID, status, single)
		}
		m.articles[e.ID] = string(single)
	}
	w.past.moments = append(w.past.moments, m)
	w.past.most = max(w.past.most, len(w.past.moments))
	for w.Clock.Now().Equal(m.at) { // the next change has a later time
		time.Sleep(100 * time.Microsecond) // the clock has a resolution of 1 ms
	}
}

// forget removes the moments if definitions have changed.
func (w *world) forget() {
	now := definitions{w.Project.DefaultLocale, w.Project.Locales, w.Project.Fallbacks, nil, nil}
	for _, f := range w.collection().Fields {
		now.fields = append(now.fields, core.Field{ID: f.ID, Hidden: f.Hidden})
		for _, slug := range f.ComponentSlugs() {
			for _, inner := range f.ComponentNamed(slug).Fields {
				now.inside = append(now.inside, slug+"."+inner.Name)
			}
		}
	}
	if !reflect.DeepEqual(now, w.past.definitions) {
		w.past.definitions, w.past.moments, w.past.existed = now, nil, map[int64]bool{}
	}
	for _, e := range w.entries() {
		w.past.existed[e.ID] = true
	}
}

// checkPast reads every article, and the files of its media, as of some of the moments.
func (w *world) checkPast() {
	w.t.Helper()
	for range min(len(w.past.moments), 3) {
		w.checkMoment(one(w, w.past.moments...))
	}
}

func (w *world) checkMoment(m moment) {
	w.t.Helper()
	for id := range w.past.existed {
		want, public := m.articles[id]
		path := w.articlesPath() + "/" + itoa(id) + "?timestamps=true&asOf=" + url.QueryEscape(m.at.Format(time.RFC3339Nano))
		status, answer := w.send("token history", http.MethodGet, path, "", "")
		if public && (status != http.StatusOK || bare(string(answer)) != bare(asRecorded(want, string(answer)))) || !public && status != http.StatusNotFound {
			w.t.Fatalf("%s answered %d: %s\nbut readers saw: %s", path, status, answer, want)
		}
		w.past.compared++
		for _, address := range shownURL.FindAllStringSubmatch(want, -1) {
			w.past.files++
			if status, _ := w.send("anonymous", http.MethodGet, strings.TrimPrefix(address[1], origin), "", ""); status != http.StatusOK {
				w.t.Fatalf("%s shows %s, which answers %d", path, address[1], status)
			}
		}
	}
}

// bare returns an answer without the collections of links, which are not known of destroyed entries.
func bare(answer string) string {
	return strings.ReplaceAll(answer, ` data-collection=\"articles\"`, "")
}

// shownURL matches the addresses of the files that an answer shows, in rich text too.
var shownURL = regexp.MustCompile(`(?:"fullUrl":"|(?:src|href)=\\")([^"\\]+/files/[^"\\]+)`)

// checkPublications reads every publication of a random article, and the files that its text shows.
func (w *world) checkPublications() {
	w.t.Helper()
	all := w.entries()
	if len(all) == 0 {
		return
	}
	e := one(w, all...)
	count, err := w.Stores.Publications.PublicationCount(w.Context(), w.Project.ID, e.CollectionID, e.ID)
	must(w.t, err)
	for number := int64(1); number <= count; number++ {
		path := "/api/projects/" + itoa(w.Project.ID) + "/collections/" + itoa(e.CollectionID) + "/content/" + itoa(e.ID) + "/publications/" + itoa(number)
		status, answer := w.send("editor", http.MethodGet, path, "", "")
		if status != http.StatusOK {
			w.t.Fatalf("%s answered %d: %s", path, status, answer)
		}
		for _, address := range shownURL.FindAllStringSubmatch(string(answer), -1) {
			w.past.files++
			if status, _ := w.send("anonymous", http.MethodGet, strings.TrimPrefix(address[1], origin), "", ""); status != http.StatusOK {
				w.t.Fatalf("%s shows %s, which answers %d", path, address[1], status)
			}
		}
	}
}

// asRecorded returns what readers saw of an article with only the ids of those media of which the past
// shows only the ids: their words are not recorded if the version was not sealed.
func asRecorded(seen, past string) string {
	for _, id := range onlyID.FindAllStringSubmatch(past, -1) {
		seen = regexp.MustCompile(`\{"id":`+id[1]+`,"fileName":[^{}]*\}`).ReplaceAllString(seen, `{"id":`+id[1]+`}`)
	}
	return seen
}

var onlyID = regexp.MustCompile(`\{"id":(\d+)\}`)

// change sends a change, which must succeed.
func (w *world) change(caller, method, target, contentType, body string) {
	w.t.Helper()
	if status, answer := w.send(caller, method, target, contentType, body); status >= http.StatusMultipleChoices {
		w.t.Fatalf("%s %s answered %d: %s", method, target, status, answer)
	}
}

// A version that was submitted after a medium of its draft had left the library does not show the
// medium, although an earlier publication keeps it.
func TestThePastDoesNotShowMediaThatWereRemovedBefore(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, open(t), rand.New(rand.NewPCG(1, 1)))
			medium := w.publish()
			w.remember()
			article, library := w.entries()[0].ID, "/public/v2/projects/"+w.Project.UUID+"/media/"
			draft := "/api/projects/" + itoa(w.Project.ID) + "/collections/" + itoa(w.Articles.ID) + "/content/" + itoa(article)
			w.change("editor", http.MethodPost, draft+"/unpublish", "", "")
			w.change("token full", http.MethodDelete, library+itoa(medium), "", "")
			w.change("token full", http.MethodPost, library+"upload", "multipart/form-data; boundary=x", w.form(false))
			for _, fields := range []string{`{}`, `{"shots":[` + itoa(w.mediaID()) + `]}`} {
				w.change("editor", http.MethodPatch, draft, "", `{"published":true,"fields":`+fields+`}`)
				w.OK(w.Approve("admin", article))
				w.remember()
			}
			w.checkMoments(3, 2)
		})
	}
}

// The words of media that readers saw stay readable when a workflow ends or begins to govern the
// Project.
func TestThePastOutlivesWorkflows(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, open(t), rand.New(rand.NewPCG(1, 1)))
			medium := w.publish()
			w.remember()
			id := w.entries()[0].ID
			sees := func(caption string) {
				t.Helper()
				w.remember()
				if last := w.past.moments[len(w.past.moments)-1].articles[id]; !strings.Contains(last, `"caption":`+caption+`,`) {
					t.Errorf("readers see %s, want the caption %s", last, caption)
				}
			}
			item := "/public/v2/projects/" + w.Project.UUID + "/media/" + itoa(medium)
			draft := "/api/projects/" + itoa(w.Project.ID) + "/collections/" + itoa(w.Articles.ID) + "/content/" + itoa(id)
			before := w.caption(medium)
			for _, caption := range []string{`"first"`, `"second"`} {
				w.change("tenant", http.MethodDelete, "/api/projects/"+itoa(w.Project.ID)+"/approval-workflow", "", "")
				w.change("token full", http.MethodPatch, item, "", `{"caption":`+caption+`}`)
				sees(before) // sealed until the next publication
				w.change("editor", http.MethodPatch, draft, "", `{"published":true,"fields":{"title":`+caption+`}}`)
				sees(caption)
				w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
				w.change("token full", http.MethodPatch, item, "", `{"caption":"unseen"}`)
				sees(caption) // sealed when the workflow began to govern
				before = caption
			}
			w.checkMoments(7, 7)
		})
	}
}

// Rich text of the past shows its pictures where readers saw them, with and without a seal.
func TestThePastShowsPicturesInText(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, open(t), rand.New(rand.NewPCG(1, 1)))
			medium := itoa(w.publish())
			id := w.entries()[0].ID
			draft := "/api/projects/" + itoa(w.Project.ID) + "/collections/" + itoa(w.Articles.ID) + "/content/" + itoa(id)
			publish := func(body string) {
				t.Helper()
				w.change("editor", http.MethodPatch, draft, "", `{"published":true,"fields":{"body":"`+body+`","shots":[`+medium+`]}}`)
			}
			publish(`<img data-media=\"` + medium + `\">`)
			w.OK(w.Approve("admin", id))
			w.remember()
			w.change("tenant", http.MethodDelete, "/api/projects/"+itoa(w.Project.ID)+"/approval-workflow", "", "")
			publish(`<p>x</p><img data-media=\"` + medium + `\"><a data-media=\"` + medium + `\">x</a>`)
			w.remember()
			for i, want := range []string{`{"id":` + medium + `,"fileName":`, `{"id":` + medium + `}`} {
				m := w.past.moments[i]
				_, past := w.send("token history", http.MethodGet, w.articlesPath()+"/"+itoa(id)+"?asOf="+url.QueryEscape(m.at.Format(time.RFC3339Nano)), "", "")
				if !strings.Contains(string(past), want) {
					t.Errorf("the past shows %s, want %s", past, want)
				}
				live := textOf(t, []byte(m.articles[id]))
				_, record := w.send("editor", http.MethodGet, draft+"/publications/"+itoa(int64(i+2)), "", "")
				var publication struct{ Fields json.RawMessage }
				must(t, json.Unmarshal(record, &publication))
				if !shownURL.MatchString(m.articles[id]) || textOf(t, past) != live || textOf(t, publication.Fields) != live {
					t.Errorf("readers saw the text %s\nasOf answers %s\nthe publication is %s", live, past, record)
				}
			}
			w.checkMoments(2, 4+3)
		})
	}
}

// textOf returns the body of an article.
func textOf(t *testing.T, article []byte) string {
	t.Helper()
	var fields struct{ Body string }
	must(t, json.Unmarshal(article, &fields))
	return fields.Body
}

// caption returns the caption of a medium as readers see it.
func (w *world) caption(medium int64) string {
	item, err := w.Stores.Media.Media(w.Context(), w.Project.ID, medium)
	must(w.t, err)
	if item.Caption == "" {
		return "null"
	}
	return string(canonical.Quote(item.Caption))
}

// checkMoments reads every article as of every moment.
func (w *world) checkMoments(articles, files int) {
	w.t.Helper()
	for _, m := range w.past.moments {
		w.checkMoment(m)
	}
	if w.past.compared != articles || w.past.files != files {
		w.t.Errorf("%d articles and %d files were compared, want %d and %d", w.past.compared, w.past.files, articles, files)
	}
}
