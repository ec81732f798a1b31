package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

const albums = `{"slug":"albums","name":"Albums","fields":[{"name":"title","type":"text"},{"name":"cover","type":"media"},
	{"name":"pages","type":"media","multiple":true},{"name":"near","type":"relation","collection":"albums"}]}`

// sealing is a newsroom whose helpers use the collection albums.
type sealing struct {
	*newsroom

	public string // the entries of albums in the content API
}

func newSealing(t *testing.T, n *newsroom) sealing {
	t.Helper()
	own := *n
	own.ids = maps.Clone(n.ids)
	own.create(t, "siteArticles", "/api/projects/{site}/collections", albums) // sets {content} of the helpers
	return sealing{&own, "/public/v2/projects/" + n.uuid + "/collections/albums/entries"}
}

// TestSealedMedia checks that readers of governed Projects see the words of media as they were
// approved.
func TestSealedMedia(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		s := newSealing(t, n)
		sealsReviewed(t, s)
		sealsAllWords(t, s)
		sealsSchedules(t, s)
		sealsWithTheWorkflow(t, s)
		refusesForeignMedia(t, s)
	})
}

// picture uploads a picture with a caption to Site and stores its id under name.
func (s sealing) picture(t *testing.T, name, caption string) {
	t.Helper()
	item := upload(t, s.base+s.fill("/api/projects/{site}/media/upload"),
		newForm().text("caption", caption).text("tags", name).file(name+".png", pngOf(len(s.ids)+8, 8)).end(), s.headers(t, "editor")...)
	s.ids[name] = item.ID
}

// recaption changes the caption of a picture of Site with a token.
func (s sealing) recaption(t *testing.T, name, caption string) {
	t.Helper()
	a := s.mustSend(t, "token full", "PATCH", "/public/v2/projects/"+s.uuid+"/media/{"+name+"}", `{"caption":"`+caption+`"}`, 200)
	if item := decode[mediaItem](t, a); *item.Caption != caption {
		t.Errorf("the library has %q, want %q", *item.Caption, caption)
	}
}

// wantCaption fails unless readers of the album see a cover with the caption in every response
// that contains it: single, list, GraphQL, and as a relation of the album that near names.
func (s sealing) wantCaption(t *testing.T, when, album, near, caption string) {
	t.Helper()
	cover := map[string]any{"caption": caption}
	if caption == "" {
		cover = nil
	}
	for _, path := range []string{"/{" + album + "}", "?where[id]={" + album + "}", "?where[id]={" + near + "}", "/{" + near + "}"} {
		a := s.mustSend(t, "token read", "GET", s.public+path, "", 200)
		found := decode[map[string]any](t, a)
		if data, ok := found["data"].([]any); ok {
			found = data[0].(map[string]any)
		}
		if strings.Contains(path, near) {
			found = found["near"].(map[string]any)
		}
		if got, _ := found["cover"].(map[string]any); (got == nil) != (cover == nil) || got["caption"] != cover["caption"] {
			t.Errorf("%s, %s: readers see %v, want the caption %q", when, path, found["cover"], caption)
		}
	}
	body, err := json.Marshal(map[string]string{"query": s.fill(`{entry(collection:"albums",id:{` + album + `}){data}}`)})
	if err != nil {
		t.Fatal(err)
	}
	a := call(t, "POST", s.base+"/public/v2/graphql", string(body), s.headers(t, "token read")...)
	if !strings.Contains(string(a.body), `"caption":"`+caption+`"`) && caption != "" {
		t.Errorf("%s: GraphQL answers %s, want the caption %q", when, a.body, caption)
	}
}

// wantPublication fails unless the newest publication of the album has the number, shows a cover
// with the caption, and is what readers see now.
func (s sealing) wantPublication(t *testing.T, when, album string, number int, caption string) {
	t.Helper()
	type publication struct {
		Number        int
		UnpublishedAt *string
		Media         map[string]struct{ Caption string }
	}
	newest := decode[struct{ Data []publication }](t, s.mustSend(t, "editor", "GET", "{content}/{"+album+"}/publications", "", 200)).Data[0]
	one := decode[publication](t, s.mustSend(t, "editor", "GET", fmt.Sprintf("{content}/{%s}/publications/%d", album, newest.Number), "", 200))
	if newest.Number != number || newest.UnpublishedAt != nil || one.Media[s.fill("{kept}")].Caption != caption {
		t.Errorf("%s: the newest publication is %+v, want number %d with the caption %q", when, one, number, caption)
	}
}

