package e2e

import (
	"fmt"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// managed is an entry as /api and the responses to writes show it.
type managed struct {
	ID, Version int
	State       string
	Fields      map[string]any
	Faults      *[]struct{ Message, Location string }
}

// faults returns the locations of the entry's faults in one line, "none" without the member.
func (m managed) faults() string {
	if m.Faults == nil {
		return "none"
	}
	var found []string
	for _, f := range *m.Faults {
		found = append(found, strings.TrimPrefix(f.Location, "fields.")+" "+f.Message)
	}
	return strings.Join(found, "; ")
}

// TestIncompleteDrafts writes, reads, publishes, exports and imports incomplete drafts through
// both APIs and on both engines.
func TestIncompleteDrafts(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			const fields = `[{"name":"title","type":"text","required":true,"min":3,"max":8},{"name":"rank","type":"number","min":1,"max":5},
				{"name":"code","type":"text","pattern":"[A-Z]+","unique":true}]`
			briefs := s.create(t, fmt.Sprintf("/projects/%d/collections", s.project), `{"slug":"briefs","name":"Briefs","fields":`+fields+`}`)
			s.create(t, fmt.Sprintf("/projects/%d/collections", s.other), `{"slug":"briefs","name":"Briefs","fields":`+fields+`}`)
			s.tokens["blind"] = s.token(t, s.project, `"abilities":["create","update","delete"]`)
			s.tokens["published"] = s.token(t, s.project, `"abilities":["read","create","update","delete"]`)
			d := drafts{
				site: s, dashboard: fmt.Sprintf("/api/projects/%d/collections/%d/content", s.project, briefs),
				public: "/public/v2/projects/" + s.uuid + "/collections/briefs/entries",
			}
			t.Run("dashboard", d.testDashboard)
			t.Run("tokens", d.testTokens)
			t.Run("stale", d.testStale)
			t.Run("targets", d.testTargets)
			t.Run("transfer", d.testTransfer)
		})
	}
}

// drafts are the paths of the collection briefs.
type drafts struct {
	*site
	dashboard, public string
}

// do sends a request with a token, or with the session of the super admin when token is empty.
func (d drafts) do(t *testing.T, token, method, path, body string, header ...string) response {
	t.Helper()
	if token == "" {
		header = append(header, d.session...)
	}
	return d.send(t, token, method, path, body, header...)
}

// write sends a write that succeeds.
func (d drafts) write(t *testing.T, token, method, path, body string) managed {
	t.Helper()
	a := d.do(t, token, method, path, body)
	if a.status != 200 && a.status != 201 {
		t.Fatalf("%s %s %s answered %d: %s", method, path, body, a.status, a.body)
	}
	return decode[managed](t, a)
}

// refuses sends a write that is refused with these faults.
func (d drafts) refuses(t *testing.T, token, method, path, body, faults string) {
	t.Helper()
	p := wantProblem(t, d.do(t, token, method, path, body), 422)
	var found []string
	for _, f := range p.Errors {
		found = append(found, strings.TrimPrefix(f.Location, "fields.")+" "+f.Message)
	}
	if got := strings.Join(found, "; "); got != faults {
		t.Errorf("%s %s is refused for %q, want %q", method, path, got, faults)
	}
}

func wantFaults(t *testing.T, m managed, want string) {
	t.Helper()
	if got := m.faults(); got != want {
		t.Errorf("the faults are %q, want %q", got, want)
	}
}

const (
	noTitle = "title is required"
	lowRank = "rank must be at least 1"
	lowCode = "code does not match the pattern [A-Z]+"
)

