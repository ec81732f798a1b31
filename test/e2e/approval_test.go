package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"imprimatur/test/program"
)

// newsroom is the program running with an organisation that reviews what it publishes:
// the Project Site, in the department Newsroom whose workflow has three steps (an admin
// of the Project, Legal, an admin of the department), and the Project Open, in the
// department Marketing, which has none.
type newsroom struct {
	process  *program.Process
	database string
	base     string // of every URL
	ops      string
	uuid     string // of Site
	staff    *staff
	ids      map[string]int // whatever was made, by name
}

// staff are those who send requests. Somebody with a job is hired when first needed:
// to hash a password takes its time, as it should.
type staff struct {
	hiring  sync.Mutex // one after the other
	mutex   sync.Mutex
	headers map[string][]string // of a request, by who sends it
	ids     map[string]int      // of users
}

// job is what somebody may do: the path that gives it to a user, and the role.
type job struct{ path, role string }

var jobs = map[string]job{
	"tenantAdmin": {"/api/tenants/{tenant}/members/", "tenant_admin"},
	"head":        {"/api/departments/{newsroom}/members/", "department_admin"},
	"chief":       inSite("admin"), "second": inSite("admin"), "editor": inSite("editor"), "viewer": inSite("viewer"),
	"legal":    {"/api/departments/{newsroom}/custom-roles/{legalRole}/holders/", ""},
	"brand":    {"/api/departments/{marketing}/custom-roles/{brandRole}/holders/", ""},
	"blogger":  {"/api/projects/{open}/members/", "admin"},
	"outsider": {},
}

func inSite(role string) job { return job{"/api/projects/{site}/members/", role} }

const reviewed = `[{"name":"title","type":"text","required":true},{"name":"slug","type":"slug","source":"title"},{"name":"views","type":"number"},
	{"name":"code","type":"text","unique":true},{"name":"note","type":"text","hidden":true},{"name":"pass","type":"password"},
	{"name":"next","type":"relation","collection":"articles"},{"name":"many","type":"relation","collection":"articles","multiple":true}]`

// reviewing starts the program on a database and fills it.
func reviewing(t *testing.T, database string) *newsroom {
	t.Helper()
	at := []string{"--database-url", database}
	if _, diagnostics, err := program.Run(t, "", append([]string{"migrate", "up"}, at...)...); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	if _, diagnostics, err := program.Run(t, password+"\n", append([]string{"user", "create", "--email", "root@example.com", "--super-admin"}, at...)...); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	n := &newsroom{database: database, staff: &staff{headers: map[string][]string{"": nil}, ids: map[string]int{}}, ids: map[string]int{}}
	n.process, n.base, n.ops = serve(t, database, "--rate-limit", "0")
	n.staff.headers["root"] = []string{signIn(t, n.base, "root@example.com", password), "Origin: " + n.base}
	n.make(t, "tenant", "/api/tenants", `{"name":"Meridian"}`)
	n.make(t, "newsroom", "/api/tenants/{tenant}/departments", `{"name":"Newsroom"}`)
	n.make(t, "marketing", "/api/tenants/{tenant}/departments", `{"name":"Marketing"}`)
	n.make(t, "legalRole", "/api/departments/{newsroom}/custom-roles", `{"name":"Legal"}`)
	n.make(t, "brandRole", "/api/departments/{marketing}/custom-roles", `{"name":"Brand"}`)
	n.make(t, "site", "/api/tenants/{tenant}/projects", `{"name":"Site","departmentId":{newsroom},"defaultLocale":"en","locales":["en","de"]}`)
	n.make(t, "open", "/api/tenants/{tenant}/projects", `{"name":"Open","departmentId":{marketing},"defaultLocale":"en","locales":["en"]}`)
	for _, project := range []string{"site", "open"} {
		n.make(t, project+"Articles", "/api/projects/{"+project+"}/collections", `{"slug":"articles","name":"Articles","fields":`+reviewed+`}`)
	}
	for name, rights := range map[string]string{
		"full": `"abilities":["read","create","update","delete"],"allowDrafts":true`, "read": `"abilities":["read"]`,
	} {
		a := n.must(t, "root", "POST", "/api/projects/{site}/tokens", `{"name":"`+name+`",`+rights+`}`, 201)
		n.staff.headers["token "+name] = []string{"Authorization: Bearer " + decode[struct{ Secret string }](t, a).Secret}
	}
	n.uuid = decode[struct{ UUID string }](t, n.must(t, "root", "GET", "/api/projects/{site}", "", 200)).UUID
	n.govern(t)
	return n
}

