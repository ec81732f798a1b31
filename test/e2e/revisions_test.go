package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// revision is a revision of an entry.
type revision struct {
	Number      int
	ContentHash string
	Changed     []string
	Note        *string
	By          struct{ Kind, Name string }
	Fields      map[string]any
}

// line returns the number, the author, the changed fields and the note of r.
func (r revision) line() string {
	line := fmt.Sprintf("%d %s %s", r.Number, r.By.Name, strings.Join(r.Changed, ","))
	if r.Note != nil {
		line += ": " + *r.Note
	}
	return line
}

// revisions returns the revisions at a path, and the total.
func (n *newsroom) revisions(t *testing.T, user, path string) (list []revision, total int) {
	t.Helper()
	page := decode[struct {
		Data []revision
		Meta struct{ Total int }
	}](t, n.mustSend(t, user, "GET", path, "", 200))
	return page.Data, page.Meta.Total
}

// wantRevisions fails unless the entry has these revisions, the newest first.
func (n *newsroom) wantRevisions(t *testing.T, entry string, want ...string) {
	t.Helper()
	list, total := n.revisions(t, "viewer", "{content}/{"+entry+"}/revisions")
	var lines []string
	for _, r := range list {
		lines = append(lines, r.line())
	}
	if !slices.Equal(lines, want) || total != len(want) {
		t.Errorf("%s has %d revisions %q, want %q", entry, total, lines, want)
	}
}

func (n *newsroom) revision(t *testing.T, entry string, number int) revision {
	t.Helper()
	return decode[revision](t, n.mustSend(t, "viewer", "GET", fmt.Sprintf("{content}/{%s}/revisions/%d", entry, number), "", 200))
}

// diff returns the JSON Patch from a revision to another version.
func (n *newsroom) diff(t *testing.T, entry string, number int, to string) string {
	t.Helper()
	a := n.mustSend(t, "viewer", "GET", fmt.Sprintf("{content}/{%s}/revisions/%d/diff?to=%s", entry, number, to), "", 200)
	return fmt.Sprint(decode[[]operation](t, a))
}

// operation is an operation of a JSON Patch.
type operation struct {
	Op, Path string
	Value    any
}

func TestRevisions(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		n.submit(t, "next", "Other")
		for name, test := range map[string]func(*testing.T, *newsroom){
			"coalesce": coalesceRevisions, "secrets": hideRevisedSecrets, "restore": restoreRevisions, "refusals": refuseRevisions,
			"limit": limitRevisions, "open": reviseOpenProject, "race": raceRevisions,
		} {
			t.Run(name, func(t *testing.T) { test(t, n) })
		}
	})
}