func (d drafts) testDashboard(t *testing.T) {
	m := d.write(t, "", "POST", d.dashboard, `{"fields":{"rank":0}}`)
	own := fmt.Sprintf("%s/%d", d.dashboard, m.ID)
	wantFaults(t, m, noTitle+"; "+lowRank)
	wantFaults(t, decode[managed](t, d.do(t, "", "GET", own, "")), noTitle+"; "+lowRank)
	list := d.do(t, "", "GET", d.dashboard, "")
	if list.status != 200 || strings.Contains(string(list.body), "faults") {
		t.Errorf("the list has faults: %s", list.body)
	}
	for _, path := range []string{d.dashboard, d.public} {
		for _, check := range []string{"", "full", "Draft", "draft&check=draft"} {
			token := map[bool]string{true: "full"}[path == d.public]
			if p := wantProblem(t, d.do(t, token, "POST", path+"?check="+check, `{}`), 400); len(p.Errors) != 1 || p.Errors[0].Location != "check" {
				t.Errorf("check=%s: %+v", check, p)
			}
		}
	}
	d.refuses(t, "", "POST", d.dashboard, `{"fields":{"title":"far too long","rank":"1","nme":1}}`,
		"title must have at most 8 characters; rank must be a number; nme no such field")
	d.refuses(t, "", "POST", d.dashboard+"?check=publish", `{}`, noTitle)
	d.refuses(t, "", "PATCH", own+"?check=publish", `{"fields":{"code":"x"}}`, noTitle+"; "+lowRank+"; "+lowCode)
	wantFaults(t, d.write(t, "", "PATCH", own, `{"fields":{"code":"x"}}`), noTitle+"; "+lowRank+"; "+lowCode)
	wantFaults(t, d.write(t, "", "PATCH", own, `{"published":false}`), noTitle+"; "+lowRank+"; "+lowCode)
	d.refuses(t, "", "POST", d.dashboard, `{"fields":{"code":"x"}}`, "code is taken by another entry")

	all := noTitle + "; " + lowRank + "; " + lowCode
	d.refuses(t, "", "POST", own+"/publish", `{}`, all)
	d.refuses(t, "", "POST", own+"/publish", `{"publishAt":"2100-01-01T00:00:00Z"}`, all)
	d.refuses(t, "", "PATCH", own+"?check=draft", `{"published":true}`, all)
	d.refuses(t, "", "PATCH", own+"?check=draft", `{"published":true,"publishAt":"2100-01-01T00:00:00Z"}`, all)

	wantFaults(t, d.write(t, "", "PATCH", own, `{"fields":{"title":"Peace","rank":1,"code":null}}`), "")
	published := d.write(t, "", "POST", own+"/publish", `{}`)
	wantFaults(t, published, "")
	if published.State != "published" {
		t.Errorf("the entry is %s", published.State)
	}
	d.refuses(t, "", "PATCH", own+"?check=draft", `{"fields":{"title":"P"}}`, "title must have at least 3 characters")
}

func (d drafts) testTokens(t *testing.T) {
	d.refuses(t, "full", "POST", d.public, `{"fields":{"rank":0}}`, noTitle+"; "+lowRank)
	m := d.write(t, "full", "POST", d.public+"?check=draft", `{"fields":{"rank":0}}`)
	own := fmt.Sprintf("%s/%d", d.public, m.ID)
	wantFaults(t, m, noTitle+"; "+lowRank)
	d.refuses(t, "full", "PATCH", own, `{"fields":{"rank":2}}`, noTitle)
	wantFaults(t, d.write(t, "full", "PATCH", own+"?check=draft", `{"fields":{"code":"y"}}`), noTitle+"; "+lowRank+"; "+lowCode)
	for _, token := range []string{"blind", "published"} {
		wantFaults(t, d.write(t, token, "PATCH", own+"?check=draft", `{}`), "")
		wantFaults(t, d.write(t, token, "PATCH", own+"?check=draft", `{"fields":{"rank":-1}}`), lowRank)
	}
	d.refuses(t, "blind", "PATCH", own+"?check=draft", `{"published":true}`, noTitle+"; "+lowRank+"; "+lowCode)
}

func (d drafts) testStale(t *testing.T) {
	type stale struct {
		Code    string
		Current *managed
	}
	m := d.write(t, "", "POST", d.dashboard, `{"fields":{"title":"Z"}}`)
	own, shared := fmt.Sprintf("%s/%d", d.dashboard, m.ID), fmt.Sprintf("%s/%d", d.public, m.ID)
	wantCurrent := func(token, method, path string, fields int, faults string) {
		t.Helper()
		for _, tag := range []string{`"99"`, `"x"`, `"98", "99"`} {
			a := d.do(t, token, method, path, map[string]string{"PATCH": `{"fields":{"title":"Mine"}}`}[method], "If-Match: "+tag)
			wantProblem(t, a, 412)
			got := decode[stale](t, a).Current
			if got == nil || got.ID != m.ID || len(got.Fields) != fields || got.faults() != faults {
				t.Errorf("%s %s with %s: %s", method, path, tag, a.body)
			}
		}
	}
	const short = "title must have at least 3 characters"
	for _, route := range []string{"PATCH ", "DELETE ", "POST /publish", "POST /unpublish", "POST /restore", "DELETE /schedule", "DELETE /permanent"} {
		method, path, _ := strings.Cut(route, " ")
		wantCurrent("", method, own+path, 3, short)
	}
	for _, method := range []string{"PATCH", "DELETE"} {
		wantCurrent("full", method, shared, 3, short)
		wantCurrent("blind", method, shared, 0, "")
		wantCurrent("published", method, shared, 0, "")
	}
	d.write(t, "", "PATCH", own, `{"published":true,"fields":{"title":"Zen"}}`)
	for token, fields := range map[string]int{"full": 3, "published": 3, "blind": 0} {
		wantCurrent(token, "PATCH", shared, fields, "")
	}
	if a := d.do(t, "", "DELETE", own, ""); a.status != 204 {
		t.Fatalf("DELETE answered %d: %s", a.status, a.body)
	}
	wantCurrent("", "POST", own+"/restore", 3, "") // an editor sees the trash, a token does not
	wantProblem(t, d.do(t, "full", "PATCH", shared, `{}`, `If-Match: "99"`), 404)
}

