package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"imprimatur/test/program"
)

// newsroom is a running program with an organisation whose content is reviewed. The project
// Site belongs to the department Newsroom, whose workflow has three steps: a project admin,
// a holder of the role Legal, a department admin. The project Open belongs to the
// department Marketing, which has no workflow.
type newsroom struct {
	process  *program.Process
	database string
	base     string // of every URL
	ops      string
	uuid     string // of Site
	users    *userCache
	ids      map[string]int // of everything created, by name
}

// userCache holds the users that send requests. Users that few tests need are created on first use.
type userCache struct {
	creating sync.Mutex // serialises creation
	mutex    sync.Mutex
	headers  map[string][]string // request headers by user name
	ids      map[string]int      // user ids by name
}

// membership is what a user may do: the path that assigns it, and the role.
type membership struct{ path, role string }

var memberships = map[string]membership{
	"tenantAdmin": {"/api/tenants/{tenant}/members/", "tenant_admin"},
	"head":        {"/api/departments/{newsroom}/members/", "department_admin"},
	"chief":       inSite("admin"), "second": inSite("admin"), "editor": inSite("editor"), "viewer": inSite("viewer"),
	"legal":    {"/api/departments/{newsroom}/custom-roles/{legalRole}/holders/", ""},
	"brand":    {"/api/departments/{marketing}/custom-roles/{brandRole}/holders/", ""},
	"blogger":  {"/api/projects/{open}/members/", "admin"},
	"outsider": {},
}

func inSite(role string) membership { return membership{"/api/projects/{site}/members/", role} }

const reviewed = `[{"name":"title","type":"text","required":true},{"name":"slug","type":"slug","source":"title"},{"name":"views","type":"number"},
	{"name":"code","type":"text","unique":true},{"name":"note","type":"text","hidden":true},{"name":"pass","type":"password"},
	{"name":"next","type":"relation","collection":"articles"},{"name":"many","type":"relation","collection":"articles","multiple":true}]`

var newsrooms = newOriginals[newsroom]()

// newNewsroom starts the program on a database of its own with the organisation and with settings.
func newNewsroom(t *testing.T, engine string, settings ...string) *newsroom {
	t.Helper()
	original, database := newsrooms.copy(t, engine, createNewsroom)
	n := *original
	n.database, n.ids = database, maps.Clone(n.ids)
	n.process, n.base, n.ops = serve(t, database, append([]string{"--rate-limit", "0", "--webhook-allow", "127.0.0.1/32"}, settings...)...)
	n.users = &userCache{headers: map[string][]string{}, ids: maps.Clone(n.users.ids)}
	for user, headers := range original.users.headers {
		headers = slices.Clone(headers)
		for i, line := range headers {
			if strings.HasPrefix(line, "Origin: ") {
				headers[i] = "Origin: " + n.base
			}
		}
		n.users.headers[user] = headers
	}
	return &n
}

// createNewsroom starts the program on an empty database and creates the organisation, with the
// users that most tests need.
func createNewsroom(t *testing.T, database string) (*newsroom, *program.Process) {
	t.Helper()
	at := []string{"--database-url", database}
	if _, diagnostics, err := program.Run(t, "", append([]string{"migrate", "up"}, at...)...); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	if _, diagnostics, err := program.Run(t, password+"\n", append([]string{"user", "create", "--email", "root@example.com", "--super-admin"}, at...)...); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	n := &newsroom{database: database, users: &userCache{headers: map[string][]string{"": nil}, ids: map[string]int{}}, ids: map[string]int{}}
	n.process, n.base, n.ops = serve(t, database, "--rate-limit", "0")
	n.users.headers["root"] = []string{signIn(t, n.base, "root@example.com", password), "Origin: " + n.base}
	n.create(t, "tenant", "/api/tenants", `{"name":"Meridian"}`)
	n.create(t, "newsroom", "/api/tenants/{tenant}/departments", `{"name":"Newsroom"}`)
	n.create(t, "marketing", "/api/tenants/{tenant}/departments", `{"name":"Marketing"}`)
	n.create(t, "legalRole", "/api/departments/{newsroom}/custom-roles", `{"name":"Legal"}`)
	n.create(t, "brandRole", "/api/departments/{marketing}/custom-roles", `{"name":"Brand"}`)
	n.create(t, "site", "/api/tenants/{tenant}/projects", `{"name":"Site","departmentId":{newsroom},"defaultLocale":"en","locales":["en","de"]}`)
	n.create(t, "open", "/api/tenants/{tenant}/projects", `{"name":"Open","departmentId":{marketing},"defaultLocale":"en","locales":["en"]}`)
	for _, project := range []string{"site", "open"} {
		n.create(t, project+"Articles", "/api/projects/{"+project+"}/collections", `{"slug":"articles","name":"Articles","fields":`+reviewed+`}`)
	}
	for name, permissions := range map[string]string{
		"full": `"abilities":["read","create","update","delete"],"allowDrafts":true`, "read": `"abilities":["read"]`,
	} {
		a := n.mustSend(t, "root", "POST", "/api/projects/{site}/tokens", `{"name":"`+name+`",`+permissions+`}`, 201)
		n.users.headers["token "+name] = []string{"Authorization: Bearer " + decode[struct{ Secret string }](t, a).Secret}
	}
	n.uuid = decode[struct{ UUID string }](t, n.mustSend(t, "root", "GET", "/api/projects/{site}", "", 200)).UUID
	n.setWorkflow(t)
	for _, user := range []string{"editor", "chief", "legal", "head"} {
		n.headers(t, user)
	}
	return n, n.process
}