// wantInUse fails unless both APIs refuse to delete the picture and name these albums.
func (s sealing) wantInUse(t *testing.T, when, picture string, places ...string) {
	t.Helper()
	want := map[string]bool{}
	for _, album := range places {
		want[s.fill("collections/albums/entries/{"+album+"}")] = true
	}
	for user, path := range map[string]string{"token full": "/public/v2/projects/" + s.uuid, "editor": "/api/projects/{site}"} {
		for _, query := range []string{"", "?ifUnused=true"} {
			if user == "token full" && query != "" {
				continue // the content API has no such parameter
			}
			p := wantProblem(t, s.send(t, user, "DELETE", path+"/media/{"+picture+"}"+query, ""), http.StatusConflict)
			got := map[string]bool{}
			for _, e := range p.Errors {
				got[e.Location] = true
			}
			if p.Code != "in_use" || len(p.Errors) != len(places) || !maps.Equal(got, want) {
				t.Errorf("%s: %s is refused a deletion with %s at %v, want in_use at %v", when, user, p.Code, p.Errors, want)
			}
		}
	}
}

// unpublishedChanges returns what the dashboard shows of the album.
func (s sealing) unpublishedChanges(t *testing.T, album string) bool {
	t.Helper()
	type managed struct {
		ID                    int
		HasUnpublishedChanges bool
	}
	one := decode[managed](t, s.mustSend(t, "editor", "GET", "{content}/{"+album+"}", "", 200))
	for _, m := range decode[struct{ Data []managed }](t, s.mustSend(t, "editor", "GET", "{content}", "", 200)).Data {
		if m.ID == one.ID && m.HasUnpublishedChanges != one.HasUnpublishedChanges {
			t.Errorf("the list says %v of %s, the entry %v", m.HasUnpublishedChanges, album, one.HasUnpublishedChanges)
		}
	}
	return one.HasUnpublishedChanges
}

func (s sealing) diff(t *testing.T, album string) (toSnapshot, toDraft string) {
	t.Helper()
	d := decode[struct{ PublishedToSnapshot, SnapshotToDraft json.RawMessage }](t, s.mustSend(t, "editor", "GET", "{content}/{"+album+"}/approval/diff", "", 200))
	return string(d.PublishedToSnapshot), string(d.SnapshotToDraft)
}

// sealsReviewed publishes a picture after a review, and then changes the library.
func sealsReviewed(t *testing.T, s sealing) {
	s.picture(t, "harbour", "Dawn")
	s.createEntry(t, "album", `{"published":true,"fields":{"title":"A","cover":{harbour}}}`)
	s.wantInUse(t, "submitted", "harbour", "album")
	r := s.request(t, "album")
	sealed, ok := r.Snapshot["media"].(map[string]any)[s.fill("{harbour}")].(map[string]any)
	if !ok || sealed["caption"] != "Dawn" || sealed["fileName"] != "harbour.png" || fmt.Sprint(sealed["tags"]) != "[harbour]" || len(fmt.Sprint(sealed["hash"])) != 64 {
		t.Errorf("the snapshot seals %v", r.Snapshot["media"])
	}
	s.approve(t, "album", 3)
	s.createEntry(t, "holder", `{"published":true,"fields":{"title":"B","near":{album}}}`)
	s.approve(t, "holder", 3)
	s.wantCaption(t, "approved", "album", "holder", "Dawn")
	if s.unpublishedChanges(t, "album") || s.request(t, "album").ContentChanged {
		t.Error("nothing was changed")
	}
	etag := s.mustSend(t, "token read", "GET", s.public+"/{album}", "", 200).header.Get("ETag")

	s.recaption(t, "harbour", "Dusk")
	s.wantCaption(t, "the library changed", "album", "holder", "Dawn")
	if now := s.mustSend(t, "token read", "GET", s.public+"/{album}", "", 200).header.Get("ETag"); now != etag {
		t.Errorf("the ETag moved from %s to %s, and readers see the same", etag, now)
	}
	if !s.unpublishedChanges(t, "album") || s.unpublishedChanges(t, "holder") || !s.request(t, "album").ContentChanged {
		t.Error("the changed caption is not noticed")
	}
	want := s.fill(`[{"value":"Dusk","op":"replace","path":"/@media/{harbour}/caption"}]`)
	if toSnapshot, toDraft := s.diff(t, "album"); toSnapshot != "[]" || toDraft != want {
		t.Errorf("the diff is %s and %s, want [] and %s", toSnapshot, toDraft, want)
	}
	s.wantInUse(t, "published", "harbour", "album")

	s.mustSend(t, "editor", "POST", "{content}/{album}/publish", "", 202)
	s.recaption(t, "harbour", "Night")
	if toSnapshot, _ := s.diff(t, "album"); toSnapshot != want {
		t.Errorf("the diff is %s, want %s", toSnapshot, want)
	}
	s.wantCaption(t, "submitted again", "album", "holder", "Dawn")
	s.approve(t, "album", 3)
	s.wantCaption(t, "approved again", "album", "holder", "Dusk")
	s.recaption(t, "harbour", "Dusk")
	if s.unpublishedChanges(t, "album") {
		t.Error("the library has the public words again")
	}
	wantProblem(t, s.send(t, "editor", "POST", "{content}/{album}/publish", later), http.StatusConflict)

	s.mustSend(t, "editor", "POST", "{content}/{album}/unpublish", "", 200)
	s.mustSend(t, "token full", "DELETE", "/public/v2/projects/"+s.uuid+"/media/{harbour}", "", 200)
}