func coalesceRevisions(t *testing.T, n *newsroom) {
	n.createEntry(t, "story", `{"fields":{"title":"One"}}`)
	write := func(user, body string) {
		t.Helper()
		n.mustSend(t, user, "PATCH", "{content}/{story}", body, 200)
	}
	write("editor", `{"fields":{"views":1}}`)
	n.wantRevisions(t, "story", "1 editor title,slug,views")
	write("editor", `{"fields":{"views":1}}`) // no change
	write("chief", `{"fields":{"title":"Two"}}`)
	write("chief", `{"fields":{"title":"Three"}}`)
	n.wantRevisions(t, "story", "2 chief title", "1 editor title,slug,views")
	write("chief", `{"note":"Figures checked"}`)
	write("chief", `{"fields":{"views":3}}`)
	n.mustSend(t, "token full", "PATCH", "{public}/{story}", `{"fields":{"views":4},"note":"ü`+strings.Repeat("🙂", 199)+`"}`, 200)
	write("editor", `{"note":"Mine"}`)
	n.wantRevisions(t, "story", "5 editor : Mine", "4 full views: ü"+strings.Repeat("🙂", 199), "3 chief views", "2 chief title: Figures checked", "1 editor title,slug,views")
	write("editor", `{"published":true,"fields":{"code":"A"}}`)
	write("editor", `{"published":true}`) // the request is open
	write("editor", `{"fields":{"code":"B"}}`)
	write("editor", `{"published":true,"fields":{"code":"C"}}`)
	list, _ := n.revisions(t, "editor", "{content}/{story}/revisions?perPage=2")
	if len(list) != 2 || list[0].line() != "7 editor code" || list[1].line() != "6 editor code" {
		t.Errorf("after a submission: %+v", list)
	}
	if r := n.request(t, "story"); r.ContentHash != list[1].ContentHash {
		t.Errorf("the request has the hash %s, its revision %s", r.ContentHash, list[1].ContentHash)
	}
	if second, _ := n.revisions(t, "editor", "{content}/{story}/revisions?perPage=2&page=2"); len(second) != 2 || second[0].Number != 5 {
		t.Errorf("page 2: %+v", second)
	}
	if title := n.revision(t, "story", 1).Fields["title"]; title != "One" {
		t.Errorf("revision 1 has the title %v", title)
	}
	if got := n.diff(t, "story", 2, "1"); got != `[{replace /title One}]` {
		t.Errorf("from 2 to 1: %s", got)
	}
	if got := n.diff(t, "story", 6, "draft"); got != `[{replace /code C}]` {
		t.Errorf("from 6 to the draft: %s", got)
	}
	if got := n.diff(t, "story", 6, "6"); got != `[]` {
		t.Errorf("from 6 to 6: %s", got)
	}
	if got := n.diff(t, "story", 1, "published"); !strings.Contains(got, `{remove /title <nil>}`) {
		t.Errorf("from 1 to an unpublished version: %s", got)
	}
	n.approve(t, "story", 3)
	if got := n.diff(t, "story", 6, "published"); got != `[]` {
		t.Errorf("from 6 to what was approved: %s", got)
	}
	write("editor", `{"fields":{"code":"D"}}`) // the publication has closed revision 7
	if list, _ := n.revisions(t, "editor", "{content}/{story}/revisions?perPage=1"); list[0].Number != 8 {
		t.Errorf("after the publication: %+v", list)
	}
}

func hideRevisedSecrets(t *testing.T, n *newsroom) {
	n.createEntry(t, "secret", `{"fields":{"title":"Shown","note":"canary-one","pass":"canary-pass"}}`)
	n.mustSend(t, "chief", "PATCH", "{content}/{secret}", `{"fields":{"note":"canary-two","pass":"canary-other"}}`, 200)
	n.mustSend(t, "editor", "PATCH", "{content}/{secret}", `{"fields":{"title":"Other","next":{next}}}`, 200)
	n.wantRevisions(t, "secret", "3 editor title,next", "2 chief ", "1 editor title,slug")
	const own = "{content}/{secret}/revisions"
	for _, path := range []string{own, own + "/1", own + "/2", own + "/1/diff?to=2", own + "/1/diff?to=draft", own + "/3/diff?to=published", own + "/2/diff?to=1"} {
		a := n.mustSend(t, "root", "GET", path, "", 200)
		for _, canary := range []string{"canary", `"note":"`, "/note", "pass"} {
			if strings.Contains(string(a.body), canary) {
				t.Errorf("%s shows %s: %s", path, canary, a.body)
			}
		}
	}
	// Password and hidden field stay as they are.
	a := n.mustSend(t, "editor", "POST", own+"/1/restore", "", 200)
	if strings.Contains(string(a.body), "canary-pass") || strings.Contains(string(a.body), "canary-other") {
		t.Errorf("the restored entry shows a secret: %s", a.body)
	}
	if m := decode[managed](t, a); m.Fields["title"] != "Shown" || m.Fields["next"] != nil || m.Fields["note"] != "canary-two" {
		t.Errorf("restored %+v", m)
	}
}

