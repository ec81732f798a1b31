package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// releaseView is a release.
type releaseView struct {
	ID          int
	Name        string
	Description string
	State       string
	PublishAt   string
	Counts      struct{ Members, Publish, Unpublish int }
	Version     int
	Request     *struct {
		ID                    int
		Status, ReleaseNumber string
	}
	Rounds      int
	Fault       string
	PublishedAt string
	RevertOf    int
	CreatedBy   struct{ Name string }
}

// releaseMember is a member of a release.
type releaseMember struct {
	EntryID                                              int
	Collection, Locale, Title, Action, Kind, ContentHash string
	From                                                 any
	Base                                                 *struct {
		Number int
		Hash   string
	}
	ContentChanged, Seen, Gone bool
	Changed                    []string
}

const siteReleases = "/api/projects/{site}/releases"

// release creates a release as the editor and stores its id under name.
func (n *newsroom) release(t *testing.T, path, name string) {
	t.Helper()
	a := n.mustSend(t, "root", "POST", path, `{"name":"`+name+`"}`, 201)
	n.ids[name] = decode[releaseView](t, a).ID
}

func (n *newsroom) releaseView(t *testing.T, name string) releaseView {
	t.Helper()
	return decode[releaseView](t, n.mustSend(t, "root", "GET", siteReleases+"/{"+name+"}", "", 200))
}

// putMembers adds members, given as JSON, to a release of Site.
func (n *newsroom) putMembers(t *testing.T, release string, members ...string) releaseView {
	t.Helper()
	a := n.mustSend(t, "editor", "POST", siteReleases+"/{"+release+"}/members", `{"members":[`+strings.Join(members, ",")+`]}`, 200)
	return decode[releaseView](t, a)
}

func (n *newsroom) releaseMembers(t *testing.T, release, query string) []releaseMember {
	t.Helper()
	return decode[struct{ Data []releaseMember }](t, n.mustSend(t, "viewer", "GET", siteReleases+"/{"+release+"}/members"+query, "", 200)).Data
}

// locations returns the locations of the faults of a problem.
func locations(t *testing.T, a response) (code string, places []string) {
	t.Helper()
	p := decode[struct {
		Code   string
		Errors []struct{ Location string }
	}](t, a)
	for _, e := range p.Errors {
		places = append(places, e.Location)
	}
	slices.Sort(places)
	return p.Code, places
}

func (n *newsroom) wantFaults(t *testing.T, a response, status int, code string, places ...string) {
	t.Helper()
	got, found := locations(t, a)
	for i := range places {
		places[i] = n.fill(places[i])
	}
	slices.Sort(places)
	if a.status != status || got != code || !slices.Equal(found, places) {
		t.Errorf("answered %d %s %v, want %d %s %v: %s", a.status, got, found, status, code, places, a.body)
	}
}

func TestReleases(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		for _, test := range []struct {
			name string
			run  func(*testing.T, *newsroom)
		}{
			{"open", changeReleases}, {"members", fillReleases}, {"check", checkReleases}, {"collections", takeFromReleases}, {"hostile", refuseReleases},
		} {
			t.Run(test.name, func(t *testing.T) { test.run(t, n) })
		}
	})
}