// govern gives the Newsroom its workflow.
func (n *newsroom) govern(t *testing.T) {
	t.Helper()
	n.must(t, "tenantAdmin", "PUT", "/api/departments/{newsroom}/approval-workflow", `{"steps":[
		{"stepOrder":1,"requiredRoleKind":"admin","stepLabel":"Desk"},
		{"stepOrder":2,"requiredRoleKind":"admin","requiredCustomRoleId":{legalRole},"stepLabel":"Legal"},
		{"stepOrder":3,"requiredRoleKind":"department_admin","stepLabel":"Head"}]}`, 200)
}

// headers returns what the requests of somebody have, and hires them if need be.
func (n *newsroom) headers(t *testing.T, who string) []string {
	t.Helper()
	if headers, known := n.staff.known(who); known {
		return headers
	}
	n.staff.hiring.Lock()
	defer n.staff.hiring.Unlock()
	if headers, known := n.staff.known(who); known { // hired meanwhile
		return headers
	}
	work, wanted := jobs[who]
	if !wanted {
		t.Fatalf("nobody is called %s", who)
	}
	return n.hire(t, who, work)
}

func (s *staff) known(who string) (headers []string, known bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	headers, known = s.headers[who]
	return headers, known
}

// hire makes a user with a job.
func (n *newsroom) hire(t *testing.T, name string, work job) []string {
	t.Helper()
	a := n.must(t, "root", "POST", "/api/users", `{"tenantId":{tenant},"email":"`+name+`@example.com","name":"`+name+`","password":"`+password+`"}`, 201)
	id := int(decode[map[string]any](t, a)["id"].(float64))
	switch {
	case work.role != "":
		n.must(t, "root", "PUT", fmt.Sprint(work.path, id), `{"role":"`+work.role+`"}`, 200)
	case work.path != "":
		n.must(t, "root", "PUT", fmt.Sprint(work.path, id), "", 204)
	}
	headers := []string{signIn(t, n.base, name+"@example.com", password), "Origin: " + n.base}
	n.staff.mutex.Lock()
	defer n.staff.mutex.Unlock()
	n.staff.headers[name], n.staff.ids[name] = headers, id
	return headers
}