func restoreRevisions(t *testing.T, n *newsroom) {
	n.create(t, "files", "/api/projects/{site}/collections", `{"slug":"files","name":"Files","fields":[{"name":"title","type":"text","required":true,"max":20},
		{"name":"lead","type":"text"},{"name":"old","type":"text"},{"name":"hid","type":"text","hidden":true},
		{"name":"also","type":"relation","collection":"files","multiple":true}]}`)
	const all = "/api/projects/{site}/collections/{files}/content"
	entry := func(name, body string) {
		n.ids[name] = int(decode[map[string]any](t, n.mustSend(t, "editor", "POST", all, body, 201))["id"].(float64))
	}
	entry("founder", `{"fields":{"title":"Founder"}}`)
	entry("german", `{"locale":"de","translationOf":{founder},"fields":{"title":"Gründer"}}`)
	entry("gone", `{"fields":{"title":"Gone"}}`)
	entry("file", `{"fields":{"lead":"Lead","old":"Old","hid":"Hidden","also":[{founder},{gone}]}}`)
	const own = all + "/{file}"
	n.mustSend(t, "chief", "PATCH", own, `{"fields":{"title":"A title","lead":null,"old":"New","also":[]}}`, 200)
	n.mustSend(t, "chief", "DELETE", "/api/projects/{site}/collections/{files}/fields/old", "", 204)
	n.mustSend(t, "chief", "DELETE", "/api/projects/{site}/collections/{files}/fields/hid", "", 204)

	// One target is destroyed, and another has only a translation left.
	for _, name := range []string{"founder", "gone"} {
		n.mustSend(t, "chief", "DELETE", all+"/{"+name+"}", "", 204)
		n.mustSend(t, "chief", "DELETE", all+"/{"+name+"}/permanent", "", 204)
	}
	before := n.mustSend(t, "editor", "GET", own, "", 200)
	p := wantProblem(t, n.send(t, "editor", "POST", own+"/revisions/1/restore", ""), 422)
	if len(p.Errors) != 1 || p.Errors[0].Location != "fields.also[1]" {
		t.Errorf("refused for %+v", p.Errors)
	}
	if after := n.mustSend(t, "editor", "GET", own, "", 200); string(after.body) != string(before.body) {
		t.Errorf("a refused restore changed the entry to %s", after.body)
	}
	n.mustSend(t, "chief", "PATCH", own, `{"fields":{"also":[{german}],"lead":"Again"},"note":"Before"}`, 200)
	n.mustSend(t, "chief", "PATCH", own, `{"fields":{"title":null,"also":[]}}`, 200)
	stale := n.send(t, "editor", "POST", own+"/revisions/2/restore", "", "If-Match: "+before.header.Get("ETag"))
	if stale.status != 412 || decode[struct{ Current managed }](t, stale).Current.Version != 4 {
		t.Errorf("a stale restore answered %d: %s", stale.status, stale.body)
	}
	a := n.mustSend(t, "editor", "POST", own+"/revisions/2/restore", "", 200, "If-Match: "+n.mustSend(t, "editor", "GET", own, "", 200).header.Get("ETag"))
	restored := decode[struct {
		managed
		Dropped []string
	}](t, a)
	if fmt.Sprint(restored.Dropped) != "[old]" || restored.Fields["title"] != "A title" || restored.Fields["lead"] != "Again" || fmt.Sprint(restored.Fields["also"]) != fmt.Sprint([]int{n.ids["german"]}) {
		t.Errorf("restored %s", a.body)
	}
	n.mustSend(t, "editor", "PATCH", own, `{"fields":{"lead":"Later"}}`, 200)
	list, _ := n.revisions(t, "viewer", own+"/revisions")
	var lines []string
	for _, r := range list {
		lines = append(lines, r.line())
	}
	if got := strings.Join(lines, "; "); got != "5 editor lead; 4 editor title,also; 3 chief title,also; 2 chief title,lead,also,old: Before; 1 editor lead,old,also" {
		t.Errorf("revisions %s", got)
	}
	// The value is longer than the new maximum.
	n.mustSend(t, "chief", "PATCH", "/api/projects/{site}/collections/{files}/fields/title", `{"max":5}`, 200)
	if p := wantProblem(t, n.send(t, "editor", "POST", own+"/revisions/2/restore", ""), 422); len(p.Errors) != 1 || p.Errors[0].Location != "fields.title" {
		t.Errorf("refused for %+v", p.Errors)
	}
	if got := decode[managed](t, n.mustSend(t, "editor", "POST", own+"/revisions/3/restore", "", 200)); got.Fields["title"] != nil {
		t.Errorf("an incomplete revision is restored as %+v", got)
	}
}