func changeReleases(t *testing.T, n *newsroom) {
	a := n.mustSend(t, "editor", "POST", siteReleases, `{"name":"Spring","description":"All of it","publishAt":"2100-01-02T03:04:05.678Z"}`, 201)
	r := decode[releaseView](t, a)
	n.ids["spring"] = r.ID
	if r.State != "open" || r.Version != 1 || r.Rounds != 0 || r.Request != nil || r.CreatedBy.Name != "editor" || r.PublishAt != "2100-01-02T03:04:05.678Z" || a.header.Get("ETag") != `"1"` {
		t.Errorf("created %+v with ETag %s", r, a.header.Get("ETag"))
	}
	n.mustSend(t, "viewer", "POST", siteReleases, `{"name":"No"}`, 403)
	n.mustSend(t, "outsider", "GET", siteReleases+"/{spring}", "", 404)
	n.mustSend(t, "legal", "GET", siteReleases+"/{spring}", "", 404)
	n.mustSend(t, "legal", "GET", siteReleases, "", 200)
	n.mustSend(t, "token full", "GET", siteReleases, "", 401)
	n.mustSend(t, "root", "GET", "/api/projects/{open}/releases/{spring}", "", 404)

	stale := n.mustSend(t, "editor", "PATCH", siteReleases+"/{spring}", `{"name":"Summer"}`, 412, `If-Match: "7"`)
	if current := decode[struct{ Current releaseView }](t, stale).Current; current.Name != "Spring" || current.Version != 1 {
		t.Errorf("412 with %+v", current)
	}
	n.mustSend(t, "chief", "PATCH", siteReleases+"/{spring}", `{"name":"Summer","publishAt":null}`, 200, `If-Match: "1"`)
	if r = n.releaseView(t, "spring"); r.Name != "Summer" || r.PublishAt != "" || r.Version != 2 || r.Description != "All of it" {
		t.Errorf("changed to %+v", r)
	}
	for body, place := range map[string]string{
		`{"name":""}`: "name", `{"name":"a\nb"}`: "name", `{"name":"a\u202eb"}`: "name", `{"name":"  "}`: "name", `{"name":"` + strings.Repeat("ä", 121) + `"}`: "name", `{"description":"` + strings.Repeat("ä", 2001) + `"}`: "description",
		`{"state":"published"}`: "state",
	} {
		n.wantFaults(t, n.send(t, "editor", "PATCH", siteReleases+"/{spring}", body), 422, "invalid", place)
	}
	n.release(t, siteReleases, "Gone")
	for query, want := range map[string]string{
		"": "Gone Summer", "?state=open&search=SUMM": "Summer", "?state=closed": "", "?search=all+of": "Summer", "?perPage=1&page=2": "Summer", "?search=%25": "",
	} {
		page := decode[struct{ Data []releaseView }](t, n.mustSend(t, "viewer", "GET", siteReleases+query, "", 200))
		var names []string
		for _, r := range page.Data {
			names = append(names, r.Name)
		}
		if strings.Join(names, " ") != want {
			t.Errorf("list %s: %v, want %s", query, names, want)
		}
	}
	n.mustSend(t, "viewer", "GET", siteReleases+"?state=shut", "", 400)
	n.mustSend(t, "viewer", "DELETE", siteReleases+"/{Gone}", "", 403)
	n.mustSend(t, "editor", "DELETE", siteReleases+"/{Gone}", "", 412, `If-Match: "2"`)
	n.mustSend(t, "editor", "DELETE", siteReleases+"/{Gone}", "", 204, `If-Match: "1"`)
	n.mustSend(t, "editor", "GET", siteReleases+"/{Gone}", "", 404)
}

