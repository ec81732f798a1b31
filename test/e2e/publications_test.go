package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"imprimatur/test/program"
)

// publications is a page of publications.
type publications struct {
	Data []struct {
		Number        int
		ContentHash   string
		PublishedAt   time.Time
		UnpublishedAt *time.Time
		By            struct{ Kind, Name string }
		RequestID     *int
		ReleaseNumber *string
	}
	Meta struct {
		Page, PerPage, Total int
		HasMore              bool
	}
}

func (n *newsroom) publications(t *testing.T, entry string) publications {
	t.Helper()
	return decode[publications](t, n.mustSend(t, "viewer", "GET", "{content}/{"+entry+"}/publications", "", 200))
}

// wantProof requires that a proof is accepted by the command and by the verifier in JavaScript, and
// that neither accepts it with another title.
func (n *newsroom) wantProof(t *testing.T, user, path, title, says string) {
	t.Helper()
	text := n.mustSend(t, user, "GET", path+"/proof", "", 200).body
	if !strings.Contains(string(text), title) {
		t.Fatalf("%s/proof has no %s: %s", path, title, text)
	}
	folder := t.TempDir()
	file, keys := filepath.Join(folder, "proof.json"), filepath.Join(folder, "keys.json")
	if err := os.WriteFile(keys, n.mustSend(t, "", "GET", wellKnown, "", 200).body, 0o600); err != nil {
		t.Fatal(err)
	}
	verify := func(text []byte) (output, diagnostics string, byCommand, byNode error) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		output, diagnostics, byCommand = program.Run(t, "", "verify", file, "--key", keys)
		return output, diagnostics, byCommand, exec.CommandContext(t.Context(), "node", "../conformance/verify-proof.mjs", "--key", keys, file).Run()
	}
	output, diagnostics, byCommand, byNode := verify(text)
	if byCommand != nil || byNode != nil || !strings.HasPrefix(output, "valid: ") || !strings.Contains(output, says) {
		t.Errorf("%s/proof: %v, %v: %s%s", path, byCommand, byNode, output, diagnostics)
	}
	_, diagnostics, byCommand, byNode = verify([]byte(strings.Replace(string(text), title, "Slipped in", 1)))
	if byCommand == nil || byNode == nil || !strings.Contains(diagnostics, "contentHash is not the hash of content") {
		t.Errorf("%s/proof with another title: %v, %v: %s", path, byCommand, byNode, diagnostics)
	}
}