func refuseRevisions(t *testing.T, n *newsroom) {
	n.createEntry(t, "one", `{"fields":{"title":"One"}}`)
	n.createEntry(t, "two", `{"fields":{"title":"Two"}}`)
	n.mustSend(t, "chief", "PATCH", "{content}/{two}", `{"fields":{"title":"Three"}}`, 200)
	n.createEntry(t, "trashed", `{"fields":{"title":"Gone"}}`)
	n.mustSend(t, "editor", "DELETE", "{content}/{trashed}", "", 204)
	for _, test := range []struct {
		user, method, path, body string
		status                   int
		location                 string
	}{
		{"editor", "POST", "{content}/{one}/revisions/2/restore", "", 404, ""}, // the other entry has it
		{"editor", "POST", "{content}/{trashed}/revisions/1/restore", "", 404, ""},
		{"editor", "GET", "{content}/{trashed}/revisions", "", 404, ""},
		{"editor", "GET", "{content}/{trashed}/revisions/1", "", 404, ""},
		{"editor", "GET", "{content}/{trashed}/revisions/1/diff?to=draft", "", 404, ""},
		{"editor", "GET", "{content}/999999/revisions", "", 404, ""},
		{"editor", "GET", "{content}/{one}/revisions/0", "", 404, ""},
		{"editor", "GET", "{content}/{one}/revisions/x", "", 404, ""},
		{"editor", "GET", "{content}/{one}/revisions/9223372036854775807", "", 404, ""},
		{"editor", "GET", "{content}/{one}/revisions/1/diff?to=2", "", 404, ""},
		{"editor", "GET", "{content}/{one}/revisions/1/diff", "", 400, "to"},
		{"editor", "GET", "{content}/{one}/revisions/1/diff?to=", "", 400, "to"},
		{"editor", "GET", "{content}/{one}/revisions/1/diff?to=0", "", 400, "to"},
		{"editor", "GET", "{content}/{one}/revisions/1/diff?to=01", "", 400, "to"},
		{"editor", "GET", "{content}/{one}/revisions/1/diff?to=Draft", "", 400, "to"},
		{"editor", "GET", "{content}/{one}/revisions/1/diff?to=99999999999999999999", "", 400, "to"},
		{"editor", "GET", "{content}/{one}/revisions?page=0", "", 400, "page"},
		{"editor", "GET", "{content}/{one}/revisions?page=9223372036854775807", "", 400, "page"},
		{"editor", "GET", "{content}/{one}/revisions?perPage=101", "", 400, "perPage"},
		{"editor", "GET", "{content}/{one}/revisions?limit=1", "", 400, "limit"},
		{"editor", "PATCH", "{content}/{one}", `{"note":"` + strings.Repeat("ü", 201) + `"}`, 422, "note"},
		{"editor", "POST", "{content}", `{"note":"` + strings.Repeat("ü", 201) + `","fields":{"title":"Four"}}`, 422, "note"},
		{"token full", "PATCH", "{public}/{one}", `{"note":"` + strings.Repeat("ü", 201) + `"}`, 422, "note"},
		{"editor", "PATCH", "{content}/{one}", `{"note":7}`, 422, "note"},
		{"viewer", "POST", "{content}/{one}/revisions/1/restore", "", 403, ""},
		{"outsider", "GET", "{content}/{one}/revisions", "", 404, ""},
		{"token full", "GET", "{content}/{one}/revisions", "", 401, ""},
		{"token full", "GET", "{public}/{one}/revisions", "", 404, ""},
		{"chief", "PATCH", "/api/projects/{site}", `{"revisionLimit":-1}`, 422, "revisionLimit"},
		{"chief", "PATCH", "/api/projects/{site}", `{"revisionLimit":1000001}`, 422, "revisionLimit"},
	} {
		a := n.send(t, test.user, test.method, test.path, test.body)
		if a.status != test.status || test.location != "" && !strings.Contains(string(a.body), `"location":"`+test.location+`"`) {
			t.Errorf("%s: %s %s %.40s answered %d, want %d %s: %s", test.user, test.method, test.path, test.body, a.status, test.status, test.location, a.body)
		}
	}
	n.wantRevisions(t, "one", "1 editor title,slug")
}