func fillReleases(t *testing.T, n *newsroom) {
	n.release(t, siteReleases, "filled")
	n.submit(t, "seen", "Seen")
	n.approve(t, "seen", 3)
	n.createEntry(t, "draft", `{"fields":{"title":"Draft"}}`)
	n.createEntry(t, "german", `{"locale":"de","fields":{"title":"Deutsch"}}`)
	r := n.putMembers(t, "filled", `{"entryId":{seen}}`, `{"entryId":{draft},"from":"draft"}`, `{"entryId":{german},"action":"unpublish"}`)
	if r.Version != 2 || r.Counts.Members != 3 || r.Counts.Publish != 2 || r.Counts.Unpublish != 1 {
		t.Errorf("filled: %+v", r)
	}
	n.mustSend(t, "editor", "POST", siteReleases+"/{filled}/members", `{"members":[{"entryId":{draft}}]}`, 412, `If-Match: "1"`)
	r = n.putMembers(t, "filled", `{"entryId":{seen},"from":{"publication":1}}`)
	if r.Version != 3 || r.Counts.Members != 3 {
		t.Errorf("replaced: %+v", r)
	}
	members := n.releaseMembers(t, "filled", "")
	if len(members) != 3 || members[0].Title != "Seen" || members[0].Kind != "changed" || members[0].Base == nil || members[0].Base.Number != 1 ||
		members[0].ContentHash != members[0].Base.Hash || fmt.Sprint(members[0].From) != "map[publication:1]" || members[1].Kind != "new" || members[1].From != "draft" ||
		members[1].ContentHash == "" || members[2].Kind != "unpublish" || members[2].ContentHash != "" || members[0].Collection != "articles" {
		t.Errorf("members: %+v", members)
	}
	for query, want := range map[string]int{
		"?locale=de": 1, "?collection=articles": 3, "?collection=none": 0, "?kind=new": 1, "?action=unpublish": 1, "?perPage=2": 2, "?perPage=2&page=2": 1, "?perPage=500": 3, "?seen=true": 0,
	} {
		if got := n.releaseMembers(t, "filled", query); len(got) != want {
			t.Errorf("%s: %d members, want %d", query, len(got), want)
		}
	}
	for _, query := range []string{"?perPage=501", "?kind=other", "?seen=maybe", "?page=0"} {
		n.mustSend(t, "viewer", "GET", siteReleases+"/{filled}/members"+query, "", 400)
	}
	one := decode[struct {
		Title     string
		Snapshot  struct{ Fields map[string]any }
		Published *struct{}
		Changes   []struct{ Path string }
	}](t, n.mustSend(t, "viewer", "GET", siteReleases+"/{filled}/members/{draft}", "", 200))
	if one.Title != "Draft" || one.Snapshot.Fields["title"] != "Draft" || one.Published != nil || len(one.Changes) == 0 {
		t.Errorf("one member: %+v", one)
	}
	n.mustSend(t, "viewer", "GET", siteReleases+"/{filled}/members/999999", "", 404)
	entry := decode[struct {
		Release *struct {
			ID            int
			Name, State   string
			ReleaseNumber *string
		}
	}](t, n.mustSend(t, "viewer", "GET", "{content}/{draft}", "", 200))
	if entry.Release == nil || entry.Release.Name != "filled" || entry.Release.State != "open" || entry.Release.ReleaseNumber != nil {
		t.Errorf("release of the entry: %+v", entry.Release)
	}
	n.mustSend(t, "viewer", "DELETE", siteReleases+"/{filled}/members", `{"entryIds":[{draft}]}`, 403)
	r = decode[releaseView](t, n.mustSend(t, "editor", "DELETE", siteReleases+"/{filled}/members", `{"entryIds":[{draft},999999]}`, 200))
	if r.Counts.Members != 2 || r.Version != 4 {
		t.Errorf("after a removal: %+v", r)
	}
}

func checkReleases(t *testing.T, n *newsroom) {
	n.createEntry(t, "target", `{"fields":{"title":"Target"}}`)
	n.createEntry(t, "pointer", `{"fields":{"title":"Pointer","next":{target}}}`)
	n.createEntry(t, "empty", `{"fields":{"views":1}}`)
	n.submit(t, "pending", "Pending")
	n.createEntry(t, "trashed", `{"fields":{"title":"Trashed"}}`)
	n.release(t, siteReleases, "checked")
	n.putMembers(t, "checked", `{"entryId":{pointer}}`, `{"entryId":{empty}}`, `{"entryId":{pending}}`, `{"entryId":{trashed}}`, `{"entryId":{target},"action":"unpublish"}`)
	n.mustSend(t, "editor", "DELETE", "{content}/{trashed}", "", 204)
	type check struct {
		Faults       []struct{ Code, Location string }
		Warnings     []struct{ Code, Location string }
		WarningCount int
	}
	got := decode[check](t, n.mustSend(t, "viewer", "POST", siteReleases+"/{checked}/check", "", 200))
	var lines []string
	for _, f := range got.Faults {
		lines = append(lines, f.Code+" "+f.Location)
	}
	slices.Sort(lines)
	want := []string{
		n.fill("in_review members.{pending}"), n.fill("invalid members.{empty}.fields.title"), n.fill("invalid members.{target}.action"),
		n.fill("member_gone members.{trashed}"),
	}
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		t.Errorf("faults %q, want %q", lines, want)
	}
	if got.WarningCount != 1 || got.Warnings[0].Code != "target_not_public" || got.Warnings[0].Location != "fields.next" {
		t.Errorf("warnings: %+v", got)
	}
	n.mustSend(t, "legal", "POST", siteReleases+"/{checked}/check", "", 404)
}

