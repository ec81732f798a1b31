package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestHostile attacks the real program on both engines. The tables give the expected
// responses, so both engines must respond alike.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			t.Run("group", func(t *testing.T) {
				for name, attack := range map[string]func(*testing.T, *site){
					"filters": attackFilters, "lists": attackLists, "caps": attackCaps, "drafts": attackDrafts,
					"values": attackValues, "bodies": attackBodies, "conditional": attackConditional,
					"credentials": attackCredentials, "abilities": attackAbilities, "budgets": attackBudgets,
					"other projects": attackOtherProjects, "paths": attackPaths, "methods": attackMethods,
					"origins": attackOrigins, "sessions": attackSessions, "roles": attackRoles, "races": attackRaces, "changes": attackChanges,
					"documents": attackDocuments, "requests": attackRequests, "persisted": attackPersisted,
				} {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						attack(t, s)
					})
				}
			})
			t.Run("guesses", func(t *testing.T) { attackSignIn(t, s) }) // last: it delays sign-ins from this address
			if log := s.process.Output(); strings.Contains(log, `"level":"error"`) || strings.Contains(log, "panic") {
				t.Error("the log contains errors")
			}
			if log := s.process.Output(); strings.Contains(log, s.tokens["full"]) || strings.Contains(log, password) {
				t.Error("the log contains a secret")
			}
		})
	}
}

// password is the password of every user.
const password = "a long password"

// site is a running program with an organisation to attack: the project Site with the
// collections pages, whose entries never change, and values, and the project Other.
type site struct {
	process        *program.Process
	database       string   // its URL
	base, ops      string   // base URLs of the service and of the operations listener
	session        []string // headers of the super admin's session
	tenant         int
	project, other int
	uuid, away     string // of Site, and of Other
	pages, values  int
	tokens         map[string]string // of Site by permission; "other" belongs to Other
	// Ids of entries of pages. alpha, beta, gamma and delta are published. draft and
	// german, a translation of alpha, are drafts. trashed was published and is in the
	// trash. beta refers to alpha, delta to draft, gamma to trashed. foreign is an entry of
	// Other.
	ids map[string]int
}

const fields = `[{"name":"title","type":"text"},{"name":"num","type":"number"},{"name":"ok","type":"boolean"},
	{"name":"day","type":"date"},{"name":"at","type":"datetime"},{"name":"clock","type":"time"},{"name":"extra","type":"json"},
	{"name":"tags","type":"text","multiple":true},{"name":"mail","type":"email"},{"name":"code","type":"text","unique":true},{"name":"rich","type":"richtext"},
	{"name":"pass","type":"password"},{"name":"secret","type":"text","hidden":true},
	{"name":"next","type":"relation","collection":"pages"},{"name":"many","type":"relation","collection":"pages","multiple":true}]`

var sites = newOriginals[site]()

// newSite starts the program on a database of its own with the organisation.
func newSite(t *testing.T, engine string, settings ...string) *site {
	t.Helper()
	original, database := sites.copy(t, engine, createSite)
	s := *original
	s.database, s.tokens, s.ids = database, maps.Clone(s.tokens), maps.Clone(s.ids)
	s.process, s.base, s.ops = serve(t, database, append(settings, "--rate-limit", "0")...)
	s.session = []string{original.session[0], "Origin: " + s.base}
	return &s
}