func limitRevisions(t *testing.T, n *newsroom) {
	n.mustSend(t, "chief", "PATCH", "/api/projects/{site}", `{"revisionLimit":3}`, 200)
	defer n.mustSend(t, "chief", "PATCH", "/api/projects/{site}", `{"revisionLimit":100}`, 200)
	n.createEntry(t, "kept", `{"fields":{"title":"0"}}`)
	for i := range 12 {
		published := map[bool]string{true: `"published":true,`}[i == 3]
		n.mustSend(t, "editor", "PATCH", "{content}/{kept}", fmt.Sprintf(`{%s"note":"%d","fields":{"title":"%[2]d %[3]s","views":%[2]d}}`, published, i+1, strings.Repeat("same text ", i)), 200)
	}
	list, total := n.revisions(t, "viewer", "{content}/{kept}/revisions")
	var numbers []int
	for _, r := range list {
		numbers = append(numbers, r.Number)
		if whole := n.revision(t, "kept", r.Number); fmt.Sprint(whole.Fields["views"]) != fmt.Sprint(r.Number) {
			t.Errorf("revision %d has %v", r.Number, whole.Fields)
		}
	}
	if fmt.Sprint(numbers) != "[12 11 10 4]" || total != 4 {
		t.Errorf("%d revisions are kept: %v", total, numbers)
	}
	for _, number := range []int{1, 3, 5, 9, 13} {
		n.mustSend(t, "viewer", "GET", fmt.Sprintf("{content}/{kept}/revisions/%d", number), "", 404)
	}
	n.mustSend(t, "chief", "PATCH", "/api/projects/{site}", `{"revisionLimit":1}`, 200)
	n.mustSend(t, "chief", "PATCH", "{content}/{kept}", `{"fields":{"views":13}}`, 200)
	n.wantRevisions(t, "kept", "13 chief views", "4 editor title,views: 4")
	if whole := n.revision(t, "kept", 4); fmt.Sprint(whole.Fields["views"]) != "4" {
		t.Errorf("revision 4 has %v", whole.Fields)
	}
}

// reviseOpenProject writes a published entry that no workflow governs: the fields that a write names
// are public immediately, but a restored revision changes only the draft.
func reviseOpenProject(t *testing.T, n *newsroom) {
	const all = "/api/projects/{open}/collections/{openArticles}/content"
	n.ids["post"] = int(decode[map[string]any](t, n.mustSend(t, "blogger", "POST", all, `{"fields":{"views":1}}`, 201))["id"].(float64))
	n.mustSend(t, "blogger", "PATCH", all+"/{post}", `{"published":true,"fields":{"title":"One"}}`, 200)
	n.mustSend(t, "blogger", "PATCH", all+"/{post}", `{"fields":{"title":"Two"}}`, 200)
	n.mustSend(t, "root", "PATCH", "/api/projects/{open}/collections/{openArticles}/fields/views", `{"min":0}`, 200)
	if a := decode[map[string]any](t, n.mustSend(t, "blogger", "POST", all+"/{post}/revisions/1/restore", "", 200)); a["hasUnpublishedChanges"] != true || a["fields"].(map[string]any)["title"] != "One" {
		t.Errorf("restored %v", a)
	}
	list, _ := n.revisions(t, "blogger", all+"/{post}/revisions")
	if len(list) != 3 || list[0].ContentHash != list[2].ContentHash || list[0].ContentHash == list[1].ContentHash {
		t.Errorf("revisions %+v", list)
	}
	n.ids["draftPost"] = int(decode[map[string]any](t, n.mustSend(t, "blogger", "POST", all, `{"fields":{"views":1}}`, 201))["id"].(float64))
	n.mustSend(t, "root", "PATCH", all+"/{draftPost}", `{"published":true,"fields":{"title":"One"}}`, 200)
	if a := decode[map[string]any](t, n.mustSend(t, "blogger", "POST", all+"/{draftPost}/revisions/1/restore", "", 200)); len(a["faults"].([]any)) != 1 {
		t.Errorf("an incomplete revision is restored as %v", a)
	}
	if both := decode[map[string]map[string]any](t, n.mustSend(t, "blogger", "GET", all+"/{draftPost}/versions", "", 200)); both["published"]["title"] != "One" || both["draft"]["title"] != nil {
		t.Errorf("after a restored revision: %v", both)
	}
}