// refuseReleases sends what must change nothing.
func refuseReleases(t *testing.T, n *newsroom) {
	n.release(t, siteReleases, "hostile")
	n.createEntry(t, "mine", `{"fields":{"title":"Mine"}}`)
	n.create(t, "foreign", "/api/projects/{open}/collections/{openArticles}/content", `{"fields":{"title":"Foreign"}}`)
	put := func(members string) response {
		t.Helper()
		return n.send(t, "editor", "POST", siteReleases+"/{hostile}/members", `{"members":[`+members+`]}`)
	}
	n.wantFaults(t, put(`{"entryId":{mine}},{"entryId":{mine}},{"entryId":{foreign}},{"entryId":999999}`), 422, "invalid", "members[1].entryId", "members[2].entryId", "members[3].entryId")
	n.wantFaults(t, put(`{"entryId":{mine},"from":{"publication":1}}`), 422, "invalid", "members[0].from.publication")
	n.wantFaults(t, put(`{"entryId":{mine},"action":"delete"}`), 422, "invalid", "members[0].action")
	n.wantFaults(t, put(`{"entryId":{mine},"from":"published"}`), 422, "invalid", "members[0].from")
	n.wantFaults(t, put(`{"entryId":{mine},"from":{"publication":0}}`), 422, "invalid", "members[0].from.publication")
	n.wantFaults(t, put(`{"entryId":{mine},"from":{"publication":1,"x":1}}`), 422, "invalid", "members[0].from.x")
	n.wantFaults(t, put(``), 422, "invalid", "members")
	n.wantFaults(t, put(strings.TrimSuffix(strings.Repeat(`{"entryId":{mine}},`, 501), ",")), 422, "invalid", "members")
	if r := n.releaseView(t, "hostile"); r.Counts.Members != 0 || r.Version != 1 {
		t.Errorf("changed: %+v", r)
	}

	lines := ""
	for i := range 1001 {
		lines += fmt.Sprintf(`{"fields":{"title":"Many %d"}}`+"\n", i)
	}
	first := n.importMany(t, lines)
	for from := 0; from < 1000; from += 500 {
		var members []string
		for i := range 500 {
			members = append(members, fmt.Sprintf(`{"entryId":%d}`, first[from+i]))
		}
		n.putMembers(t, "hostile", members...)
	}
	n.wantFaults(t, put(fmt.Sprintf(`{"entryId":%d},{"entryId":%d}`, first[0], first[1000])), 422, "invalid", "members[1].entryId")
	if r := n.releaseView(t, "hostile"); r.Counts.Members != 1000 {
		t.Errorf("has %d members", r.Counts.Members)
	}
	all := decode[struct{ Data []releaseView }](t, n.mustSend(t, "viewer", "GET", siteReleases+"?perPage=100", "", 200))
	for i := len(all.Data); i < 200; i++ {
		n.mustSend(t, "editor", "POST", siteReleases, fmt.Sprintf(`{"name":"R%d"}`, i), 201)
	}
	n.wantFaults(t, n.send(t, "editor", "POST", siteReleases, `{"name":"One more"}`), 409, "too_many_releases")
}

// importMany creates the entries of lines in the project Site and returns their ids.
func (n *newsroom) importMany(t *testing.T, lines string) (ids []int) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		a := n.mustSend(t, "editor", "POST", "{content}", line, 201)
		ids = append(ids, int(decode[map[string]any](t, a)["id"].(float64)))
	}
	return ids
}

func takeFromReleases(t *testing.T, n *newsroom) {
	n.create(t, "notes", "/api/projects/{open}/collections", `{"slug":"notes","name":"Notes","fields":[{"name":"title","type":"text"}]}`)
	n.create(t, "note", "/api/projects/{open}/collections/{notes}/content", `{"fields":{"title":"Note"}}`)
	n.create(t, "other", "/api/projects/{open}/collections/{openArticles}/content", `{"fields":{"title":"Other"}}`)
	n.release(t, "/api/projects/{open}/releases", "taken")
	n.mustSend(t, "blogger", "POST", "/api/projects/{open}/releases/{taken}/members", `{"members":[{"entryId":{note}},{"entryId":{other}}]}`, 200)
	n.mustSend(t, "blogger", "DELETE", "/api/projects/{open}/collections/{notes}", "", 204)
	r := decode[releaseView](t, n.mustSend(t, "blogger", "GET", "/api/projects/{open}/releases/{taken}", "", 200))
	if r.Counts.Members != 1 || r.Version != 3 {
		t.Errorf("after the deletion of a collection: %+v", r)
	}
	events := decode[struct{ Data []map[string]json.RawMessage }](t, n.mustSend(t, "blogger", "GET", "/api/projects/{open}/events?type=release.updated", "", 200))
	if len(events.Data) != 2 || string(events.Data[0]["releaseId"]) != n.fill("{taken}") {
		t.Errorf("events: %s", events.Data)
	}
}