// TestPublications follows a reviewed article with a picture and a relation through three
// publications, and reads what readers saw at each time.
func TestPublications(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		a := n.mustSend(t, "root", "POST", "/api/projects/{site}/tokens", `{"name":"archive","abilities":["read"],"allowHistory":true}`, 201)
		n.users.headers["token history"] = []string{"Authorization: Bearer " + decode[struct{ Secret string }](t, a).Secret}
		n.mustSend(t, "root", "POST", "/api/projects/{site}/collections/{siteArticles}/fields", `{"name":"cover","type":"media"}`, 201)
		item := upload(t, n.base+"/public/v2/projects/"+n.uuid+"/media/upload", newForm().file("c.png", pngOf(9, 9)).text("caption", "First words").end(), n.headers(t, "token full")...)
		n.ids["cover"] = item.ID

		n.submit(t, "near", "Near")
		n.approve(t, "near", 3)
		n.createEntry(t, "story", `{"published":true,"fields":{"title":"Version one","cover":{cover},"next":{near},"note":"canary"}}`)
		n.approve(t, "story", 3)
		n.mustSend(t, "token full", "PATCH", "/public/v2/projects/"+n.uuid+"/media/{cover}", `{"caption":"Second words"}`, 200)
		n.mustSend(t, "editor", "POST", "{content}/{near}/unpublish", "", 200)
		n.mustSend(t, "editor", "PATCH", "{content}/{story}", `{"published":true,"fields":{"title":"Version two"}}`, 200)
		n.approve(t, "story", 3)

		list := n.publications(t, "story")
		if len(list.Data) != 2 || list.Meta.Total != 2 || list.Data[0].Number != 2 || list.Data[0].UnpublishedAt != nil ||
			!list.Data[1].UnpublishedAt.Equal(list.Data[0].PublishedAt) || list.Data[1].By.Name != "head" || list.Data[1].RequestID == nil || *list.Data[1].ReleaseNumber != "CR-"+time.Now().UTC().Format("2006")+"-0002" {
			t.Fatalf("publications: %+v", list)
		}
		first, second := list.Data[1].PublishedAt, list.Data[0].PublishedAt
		one := n.mustSend(t, "viewer", "GET", "{content}/{story}/publications/1", "", 200)
		if text := string(one.body); !strings.Contains(text, "Version one") || !strings.Contains(text, "First words") || strings.Contains(text, "canary") || strings.Contains(text, "Version two") {
			t.Errorf("publication 1: %s", text)
		}
		n.wantProof(t, "viewer", "{content}/{story}/publications/1", "Version one", "approved at all 3 steps, 5 actions")
		n.wantProof(t, "viewer", "{content}/{story}/publications/2", "Version two", "approved at all 3 steps, 5 actions")

		n.wantPast(t, "story", first, "Version one", "First words", "Near")
		n.wantPast(t, "story", second.Add(-time.Millisecond), "Version one", "First words")
		n.wantPast(t, "story", second, "Version two", "Second words", `"next":null`)
		n.wantPast(t, "near", first, "Near")
		now := n.mustSend(t, "token history", "GET", "{public}/{story}?timestamps=true", "", 200)
		then := n.mustSend(t, "token history", "GET", "{public}/{story}?timestamps=true&asOf="+asOf(time.Now().Add(-time.Millisecond)), "", 200)
		if string(now.body) != string(then.body) {
			t.Errorf("now: %s\nas of now: %s", now.body, then.body)
		}
		narrow := n.mustSend(t, "token history", "GET", "{public}/{story}?fields=title,next.title&asOf="+asOf(first), "", 200)
		if text := string(narrow.body); !strings.Contains(text, "Version one") || !strings.Contains(text, "Near") || strings.Contains(text, "publishedAt") {
			t.Errorf("two fields of the past: %s", text)
		}
		n.refusePast(t, first)

		n.mustSend(t, "editor", "POST", "{content}/{story}/unpublish", "", 200)
		n.wantPublic(t, "story", "")
		n.wantPast(t, "story", second, "Version two")
		n.mustSend(t, "token history", "GET", "{public}/{story}?asOf="+asOf(time.Now().Add(-time.Millisecond)), "", 404)
		n.mustSend(t, "editor", "DELETE", "{content}/{story}", "", 204)
		n.wantPast(t, "story", first, "Version one")
		if list := n.publications(t, "story"); len(list.Data) != 2 || list.Data[0].UnpublishedAt == nil {
			t.Errorf("in the trash: %+v", list)
		}
		n.mustSend(t, "editor", "DELETE", "{content}/{near}", "", 204)
		for _, entry := range []string{"near", "story"} {
			n.mustSend(t, "root", "DELETE", "{content}/{"+entry+"}/permanent", "", 204)
		}
		n.wantPast(t, "story", first, "Version one", "First words", "Near")
		n.wantPast(t, "story", second, "Version two", "Second words", `"next":null`)
		n.wantPast(t, "near", first, "Near")
		destroyed := n.mustSend(t, "token history", "GET", "{public}/{story}?timestamps=true&asOf="+asOf(second), "", 200)
		if string(destroyed.body) != string(now.body) {
			t.Errorf("before it was destroyed: %s\nafter: %s", now.body, destroyed.body)
		}
		n.wantProof(t, "viewer", "{content}/{story}/publications/2", "Version two", " to ")
		n.refusePublications(t)
	})
}

func asOf(at time.Time) string { return url.QueryEscape(at.Format(time.RFC3339Nano)) }

// wantPast requires that readers saw all of the texts in the entry at that time.
func (n *newsroom) wantPast(t *testing.T, entry string, at time.Time, texts ...string) {
	t.Helper()
	a := n.mustSend(t, "token history", "GET", "{public}/{"+entry+"}?asOf="+asOf(at), "", 200)
	for _, text := range texts {
		if !strings.Contains(string(a.body), text) {
			t.Errorf("%s as of %s has no %q: %s", entry, at, text, a.body)
		}
	}
	if strings.Contains(string(a.body), "canary") || a.header.Get("Etag") == "" {
		t.Errorf("%s as of %s: %s", entry, at, a.body)
	}
}

