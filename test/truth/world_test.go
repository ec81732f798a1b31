package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/test/program"
)

const password = "a long password"

// world is a running installation with two projects: the site, whose articles editors change, and the
// agency, whose articles only the importer changes and no workflow governs.
type world struct {
	t        *testing.T
	database string
	settings []string // of all processes

	processes []*program.Process
	bases     []string // of the processes
	kills     bool     // a process may be gone at any time

	random *rand.Rand
	client *http.Client

	root         []string // headers
	desk, bureau int      // departments, with and without a workflow
	site, agency *project

	left    atomic.Int64 // operations to make
	made    atomic.Int64
	refused atomic.Int64 // by the state of an entry or a rule
	faults  atomic.Int64 // differences

	mutex   sync.Mutex
	entries []int          // articles of the site, destroyed ones too
	notes   []int          // of the site, not destroyed
	media   []int          // in the library
	bytes   map[int]string // of each medium ever
	doors   []*door
	fetches []fetch
	writes  map[int][]span // when each article was written; 0: when the project was changed
	load    []sample
	quick   time.Duration // of load; 0: not computed yet
	scratch string        // a file that measureLoad writes
}

// project is a project with the collection "articles".
type project struct {
	id              int
	collection      int // of the articles
	notes           int // a collection
	uuid            string
	reader, history []string // headers
}

// fetch is the answer to a request for a file.
type fetch struct {
	medium  int
	version version // that showed the file
	ended   time.Time
	status  int
	bytes   string
}

var serving = regexp.MustCompile(`imprimatur serves on (\S+)`)

func newWorld(t *testing.T, database string, processes int, random *rand.Rand, more ...string) *world {
	t.Helper()
	w := &world{
		t: t, database: database, random: random, bytes: map[int]string{}, writes: map[int][]span{}, scratch: filepath.Join(t.TempDir(), "scratch"),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: time.Minute},
	}
	t.Cleanup(w.client.CloseIdleConnections)
	settings := []string{"--database-url", database}
	w.command("migrate up", "", append([]string{"migrate", "up"}, settings...)...)
	w.command("user create", password+"\n", append([]string{"user", "create", "--email", "root@example.com", "--super-admin"}, settings...)...)
	w.settings = append([]string{"--ops-listen", "127.0.0.1:0", "--rate-limit", "0", "--blob-url", "file:" + t.TempDir(), "--log-level", "error"}, append(settings, more...)...)
	for n := range processes {
		w.bases = append(w.bases, "")
		w.processes = append(w.processes, w.launch(n, "127.0.0.1:0"))
		w.bases[n] = serving.FindStringSubmatch(w.processes[n].Output())[1]
	}
	w.organise()
	return w
}

// launch starts process n.
func (w *world) launch(n int, address string) *program.Process {
	w.t.Helper()
	own := []string{"--read-cache-mb", "0"}
	if n > 0 {
		own = []string{"--media-base-url", w.bases[0]} // so that the answers of all processes are equal
	}
	p := program.Launch(w.t, slices.Concat([]string{"serve", "--listen", address}, own, w.settings)...)
	p.Await(w.t, "the service", func() bool { return serving.MatchString(p.Output()) })
	return p
}

// kill ends process n without a warning, and starts it again at its address.
func (w *world) kill(n int) {
	w.t.Helper()
	w.processes[n].Kill(w.t)
	w.processes[n] = w.launch(n, strings.TrimPrefix(w.bases[n], "http://"))
}

// command runs the program to its end, which must succeed.
func (w *world) command(what, stdin string, args ...string) {
	w.t.Helper()
	if _, diagnostics, err := program.Run(w.t, stdin, args...); err != nil {
		w.t.Errorf("%s: %v: %s", what, err, diagnostics)
	}
}

