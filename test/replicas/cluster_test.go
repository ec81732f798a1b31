// Package replicas tests several processes of the real program as one installation, on real
// Postgres and Redis servers, while parts of it fail or restart.
package replicas

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"imprimatur/test/await"
	"imprimatur/test/program"
)

var soak = flag.Bool("soak", false, "run many rounds, as before a release")

func TestMain(m *testing.M) {
	if address := os.Getenv("TEST_PSQL"); address != "" { // see TestProduction
		if err := psql(address, os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(program.Main(m))
}

// replica is one process.
type replica struct {
	process   *program.Process
	base, ops string
}

var serving = regexp.MustCompile(`imprimatur serves on (\S+) \(operations on (\S+)\)`)

// launch starts a replica with the settings of the installation.
func launch(t *testing.T, settings []string) *replica {
	t.Helper()
	args := []string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--blob-url", "mem://"}
	p := program.Launch(t, append(args, settings...)...)
	p.Await(t, "the service", func() bool { return serving.MatchString(p.Output()) })
	found := serving.FindStringSubmatch(p.Output())
	return &replica{p, found[1], found[2]}
}

// installation is three replicas with a project.
type installation struct {
	settings []string
	replicas []*replica
	root     []string // headers of the super admin
	project  int
	uuid     string
}

// password is the password of every user.
const password = "a long password"

// newInstallation starts three replicas on a database and creates the project.
func newInstallation(t *testing.T, settings ...string) *installation {
	t.Helper()
	return newInstallationWith(t, func(int) []string { return nil }, settings...)
}

// newInstallationWith is newInstallation with own settings per replica.
func newInstallationWith(t *testing.T, own func(n int) []string, settings ...string) *installation {
	t.Helper()
	if _, diagnostics, err := program.Run(t, password+"\n", append([]string{"user", "create", "--email", "root@example.com", "--super-admin"}, settings...)...); err != nil {
		t.Fatalf("%v: %s", err, diagnostics)
	}
	in := &installation{settings: settings}
	for n := range 3 {
		in.replicas = append(in.replicas, launch(t, append(own(n), settings...)))
	}
	in.root = []string{in.signIn(t, "root@example.com", password)}
	tenant := in.create(t, "/tenants", `{"name":"Acme"}`)
	in.project = in.create(t, fmt.Sprintf("/tenants/%d/projects", tenant), `{"name":"Site","defaultLocale":"en","locales":["en"]}`)
	in.uuid = decode[struct{ UUID string }](t, in.mustCall(t, 0, "GET", fmt.Sprintf("/api/projects/%d", in.project), "")).UUID
	in.create(t, fmt.Sprintf("/projects/%d/collections", in.project), `{"slug":"pages","name":"Pages","fields":[{"name":"title","type":"text"}]}`)
	return in
}

// response is an HTTP response with its whole body, and the time at which its request was sent.
type response struct {
	status int
	header http.Header
	body   []byte
	began  time.Time
	took   time.Duration
}

// client opens a connection per request, because replicas restart.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}

// request sends one request; header lines are "Name: value".
func request(ctx context.Context, method, url, body string, header ...string) (response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	began := time.Now()
	resp, err := client.Do(r)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, text, began, time.Since(began)}, err
}

// call sends one request to a replica and requires a response.
func (in *installation) call(t *testing.T, replica int, method, path, body string, header ...string) response {
	t.Helper()
	base := in.replicas[replica].base
	a, err := request(t.Context(), method, base+path, body, append(header, "Origin: "+base)...)
	if err != nil {
		t.Fatalf("%s %s on replica %d: %v", method, path, replica, err)
	}
	return a
}

// mustCall sends a request as the super admin and requires success.
func (in *installation) mustCall(t *testing.T, replica int, method, path, body string) response {
	t.Helper()
	a := in.call(t, replica, method, path, body, in.root...)
	if a.status >= 300 {
		t.Fatalf("%s %s on replica %d answered %d: %s", method, path, replica, a.status, a.body)
	}
	return a
}

func decode[T any](t *testing.T, a response) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(a.body, &value); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return value
}

// create creates an object under /api on the first replica and returns its id.
func (in *installation) create(t *testing.T, path, body string) int {
	t.Helper()
	return decode[struct{ ID int }](t, in.mustCall(t, 0, "POST", "/api"+path, body)).ID
}

// firstPassword is the password of an account that an admin creates in a test. Its user changes it
// to password.
const firstPassword = password + " at first"

// signInFirst changes the first password of a user and returns the cookie of a new session.
func (in *installation) signInFirst(t *testing.T, id int, email string) string {
	t.Helper()
	first := in.signIn(t, email, firstPassword)
	body := fmt.Sprintf(`{"current":%q,"new":%q}`, firstPassword, password)
	if a := in.call(t, 0, "PUT", fmt.Sprintf("/api/users/%d/password", id), body, first); a.status != 204 {
		t.Fatalf("the change of the first password answered %d: %s", a.status, a.body)
	}
	return in.signIn(t, email, password)
}

// signIn returns the cookie of a new session.
func (in *installation) signIn(t *testing.T, email, password string) string {
	t.Helper()
	a := in.call(t, 0, "POST", "/api/session", fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
	if a.status != 200 {
		t.Fatalf("sign-in answered %d: %s", a.status, a.body)
	}
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return "Cookie: " + cookie
}

// token creates a token with a limit per minute and returns its header and its path.
func (in *installation) token(t *testing.T, limit int) (header, path string) {
	t.Helper()
	tokens := fmt.Sprintf("/api/projects/%d/tokens", in.project)
	a := in.mustCall(t, 0, "POST", tokens, fmt.Sprintf(`{"name":"T","abilities":["read","create","update"],"rateLimit":%d}`, limit))
	made := decode[struct {
		ID     int
		Secret string
	}](t, a)
	return "Authorization: Bearer " + made.Secret, tokens + "/" + strconv.Itoa(made.ID)
}

// pages returns the path of the project's entries.
func (in *installation) pages() string {
	return "/public/v2/projects/" + in.uuid + "/collections/pages/entries"
}

// metric returns the value of a replica's metric, 0 if it does not exist.
func (r *replica) metric(t *testing.T, name string) float64 {
	t.Helper()
	a, err := request(t.Context(), "GET", r.ops+"/metrics", "")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(a.body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return number
		}
	}
	return 0
}

// sum returns the sum of a metric over the replicas.
func (in *installation) sum(t *testing.T, name string) (total float64) {
	t.Helper()
	for _, r := range in.replicas {
		total += r.metric(t, name)
	}
	return total
}

// awaitFeed waits until the change feed of every replica is live.
func (in *installation) awaitFeed(t *testing.T) {
	t.Helper()
	await.Until(t, "the change feed", func() bool { return in.sum(t, "imprimatur_change_feed_live") == float64(len(in.replicas)) })
}