// fill puts the names of n, which stand in braces, into a path or a body.
func (n *newsroom) fill(text string) string {
	pairs := []string{
		"{content}", "/api/projects/{site}/collections/{siteArticles}/content",
		"{public}", "/public/v2/projects/" + n.uuid + "/collections/articles/entries",
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	pairs = pairs[:0]
	for name, id := range n.ids {
		pairs = append(pairs, "{"+name+"}", fmt.Sprint(id))
	}
	n.staff.mutex.Lock()
	defer n.staff.mutex.Unlock()
	for name, id := range n.staff.ids {
		pairs = append(pairs, "{"+name+"}", fmt.Sprint(id))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// as sends a request as somebody, "" for nobody. Nothing that it does may be a fault
// of the program.
func (n *newsroom) as(t *testing.T, who, method, path, body string, header ...string) answer {
	t.Helper()
	a := call(t, method, n.base+n.fill(path), n.fill(body), append(slices.Clone(header), n.headers(t, who)...)...)
	if a.status >= 500 {
		t.Errorf("%s: %s %s answered %d: %s", who, method, path, a.status, a.body)
	}
	return a
}

// must sends a request that has to be answered with the status.
func (n *newsroom) must(t *testing.T, who, method, path, body string, status int, header ...string) answer {
	t.Helper()
	a := n.as(t, who, method, path, body, header...)
	if a.status != status {
		t.Fatalf("%s: %s %s answered %d, want %d: %s", who, method, n.fill(path), a.status, status, a.body)
	}
	return a
}

// make creates something as root and keeps its id under a name.
func (n *newsroom) make(t *testing.T, name, path, body string) int {
	t.Helper()
	n.ids[name] = int(decode[map[string]any](t, n.must(t, "root", "POST", path, body, 201))["id"].(float64))
	return n.ids[name]
}

// write has the editor write an entry of Site.
func (n *newsroom) write(t *testing.T, name, body string) {
	t.Helper()
	n.ids[name] = int(decode[map[string]any](t, n.must(t, "editor", "POST", "{content}", body, 201))["id"].(float64))
}

// submit has the editor write an entry and check the box.
func (n *newsroom) submit(t *testing.T, name, title string) request {
	t.Helper()
	n.write(t, name, `{"published":true,"fields":{"title":"`+title+`"}}`)
	return n.request(t, name)
}

// request is an approval request.
type request struct {
	ID                 int
	ReleaseNumber      string
	Status             string
	CurrentStep        *struct{ StepOrder int }
	ContentHash        string
	Snapshot           map[string]any
	ContentChanged     bool
	ScheduledPublishAt *string
	PublishedAt        *string
	CanAct             bool
	Actions            []struct {
		Type        string
		StepOrder   *int
		Comment     *string
		ContentHash string
	}
}

// request returns the entry's open or latest request, as root sees it.
func (n *newsroom) request(t *testing.T, entry string) request {
	t.Helper()
	return decode[request](t, n.must(t, "root", "GET", "{content}/{"+entry+"}/approval", "", 200))
}

// step is the order of the current step, 0 for none.
func (r request) step() int {
	if r.CurrentStep == nil {
		return 0
	}
	return r.CurrentStep.StepOrder
}

// decide has somebody act on the entry's request.
func (n *newsroom) decide(t *testing.T, who, entry, action, body string, status int) answer {
	t.Helper()
	return n.must(t, who, "POST", "{content}/{"+entry+"}/approval/"+action, body, status)
}

// approve has the three approvers approve in turn, the first count of them.
func (n *newsroom) approve(t *testing.T, entry string, count int) {
	t.Helper()
	for _, who := range []string{"chief", "legal", "head"}[:count] {
		n.decide(t, who, entry, "approve", "", 200)
	}
}

// public returns the entry as readers see it, nil when they do not.
func (n *newsroom) public(t *testing.T, entry string) map[string]any {
	t.Helper()
	a := n.as(t, "token read", "GET", "{public}/{"+entry+"}", "")
	if a.status == 404 {
		return nil
	}
	return decode[map[string]any](t, a)
}

// wantPublic fails unless readers see the entry with that title, "" for not at all.
func (n *newsroom) wantPublic(t *testing.T, entry, title string) {
	t.Helper()
	seen := n.public(t, entry)
	if title == "" && seen != nil || title != "" && seen["title"] != title {
		t.Errorf("readers see of %s %v, want %q", entry, seen, title)
	}
}

// wantStatus fails unless the entry's request has the status and waits at the step.
func (n *newsroom) wantStatus(t *testing.T, entry, status string, step int) request {
	t.Helper()
	r := n.request(t, entry)
	if r.Status != status || r.step() != step {
		t.Errorf("the request of %s is %s at step %d, want %s at %d", entry, r.Status, r.step(), status, step)
	}
	return r
}

// eachNewsroom runs a test on every engine.
func eachNewsroom(t *testing.T, test func(t *testing.T, n *newsroom)) {
	for engine, database := range databases(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			n := reviewing(t, database)
			test(t, n)
			if log := n.process.Output(); strings.Contains(log, `"level":"error"`) || strings.Contains(log, "panic") {
				t.Error("the log tells of faults")
			}
		})
	}
}