// testTargets trashes and destroys the targets of required references. A draft names the target that is
// not public; without its targets it shows null. It cannot be published again.
func (d drafts) testTargets(t *testing.T) {
	collection := d.create(t, fmt.Sprintf("/projects/%d/collections", d.project), `{"slug":"holders","name":"Holders","fields":[
		{"name":"title","type":"text"},{"name":"m","type":"media","required":true},{"name":"rel","type":"relation","collection":"briefs","required":true}]}`)
	holders := fmt.Sprintf("/api/projects/%d/collections/%d/content", d.project, collection)
	library := "/public/v2/projects/" + d.uuid + "/media"
	item := upload(t, d.base+library+"/upload", newForm().file("a.png", pngOf(8, 8)).end(), "Authorization: Bearer "+d.tokens["full"])
	target := fmt.Sprintf("%s/%d", d.dashboard, d.write(t, "", "POST", d.dashboard, `{"published":true,"fields":{"title":"Target"}}`).ID)
	m := d.write(t, "", "POST", holders, fmt.Sprintf(`{"fields":{"m":%d,"rel":%s}}`, item.ID, target[strings.LastIndex(target, "/")+1:]))
	own := fmt.Sprintf("%s/%d", holders, m.ID)
	d.do(t, "", "DELETE", target, "")
	trashed := fmt.Sprintf("rel is not published yet: %q (entry %s)", "Target", target[strings.LastIndex(target, "/")+1:])
	wantFaults(t, decode[managed](t, d.do(t, "", "GET", own, "")), trashed)
	for path, token := range map[string]string{target + "/permanent": "", fmt.Sprintf("%s/%d", library, item.ID): "full"} {
		if a := d.do(t, token, "DELETE", path, ""); a.status >= 300 {
			t.Fatalf("DELETE %s answered %d: %s", path, a.status, a.body)
		}
	}
	const gone = "m is required; rel is required"
	m = decode[managed](t, d.do(t, "", "GET", own, ""))
	wantFaults(t, m, gone)
	if m.Fields["m"] != nil || m.Fields["rel"] != nil {
		t.Errorf("the draft shows %v", m.Fields)
	}
	wantFaults(t, d.write(t, "", "PATCH", own, `{"fields":{"title":"Saved"}}`), gone)
	d.refuses(t, "", "PATCH", own, `{"published":true,"fields":{"title":"Now"}}`, gone)
	d.refuses(t, "", "PATCH", own, `{"published":true,"publishAt":"2100-01-01T00:00:00Z"}`, gone)
	d.refuses(t, "", "POST", own+"/publish", `{}`, gone)
}

func (d drafts) testTransfer(t *testing.T) {
	run := func(stdin string, args ...string) (string, string, error) {
		return program.Run(t, stdin, append(args, "--database-url", d.database, "--collection", "briefs")...)
	}
	exported, _, err := run("", "export", "--project", d.uuid)
	ok(t, err)
	if _, diagnostics, err := run(exported, "import", "--project", d.away, "--check", "full", "-"); err == nil || !strings.Contains(diagnostics+err.Error(), "--check") {
		t.Errorf("--check full: %v %s", err, diagnostics)
	}
	for range 2 {
		_, diagnostics, err := run(exported, "import", "--project", d.away, "--check", "draft", "-")
		if err != nil {
			t.Fatalf("%v: %s", err, diagnostics)
		}
		again, _, err := run("", "export", "--project", d.away)
		ok(t, err)
		if again != exported || again == "" {
			t.Errorf("exported\n%s, after the import\n%s", exported, again)
		}
	}
	if out, diagnostics, err := run(exported, "import", "--project", d.away, "-"); err == nil || !strings.Contains(diagnostics, "is required") {
		t.Errorf("incomplete drafts are imported: %s%s", out, diagnostics)
	}
}