// setWorkflow sets the three-step workflow of the department Newsroom.
func (n *newsroom) setWorkflow(t *testing.T) {
	t.Helper()
	n.mustSend(t, "tenantAdmin", "PUT", "/api/departments/{newsroom}/approval-workflow", `{"steps":[
		{"stepOrder":1,"requiredRoleKind":"admin","stepLabel":"Desk"},
		{"stepOrder":2,"requiredRoleKind":"admin","requiredCustomRoleId":{legalRole},"stepLabel":"Legal"},
		{"stepOrder":3,"requiredRoleKind":"department_admin","stepLabel":"Head"}]}`, 200)
}

// headers returns the headers of a user's requests. It creates the user on first use.
func (n *newsroom) headers(t *testing.T, user string) []string {
	t.Helper()
	if headers, ok := n.users.cached(user); ok {
		return headers
	}
	n.users.creating.Lock()
	defer n.users.creating.Unlock()
	if headers, ok := n.users.cached(user); ok { // created meanwhile
		return headers
	}
	m, ok := memberships[user]
	if !ok {
		t.Fatalf("unknown user %s", user)
	}
	return n.createUser(t, user, m)
}

func (s *userCache) cached(user string) (headers []string, ok bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	headers, ok = s.headers[user]
	return headers, ok
}

// createUser creates a user with a membership, signs it in and returns its headers.
func (n *newsroom) createUser(t *testing.T, name string, m membership) []string {
	t.Helper()
	a := n.mustSend(t, "root", "POST", "/api/users", `{"tenantId":{tenant},"email":"`+name+`@example.com","name":"`+name+`","password":"`+firstPassword+`"}`, 201)
	id := int(decode[map[string]any](t, a)["id"].(float64))
	switch {
	case m.role != "":
		n.mustSend(t, "root", "PUT", fmt.Sprint(m.path, id), `{"role":"`+m.role+`"}`, 200)
	case m.path != "":
		n.mustSend(t, "root", "PUT", fmt.Sprint(m.path, id), "", 204)
	}
	headers := []string{signInFirst(t, n.base, id, name+"@example.com"), "Origin: " + n.base}
	n.users.mutex.Lock()
	defer n.users.mutex.Unlock()
	n.users.headers[name], n.users.ids[name] = headers, id
	return headers
}