// refusePast sends reads of the past that must be refused.
func (n *newsroom) refusePast(t *testing.T, first time.Time) {
	t.Helper()
	for value, want := range map[string]int{
		"": 400, "yesterday": 400, "2026-03-02": 400, "2026-03-02T12:00:00": 400, "2026-13-02T12:00:00Z": 400, "2026-03-02T12:00:00+99:00": 400,
		"0000-01-01T00:00:00Z": 400, "1": 400, time.Now().Add(time.Hour).UTC().Format(time.RFC3339): 400, "9999-12-31T23:59:59Z": 400,
		first.Add(-time.Millisecond).Format(time.RFC3339Nano): 404, "2001-01-01T00:00:00Z": 404, "0001-01-01T00:00:00Z": 404,
		first.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano): 200,
	} {
		path := "{public}/{story}?asOf=" + url.QueryEscape(value)
		a := n.mustSend(t, "token history", "GET", path, "", want)
		if want == 400 && !strings.Contains(string(a.body), "asOf") {
			t.Errorf("asOf=%s: %s", value, a.body)
		}
		for range 2 { // the second may come from a cache
			n.mustSend(t, "token read", "GET", path, "", 403)
		}
		n.mustSend(t, "token full", "GET", "{public}/{story}?as%4ff="+url.QueryEscape(value), "", 403)
	}
	n.mustSend(t, "token history", "GET", "{public}/{story}?asOf="+asOf(first)+"&asOf="+asOf(first), "", 400)
	n.mustSend(t, "token history", "GET", "{public}/987654?asOf="+asOf(first), "", 404)
	n.mustSend(t, "token history", "GET", "{public}?asOf="+asOf(first), "", 400)
	n.mustSend(t, "", "GET", "{public}/{story}?asOf="+asOf(first), "", 401)
}

// refusePublications sends requests for publications that must be refused.
func (n *newsroom) refusePublications(t *testing.T) {
	t.Helper()
	for path, want := range map[string]int{
		"?page=0": 400, "?perPage=101": 400, "?page=x": 400, "?limit=1": 400, "?page=9": 200,
		"/0": 404, "/-1": 404, "/x": 404, "/99": 404, "/1?fields=title": 400, "/99/proof": 404, "/1/proof?x=1": 400,
	} {
		n.mustSend(t, "viewer", "GET", "{content}/{story}/publications"+path, "", want)
	}
	n.mustSend(t, "viewer", "GET", "{content}/987654/publications", "", 404)
	for _, path := range []string{"", "/1", "/1/proof"} {
		n.mustSend(t, "outsider", "GET", "{content}/{story}/publications"+path, "", 404)
		n.mustSend(t, "", "GET", "{content}/{story}/publications"+path, "", 401)
	}
}

// TestUngovernedPublications checks publications without a workflow: direct ones and scheduled
// ones.
func TestUngovernedPublications(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		const all = "/api/projects/{open}/collections/{openArticles}/content"
		create := func(name, body string) {
			t.Helper()
			n.ids[name] = int(decode[map[string]any](t, n.mustSend(t, "blogger", "POST", all, body, 201))["id"].(float64))
		}
		create("direct", `{"published":true,"fields":{"title":"Direct one"}}`)
		for i := range 3 {
			n.mustSend(t, "blogger", "PATCH", all+"/{direct}", fmt.Sprintf(`{"fields":{"title":"Direct %d"}}`, i), 200)
			n.mustSend(t, "blogger", "PATCH", all+"/{direct}", `{"fields":{"note":"hidden only"}}`, 200)
		}
		due := soon()
		create("later", `{"published":true,"publishAt":`+wire(due)+`,"fields":{"title":"Scheduled one"}}`)
		read := func(entry string) publications {
			t.Helper()
			return decode[publications](t, n.mustSend(t, "blogger", "GET", all+"/{"+entry+"}/publications?perPage=100", "", 200))
		}
		n.process.Await(t, "the scheduled publication", func() bool { return len(read("later").Data) == 1 })
		if p := read("later").Data[0]; p.PublishedAt.Before(due) || p.By.Name != "blogger" || p.RequestID != nil {
			t.Errorf("scheduled: %+v", p)
		}
		list := read("direct")
		for i, p := range list.Data {
			if p.Number != len(list.Data)-i || p.By.Kind != "user" || p.ReleaseNumber != nil {
				t.Errorf("publication %d: %+v", i, p)
			}
		}
		n.wantProof(t, "blogger", all+"/{direct}/publications/1", "Direct one", "no approval request")
		n.wantProof(t, "blogger", all+"/{later}/publications/1", "Scheduled one", "no approval request")

		n.mustSend(t, "blogger", "DELETE", all+"/{direct}", "", 204)
		n.mustSend(t, "blogger", "DELETE", all+"/{direct}/permanent", "", 204)
		if after := read("direct"); len(after.Data) != len(list.Data) || after.Data[0].UnpublishedAt == nil {
			t.Errorf("after the entry was destroyed: %+v", after.Data)
		}
		var p map[string]any
		a := n.mustSend(t, "blogger", "GET", all+"/{direct}/publications/1", "", 200)
		if err := json.Unmarshal(a.body, &p); err != nil || p["fields"].(map[string]any)["title"] != "Direct one" || len(p["media"].(map[string]any)) != 0 {
			t.Errorf("publication 1: %s", a.body)
		}
	})
}