// createSite starts the program on an empty database and creates the organisation.
func createSite(t *testing.T, database string) (*site, *program.Process) {
	t.Helper()
	account := []string{"user", "create", "--email", "root@example.com", "--super-admin", "--database-url", database}
	if _, diagnostics, err := program.Run(t, "", append([]string{"migrate", "up"}, "--database-url", database)...); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	if _, diagnostics, err := program.Run(t, password+"\n", account...); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	s := &site{tokens: map[string]string{}, ids: map[string]int{}}
	s.process, s.base, s.ops = serve(t, database, "--rate-limit", "0")
	s.session = []string{signIn(t, s.base, "root@example.com", password), "Origin: " + s.base}

	s.tenant = s.create(t, "/tenants", `{"name":"Acme"}`)
	projects := fmt.Sprintf("/tenants/%d/projects", s.tenant)
	s.project = s.create(t, projects, `{"name":"Site","defaultLocale":"en","locales":["en","de"]}`)
	s.other = s.create(t, projects, `{"name":"Other","defaultLocale":"en","locales":["en","de"]}`)
	s.uuid, s.away = s.uuidOf(t, s.project), s.uuidOf(t, s.other)
	collections := fmt.Sprintf("/projects/%d/collections", s.project)
	s.pages = s.create(t, collections, `{"slug":"pages","name":"Pages","fields":`+fields+`}`)
	s.values = s.create(t, collections, `{"slug":"values","name":"Values","fields":`+fields+`}`)
	s.create(t, fmt.Sprintf("/projects/%d/collections", s.other), `{"slug":"pages","name":"Pages","fields":`+fields+`}`)
	for name, permissions := range map[string]string{
		"full":   `"abilities":["read","create","update","delete"],"allowDrafts":true`,
		"read":   `"abilities":["read"]`,
		"create": `"abilities":["create"]`,
		"update": `"abilities":["update"]`,
		"few":    `"abilities":["read"],"rateLimit":3`,
	} {
		s.tokens[name] = s.token(t, s.project, permissions)
	}
	s.tokens["other"] = s.token(t, s.other, `"abilities":["read","create","update","delete"],"allowDrafts":true`)

	s.createEntry(t, "alpha", `{"published":true,"fields":{"title":"Alpha","num":1,"ok":true,"day":"2020-01-02","at":"2020-01-02T03:04:05Z",
		"clock":"03:04","extra":{"x":1},"tags":["x","y"],"pass":"canary pass"}}`)
	if a := s.send(t, "", "PATCH", "{content}/{alpha}", `{"fields":{"secret":"canary secret"}}`, s.session...); a.status != 200 {
		t.Fatalf("writing a hidden field answered %d: %s", a.status, a.body)
	}
	s.createEntry(t, "beta", `{"published":true,"fields":{"title":"Beta","num":2.5,"next":{alpha},"many":[{alpha}]}}`)
	s.createEntry(t, "draft", `{"fields":{"title":"canary draft","num":3,"next":{alpha}}}`)
	s.createEntry(t, "german", `{"translationOf":{alpha},"locale":"de","fields":{"title":"canary german"}}`)
	s.createEntry(t, "trashed", `{"published":true,"fields":{"title":"canary trashed"}}`)
	s.createEntry(t, "gamma", `{"published":true,"fields":{"title":"Gamma","next":{trashed}}}`)
	s.createEntry(t, "delta", `{"published":true,"fields":{"title":"Delta","next":{draft},"many":[{draft},{alpha}]}}`)
	if a := s.send(t, "full", "DELETE", "{pages}/{trashed}", ""); a.status != 204 {
		t.Fatalf("trashing answered %d: %s", a.status, a.body)
	}
	a := s.send(t, "other", "POST", "{theirs}", `{"published":true,"fields":{"title":"canary foreign"}}`)
	s.ids["foreign"] = int(decode[map[string]any](t, a)["id"].(float64))
	return s, s.process
}

// create creates an object under /api and returns its id.
func (s *site) create(t *testing.T, path, body string) int {
	t.Helper()
	a := call(t, "POST", s.base+"/api"+path, body, s.session...)
	if a.status != 201 {
		t.Fatalf("POST %s answered %d: %s", path, a.status, a.body)
	}
	return int(decode[map[string]any](t, a)["id"].(float64))
}

// token creates a token of a project and returns its secret.
func (s *site) token(t *testing.T, project int, permissions string) string {
	t.Helper()
	a := call(t, "POST", fmt.Sprintf("%s/api/projects/%d/tokens", s.base, project), `{"name":"A token",`+permissions+`}`, s.session...)
	if a.status != 201 {
		t.Fatalf("creating a token answered %d: %s", a.status, a.body)
	}
	return decode[struct{ Secret string }](t, a).Secret
}