// fill replaces the names in braces in a path or a body with their ids.
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
	n.users.mutex.Lock()
	defer n.users.mutex.Unlock()
	for name, id := range n.users.ids {
		pairs = append(pairs, "{"+name+"}", fmt.Sprint(id))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// send sends a request as a user, or without credentials when user is empty. A status of 500
// or more fails the test.
func (n *newsroom) send(t *testing.T, user, method, path, body string, header ...string) response {
	t.Helper()
	a := call(t, method, n.base+n.fill(path), n.fill(body), append(slices.Clone(header), n.headers(t, user)...)...)
	if a.status >= 500 {
		t.Errorf("%s: %s %s answered %d: %s", user, method, path, a.status, a.body)
	}
	return a
}

// mustSend sends a request and requires the status.
func (n *newsroom) mustSend(t *testing.T, user, method, path, body string, status int, header ...string) response {
	t.Helper()
	a := n.send(t, user, method, path, body, header...)
	if a.status != status {
		t.Fatalf("%s: %s %s answered %d, want %d: %s", user, method, n.fill(path), a.status, status, a.body)
	}
	return a
}

// create creates an object as root and stores its id under name.
func (n *newsroom) create(t *testing.T, name, path, body string) int {
	t.Helper()
	n.ids[name] = int(decode[map[string]any](t, n.mustSend(t, "root", "POST", path, body, 201))["id"].(float64))
	return n.ids[name]
}

// createEntry creates an entry of Site as the editor and stores its id under name.
func (n *newsroom) createEntry(t *testing.T, name, body string) {
	t.Helper()
	n.ids[name] = int(decode[map[string]any](t, n.mustSend(t, "editor", "POST", "{content}", body, 201))["id"].(float64))
}

// submit creates an entry as the editor and requests its publication.
func (n *newsroom) submit(t *testing.T, name, title string) request {
	t.Helper()
	n.createEntry(t, name, `{"published":true,"fields":{"title":"`+title+`"}}`)
	return n.request(t, name)
}

// request is an approval request.
type request struct {
	ID                   int
	ReleaseNumber        string
	Status               string
	CurrentStep          *struct{ StepOrder int }
	ContentHash          string
	Snapshot             map[string]any
	ContentChanged       bool
	ScheduledPublishAt   *string
	ScheduledUnpublishAt *string
	PublishedAt          *string
	CanAct               bool
	Actions              []struct {
		Type        string
		StepOrder   *int
		Comment     *string
		ContentHash string
	}
}

// request returns the entry's open or latest approval request.
func (n *newsroom) request(t *testing.T, entry string) request {
	t.Helper()
	return decode[request](t, n.mustSend(t, "root", "GET", "{content}/{"+entry+"}/approval", "", 200))
}

// step returns the order of the current step, 0 for none.
func (r request) step() int {
	if r.CurrentStep == nil {
		return 0
	}
	return r.CurrentStep.StepOrder
}

// decide applies an action of a user to the entry's request.
func (n *newsroom) decide(t *testing.T, user, entry, action, body string, status int) response {
	t.Helper()
	return n.mustSend(t, user, "POST", "{content}/{"+entry+"}/approval/"+action, body, status)
}

// approve approves the first count steps, each as its approver.
func (n *newsroom) approve(t *testing.T, entry string, count int) {
	t.Helper()
	for _, user := range []string{"chief", "legal", "head"}[:count] {
		n.decide(t, user, entry, "approve", "", 200)
	}
}

// public returns the entry as the public API shows it, nil for 404.
func (n *newsroom) public(t *testing.T, entry string) map[string]any {
	t.Helper()
	a := n.send(t, "token read", "GET", "{public}/{"+entry+"}", "")
	if a.status == 404 {
		return nil
	}
	return decode[map[string]any](t, a)
}

// wantPublic fails unless the entry is public with that title. An empty title means not public.
func (n *newsroom) wantPublic(t *testing.T, entry, title string) {
	t.Helper()
	seen := n.public(t, entry)
	if title == "" && seen != nil || title != "" && seen["title"] != title {
		t.Errorf("%s is public as %v, want title %q", entry, seen, title)
	}
}

// wantStatus fails unless the entry's request has the status and the current step.
func (n *newsroom) wantStatus(t *testing.T, entry, status string, step int) request {
	t.Helper()
	r := n.request(t, entry)
	if r.Status != status || r.step() != step {
		t.Errorf("the request of %s is %s at step %d, want %s at %d", entry, r.Status, r.step(), status, step)
	}
	return r
}

// forEachEngine runs a test on each engine with a newsroom of its own.
func forEachEngine(t *testing.T, test func(t *testing.T, n *newsroom)) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			n := newNewsroom(t, engine)
			test(t, n)
			n.checkLog(t)
		})
	}
}

func (n *newsroom) checkLog(t *testing.T) {
	t.Helper()
	if log := n.process.Output(); strings.Contains(log, `"level":"error"`) || strings.Contains(log, "panic") {
		t.Error("the log contains errors")
	}
}