// sealsAllWords changes the alt text and the focal point of a picture that was reviewed with others.
func sealsAllWords(t *testing.T, s sealing) {
	s.picture(t, "words", "Dawn")
	library := "/api/projects/{site}/media/{words}"
	const reviewed = `"alt":"A pier","focalPoint":{"x":0.25,"y":1}`
	s.mustSend(t, "editor", "PATCH", library, `{"alt":"A pier","focalPoint":{"x":0.25,"y":1}}`, 200)
	s.createEntry(t, "wordy", `{"published":true,"fields":{"title":"W","cover":{words}}}`)
	s.approve(t, "wordy", 3)
	for _, change := range []struct{ change, diff, back string }{
		{`{"alt":"A bridge"}`, `{"value":"A bridge","op":"replace","path":"/@media/{words}/alt"}`, `{"alt":"A pier"}`},
		{`{"alt":null}`, `{"op":"remove","path":"/@media/{words}/alt"}`, `{"alt":"A pier"}`},
		{`{"focalPoint":{"x":0.25,"y":0.5}}`, `{"value":0.5,"op":"replace","path":"/@media/{words}/focalPoint/y"}`, `{"focalPoint":{"y":1,"x":0.25}}`},
		{`{"focalPoint":null}`, `{"op":"remove","path":"/@media/{words}/focalPoint"}`, `{"focalPoint":{"y":1.0,"x":2.5e-1}}`},
	} {
		s.mustSend(t, "editor", "PATCH", library, change.change, 200)
		if a := s.mustSend(t, "token read", "GET", s.public+"/{wordy}", "", 200); !strings.Contains(string(a.body), reviewed) {
			t.Errorf("after %s readers see %s, want %s", change.change, a.body, reviewed)
		}
		if !s.unpublishedChanges(t, "wordy") || !s.request(t, "wordy").ContentChanged {
			t.Errorf("%s is not noticed", change.change)
		}
		if _, toDraft := s.diff(t, "wordy"); toDraft != "["+s.fill(change.diff)+"]" {
			t.Errorf("the diff is %s, want %s", toDraft, s.fill(change.diff))
		}
		s.mustSend(t, "editor", "PATCH", library, change.back, 200)
		if s.unpublishedChanges(t, "wordy") {
			t.Errorf("after %s the library has the public words again", change.back)
		}
	}
	s.mustSend(t, "editor", "POST", "/api/projects/{site}/media/move", `{"ids":[{words}],"folder":"Press"}`, 200)
	if s.unpublishedChanges(t, "wordy") {
		t.Error("the folder of a picture is not part of what readers see")
	}
	s.mustSend(t, "editor", "PATCH", library, `{"alt":"A bridge","focalPoint":null}`, 200)
	s.mustSend(t, "editor", "POST", "{content}/{wordy}/publish", "", 202)
	s.approve(t, "wordy", 3)
	if a := s.mustSend(t, "token read", "GET", s.public+"/{wordy}", "", 200); !strings.Contains(string(a.body), `"alt":"A bridge","focalPoint":null`) {
		t.Errorf("approved again, readers see %s", a.body)
	}
	one := s.mustSend(t, "editor", "GET", "{content}/{wordy}/publications/1", "", 200)
	if media := decode[struct{ Media map[string]any }](t, one).Media[s.fill("{words}")]; fmt.Sprint(media.(map[string]any)["focalPoint"]) != "map[x:0.25 y:1]" {
		t.Errorf("the first publication has %v", media)
	}
	s.mustSend(t, "editor", "POST", "{content}/{wordy}/unpublish", "", 200)
}

// sealsSchedules deletes and changes media between an approval and the time of publication.
func sealsSchedules(t *testing.T, s sealing) {
	s.picture(t, "timed", "Early")
	due := soon()
	s.createEntry(t, "later", `{"published":true,"publishAt":`+wire(due)+`,"fields":{"title":"L","pages":[{timed}]}}`)
	s.approve(t, "later", 3)
	s.recaption(t, "timed", "Late")
	s.wantInUse(t, "approved", "timed", "later")
	s.process.Await(t, "the album to be public", func() bool { return s.send(t, "token read", "GET", s.public+"/{later}", "").status == 200 })
	if a := s.mustSend(t, "token read", "GET", s.public+"/{later}", "", 200); !strings.Contains(string(a.body), `"caption":"Early"`) {
		t.Errorf("published as %s, want the caption that was approved", a.body)
	}
	s.wantInUse(t, "published", "timed", "later")
	s.mustSend(t, "editor", "DELETE", "{content}/{later}", "", 204)
	s.mustSend(t, "editor", "POST", "{content}/{later}/restore", "", 200)
	if a := s.send(t, "token read", "GET", s.public+"/{later}", ""); a.status != 404 {
		t.Errorf("the restored album is public: %s", a.body)
	}
	s.mustSend(t, "editor", "DELETE", "/api/projects/{site}/media/{timed}", "", 200)
}