func (s *site) uuidOf(t *testing.T, project int) string {
	t.Helper()
	return decode[struct{ UUID string }](t, call(t, "GET", fmt.Sprintf("%s/api/projects/%d", s.base, project), "", s.session...)).UUID
}

// createEntry creates an entry of pages and stores its id under name.
func (s *site) createEntry(t *testing.T, name, body string) {
	t.Helper()
	a := s.send(t, "full", "POST", "{pages}", body)
	if a.status != 201 {
		t.Fatalf("writing %s answered %d: %s", name, a.status, a.body)
	}
	s.ids[name] = int(decode[map[string]any](t, a)["id"].(float64))
}

// fill replaces the names in braces in a path or a body.
func (s *site) fill(text string) string {
	names := map[string]string{
		"P": "/public/v2/projects/" + s.uuid, "O": "/public/v2/projects/" + s.away,
		"pages":  "/public/v2/projects/" + s.uuid + "/collections/pages/entries",
		"values": "/public/v2/projects/" + s.uuid + "/collections/values/entries",
		"theirs": "/public/v2/projects/" + s.away + "/collections/pages/entries",
		"tenant": fmt.Sprint("/api/tenants/", s.tenant), "project": fmt.Sprint("/api/projects/", s.project),
		"content": fmt.Sprintf("/api/projects/%d/collections/%d/content", s.project, s.pages),
	}
	for name, id := range s.ids {
		names[name] = fmt.Sprint(id)
	}
	var pairs []string
	for name, text := range names {
		pairs = append(pairs, "{"+name+"}", text)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// send sends a request with a token, or without one when token is empty. A status of 500 or
// more fails the test.
func (s *site) send(t *testing.T, token, method, path, body string, header ...string) response {
	t.Helper()
	if token != "" {
		header = append(header, "Authorization: Bearer "+s.tokens[token])
	}
	a := call(t, method, s.base+s.fill(path), s.fill(body), header...)
	if a.status >= 500 {
		t.Errorf("%s %s answered %d: %s", method, path, a.status, a.body)
	}
	return a
}

// query sends a GraphQL query; variables may be nil.
func (s *site) query(t *testing.T, token, query string, variables any) reply {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	a := call(t, "POST", s.base+"/public/v2/graphql", string(body), "Authorization: Bearer "+s.tokens[token])
	if a.status >= 500 {
		t.Errorf("%.100s answered %d: %s", query, a.status, a.body)
	}
	return readReply(t, a)
}

// reply is a decoded GraphQL response.
type reply struct {
	response
	Data   map[string]any
	Errors []struct {
		Message    string
		Extensions struct{ Code string }
	}
}

func readReply(t *testing.T, a response) reply {
	t.Helper()
	r := decode[reply](t, a)
	r.response = a
	return r
}

// code returns the code of the first error, "" without errors.
func (r reply) code() string {
	if len(r.Errors) == 0 {
		return ""
	}
	return r.Errors[0].Extensions.Code
}

// problem is a REST error.
type problem struct {
	Type, Title, Detail, Instance, Code, RequestID string
	Status                                         int
	Errors                                         []struct{ Message, Location string }
}

// wantProblem fails unless a is a complete problem document of that status.
func wantProblem(t *testing.T, a response, status int) problem {
	t.Helper()
	if a.status != status {
		t.Errorf("answered %d, want %d: %.300s", a.status, status, a.body)
		return problem{}
	}
	p := decode[problem](t, a)
	decode[map[string]any](t, a) // numbers must fit doubles, too
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("the problem's Content-Type is %q", kind)
	}
	if p.Status != status || p.Type == "" || p.Title == "" || p.Detail == "" || p.Code == "" || p.RequestID != a.header.Get("X-Request-Id") {
		t.Errorf("the problem is incomplete: %s", a.body)
	}
	return p
}

// param returns one query parameter, encoded.
func param(name, value string) string { return url.QueryEscape(name) + "=" + url.QueryEscape(value) }

// sendTyped sends a body with the given Content-Type.
func (s *site) sendTyped(t *testing.T, method, path, body, kind string) response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.base+s.fill(path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Authorization", "Bearer "+s.tokens["full"])
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, text}
}