// raceRevisions saves one draft as two users concurrently, with and without If-Match. Every
// accepted write is in a revision.
func raceRevisions(t *testing.T, n *newsroom) {
	n.createEntry(t, "raced", `{"fields":{"title":"0"}}`)
	const path = "{content}/{raced}"
	var mutex sync.Mutex
	accepted := map[string]string{} // values by title
	var all sync.WaitGroup
	for _, user := range []string{"editor", "chief"} {
		for _, match := range []bool{true, false} {
			all.Go(func() {
				for i := range 8 {
					var header []string
					if match {
						header = []string{"If-Match: " + n.send(t, user, "GET", path, "").header.Get("ETag")}
					}
					title := fmt.Sprintf("%s %v %d", user, match, i)
					a := n.send(t, user, "PATCH", path, `{"note":"`+title+`","fields":{"title":"`+title+`"}}`, header...)
					mutex.Lock()
					switch {
					case a.status == 200:
						accepted[title] = user
					case a.status != 412 || !match:
						t.Errorf("%s answered %d: %s", title, a.status, a.body)
					}
					mutex.Unlock()
				}
			})
		}
	}
	all.Wait()
	list, _ := n.revisions(t, "editor", path+"/revisions?perPage=100")
	for _, r := range list {
		if r.Note == nil {
			continue
		}
		whole := n.revision(t, "raced", r.Number)
		if whole.Fields["title"] != *r.Note || accepted[*r.Note] != r.By.Name {
			t.Errorf("revision %s has the title %v", r.line(), whole.Fields["title"])
		}
		delete(accepted, *r.Note)
	}
	if len(accepted) > 0 {
		t.Errorf("no revision has %v", accepted)
	}
}

// TestRevisionsShowMedia compares revisions that have different captions of a picture.
func TestRevisionsShowMedia(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			d := drafts{site: s}
			id := s.create(t, fmt.Sprintf("/projects/%d/collections", s.project), `{"slug":"pictures","name":"Pictures","fields":[
				{"name":"title","type":"text"},{"name":"cover","type":"media"},{"name":"secret","type":"media","hidden":true}]}`)
			media := fmt.Sprintf("/api/projects/%d/media", s.project)
			upload := func(caption string) int {
				t.Helper()
				a := post(t, s.base+media+"/upload", newForm().text("caption", caption).file("a.txt", []byte(caption)).end(), s.session...)
				if a.status != 201 {
					t.Fatalf("upload answered %d: %s", a.status, a.body)
				}
				return decode[managed](t, a).ID
			}
			cover, secret := upload("First caption"), upload("canary")
			all := fmt.Sprintf("/api/projects/%d/collections/%d/content", s.project, id)
			m := d.write(t, "", "POST", all, fmt.Sprintf(`{"note":"a","fields":{"title":"A","cover":%d,"secret":%d}}`, cover, secret))
			own := fmt.Sprintf("%s/%d", all, m.ID)
			d.write(t, "", "PATCH", fmt.Sprintf("%s/%d", media, cover), `{"caption":"Second caption"}`)
			d.write(t, "", "PATCH", own, `{"fields":{"title":"B"}}`)
			for number, caption := range map[int]string{1: "First caption", 2: "Second caption"} {
				a := d.do(t, "", "GET", fmt.Sprintf("%s/revisions/%d", own, number), "")
				sealed := decode[struct {
					Media map[string]struct{ Caption, FileName, Hash string }
				}](t, a).Media
				if len(sealed) != 1 || sealed[fmt.Sprint(cover)].Caption != caption || strings.Contains(string(a.body), "canary") {
					t.Errorf("revision %d is %s", number, a.body)
				}
			}
			patch := decode[[]operation](t, d.do(t, "", "GET", own+"/revisions/1/diff?to=2", ""))
			if got := fmt.Sprint(patch); got != fmt.Sprintf("[{replace /@media/%d/caption Second caption} {replace /title B}]", cover) {
				t.Errorf("from 1 to 2: %s", got)
			}
			if a := d.do(t, "", "DELETE", fmt.Sprintf("%s/%d", media, cover), ""); a.status != 200 {
				t.Fatalf("the deletion of the picture answered %d: %s", a.status, a.body)
			}
			d.refuses(t, "", "POST", own+"/revisions/1/restore", "", "cover no such media item")
		})
	}
}