// sealsWithTheWorkflow sets and removes workflows of a Project with published albums.
func sealsWithTheWorkflow(t *testing.T, s sealing) {
	s.picture(t, "kept", "Reviewed")
	s.createEntry(t, "first", `{"published":true,"fields":{"title":"F","cover":{kept}}}`)
	s.approve(t, "first", 3)
	s.createEntry(t, "second", `{"published":true,"fields":{"title":"S","near":{first}}}`)
	s.approve(t, "second", 3)
	s.recaption(t, "kept", "Library")
	s.wantCaption(t, "governed by the department", "first", "second", "Reviewed")
	publish := func(title string) {
		t.Helper()
		s.mustSend(t, "editor", "PATCH", "{content}/{first}", `{"published":true,"fields":{"title":"`+title+`"}}`, 200)
	}
	s.mustSend(t, "tenantAdmin", "DELETE", "/api/departments/{newsroom}/approval-workflow", "", 204)
	s.recaption(t, "kept", "Ungoverned")
	s.mustSend(t, "editor", "PATCH", "{content}/{first}", `{}`, 200)
	s.wantCaption(t, "the workflow of the department removed", "first", "second", "Reviewed")
	s.wantInUse(t, "the workflow of the department removed", "kept", "first")
	publish("F2")
	s.wantCaption(t, "published without a request", "first", "second", "Ungoverned")
	s.wantPublication(t, "published without a request", "first", 2, "")
	s.recaption(t, "kept", "Library again")
	s.wantCaption(t, "ungoverned", "first", "second", "Library again")
	s.setWorkflow(t)
	s.recaption(t, "kept", "After")
	s.wantCaption(t, "governed again", "first", "second", "Library again")
	s.wantPublication(t, "governed again", "first", 3, "Library again")
	s.wantPublication(t, "governed again, without media", "second", 1, "")

	s.mustSend(t, "root", "PATCH", "/api/projects/{site}", `{"departmentId":{marketing}}`, 200)
	s.wantCaption(t, "moved to a department without a workflow", "first", "second", "Library again")
	publish("F3")
	s.wantCaption(t, "published in a department without a workflow", "first", "second", "After")
	s.mustSend(t, "root", "PUT", "/api/projects/{site}/approval-workflow", `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}]}`, 200)
	s.recaption(t, "kept", "Once more")
	s.wantCaption(t, "governed by its own workflow", "first", "second", "After")
	s.wantPublication(t, "governed by its own workflow", "first", 5, "After")
	s.wantInUse(t, "governed by its own workflow", "kept", "first")
	s.mustSend(t, "root", "PUT", "/api/projects/{site}/approval-workflow", `{"steps":[{"stepOrder":2,"requiredRoleKind":"admin"}]}`, 200)
	s.wantCaption(t, "governed by another workflow", "first", "second", "After")
	s.mustSend(t, "root", "DELETE", "/api/projects/{site}/approval-workflow", "", 204)
	s.wantCaption(t, "its own workflow removed", "first", "second", "After")
	s.wantPublication(t, "its own workflow removed", "first", 5, "After")
	s.wantInUse(t, "its own workflow removed", "kept", "first")

	publish("F4")
	s.wantCaption(t, "published at the end", "first", "second", "Once more")
	s.mustSend(t, "token full", "DELETE", "/public/v2/projects/"+s.uuid+"/media/{kept}", "", 200)
	s.wantCaption(t, "deleted", "first", "second", "")
}

// refusesForeignMedia names a picture of another Project.
func refusesForeignMedia(t *testing.T, s sealing) {
	foreign := upload(t, s.base+s.fill("/api/projects/{open}/media/upload"), newForm().file("f.png", pngOf(5, 5)).end(), s.headers(t, "root")...)
	s.ids["foreign"] = foreign.ID
	for user, path := range map[string]string{"token full": s.public, "editor": "{content}"} {
		for _, f := range []string{`"cover":{foreign}`, `"pages":[{foreign}]`} {
			a := s.send(t, user, "POST", path, `{"fields":{"title":"X",`+f+`}}`)
			if p := wantProblem(t, a, http.StatusUnprocessableEntity); !strings.Contains(string(a.body), "no such media item") {
				t.Errorf("%s: %v", user, p)
			}
		}
	}
}