// organise creates the project, its collections, workflows and tokens.
func (w *world) organise() {
	w.t.Helper()
	a := w.must(http.MethodPost, "/api/session", `{"email":"root@example.com","password":"`+password+`"}`)
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	w.root = []string{"Cookie: " + cookie, "Origin: " + w.bases[0]}
	tenant := w.create("/api/tenants", `{"name":"Acme"}`)
	departments := fmt.Sprintf("/api/tenants/%d/departments", tenant)
	w.desk, w.bureau = w.create(departments, `{"name":"Desk"}`), w.create(departments, `{"name":"Bureau"}`)
	w.must(http.MethodPut, fmt.Sprintf("/api/departments/%d/approval-workflow", w.desk), workflow)
	w.site, w.agency = w.newProject(tenant), w.newProject(tenant)
}

const workflow = `{"steps":[{"stepOrder":1,"requiredRoleKind":"admin"}],"allowSelfApproval":true}`

// newProject creates a project in the department without a workflow.
func (w *world) newProject(tenant int) *project {
	w.t.Helper()
	p := &project{id: w.create(fmt.Sprintf("/api/tenants/%d/projects", tenant), fmt.Sprintf(`{"name":"P","departmentId":%d,"defaultLocale":"en","locales":["en"]}`, w.bureau))}
	p.uuid = decode[struct{ UUID string }](w.t, w.must(http.MethodGet, p.path(""), "")).UUID
	w.create(p.path("/components"), `{"slug":"part","name":"Part","fields":[{"name":"words","type":"text"},{"name":"cover","type":"media"}]}`)
	p.notes = w.create(p.path("/collections"), `{"slug":"notes","name":"Notes","fields":[{"name":"title","type":"text"}]}`)
	p.collection = w.create(p.path("/collections"), `{"slug":"articles","name":"Articles","fields":[
		{"name":"title","type":"text","required":true},{"name":"code","type":"text","unique":true},
		{"name":"cover","type":"media"},{"name":"shots","type":"media","multiple":true},
		{"name":"parts","type":"blocks","components":["part"]},
		{"name":"related","type":"relation","collection":"articles","multiple":true},
		{"name":"see","type":"relation","collections":["articles","notes"],"multiple":true},{"name":"body","type":"richtext"}]}`)
	token := func(body string) []string {
		a := w.must(http.MethodPost, p.path("/tokens"), body)
		return []string{"Authorization: Bearer " + decode[struct{ Secret string }](w.t, a).Secret}
	}
	p.reader = token(`{"name":"reader","abilities":["read"]}`)
	p.history = token(`{"name":"history","abilities":["read"],"allowHistory":true}`)
	return p
}

// path returns a path below the project.
func (p *project) path(rest string) string { return fmt.Sprintf("/api/projects/%d%s", p.id, rest) }

// content returns a path below an article.
func (p *project) content(id int, rest string) string {
	return p.path(fmt.Sprintf("/collections/%d/content/%d%s", p.collection, id, rest))
}

// public returns the path of the articles for readers.
func (p *project) public() string {
	return "/public/v2/projects/" + p.uuid + "/collections/articles/entries"
}

// response is an HTTP response, read whole.
type response struct {
	status       int
	header       http.Header
	body         []byte
	began, ended time.Time
}

// call sends one request; header lines are "Name: value".
func (w *world) call(ctx context.Context, method, url, body string, header ...string) (response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if strings.HasPrefix(body, "--"+boundary) {
		r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	began := time.Now()
	resp, err := w.client.Do(r)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // read whole
	text, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, text, began, time.Now()}, err
}

const boundary = "truth"

// must sends a request as the super admin to the first process, which must accept it.
func (w *world) must(method, path, body string) response {
	w.t.Helper()
	a, err := w.call(w.t.Context(), method, w.bases[0]+path, body, w.root...)
	if err != nil || a.status >= http.StatusMultipleChoices {
		w.t.Fatalf("%s %s with %s: %v, %d: %s", method, path, body, err, a.status, a.body)
	}
	return a
}

func (w *world) create(path, body string) int {
	w.t.Helper()
	return decode[struct{ ID int }](w.t, w.must(http.MethodPost, path, body)).ID
}

func decode[T any](t *testing.T, a response) T {
	t.Helper()
	var value T
	if err := json.NewDecoder(bytes.NewReader(a.body)).Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return value
}
