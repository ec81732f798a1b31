package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"

	"github.com/pquerna/otp/totp"
)

// databases returns an empty database of each engine by the engine's name.
func databases(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"SQLite":   "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db"),
		"Postgres": postgrestest.New(t),
	}
}

var serving = regexp.MustCompile(`imprimatur serves on (\S+) \(operations on (\S+)\)`)

// serve launches the service on a database and returns its two addresses.
func serve(t *testing.T, database string, args ...string) (p *program.Process, base, ops string) {
	t.Helper()
	p = program.Launch(t, append([]string{"serve", "--database-url", database, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}, args...)...)
	p.Await(t, "the service", func() bool { return serving.MatchString(p.Output()) })
	found := serving.FindStringSubmatch(p.Output())
	return p, found[1], found[2]
}

// signIn returns the session cookie of a user.
func signIn(t *testing.T, base, email, password string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	a := call(t, "POST", base+"/api/session", string(body))
	if a.status != 200 {
		t.Fatalf("sign-in answered %d: %s", a.status, a.body)
	}
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return "Cookie: " + cookie
}

// firstPassword is the password of an account that an admin creates in a test. Its user changes it
// to password.
const firstPassword = password + " at first"

// signInFirst signs a user in whose account an admin has created with firstPassword, and changes
// the password. It returns the header with the session.
func signInFirst(t *testing.T, base string, id int, email string) string {
	t.Helper()
	first := signIn(t, base, email, firstPassword)
	body := fmt.Sprintf(`{"current":%q,"new":%q}`, firstPassword, password)
	if a := call(t, "PUT", fmt.Sprintf("%s/api/users/%d/password", base, id), body, first, "Origin: "+base); a.status != 204 {
		t.Fatalf("the change of the first password answered %d: %s", a.status, a.body)
	}
	return signIn(t, base, email, password)
}

// TestOperatorsPath sets the service up on both engines as an operator would: migration,
// first account, organisation through the API, token, import and export.
func TestOperatorsPath(t *testing.T) {
	t.Parallel()
	for engine, database := range databases(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			at := []string{"--database-url", database}
			must := func(stdin string, args ...string) string {
				t.Helper()
				out, diagnostics, err := program.Run(t, stdin, append(args, at...)...)
				if err != nil {
					t.Fatalf("%v: %v\n%s%s", args, err, out, diagnostics)
				}
				return out
			}
			if out := must("", "migrate", "status"); strings.Contains(out, "applied") || !strings.Contains(out, "missing") {
				t.Errorf("status of an empty database: %s", out)
			}
			if out := must("", "migrate", "up"); strings.Contains(out, "missing") || !strings.Contains(out, "applied") {
				t.Errorf("status after migrate up: %s", out)
			}
			must("a long password\n", "user", "create", "--email", "Root@Example.com", "--super-admin")

			_, base, _ := serve(t, database)
			cookie := signIn(t, base, "root@example.com", "a long password")
			post := func(path, body string) map[string]any {
				t.Helper()
				a := call(t, "POST", base+"/api"+path, body, cookie, "Origin: "+base)
				if a.status != 201 {
					t.Fatalf("POST %s answered %d: %s", path, a.status, a.body)
				}
				return decode[map[string]any](t, a)
			}
			id := func(thing map[string]any) string { return strconv.Itoa(int(thing["id"].(float64))) }
			if out := must("", "user", "sessions", "--email", "root@example.com"); !strings.Contains(out, "127.0.0.1") || strings.Count(out, "\n") != 1 {
				t.Errorf("sessions: %s", out)
			}
			must("another long password\n", "user", "reset", "--email", "Root@example.com")
			if a := call(t, "GET", base+"/api/me/settings", "", cookie); a.status != 401 {
				t.Errorf("a session from before the reset answered %d", a.status)
			}
			cookie = signIn(t, base, "root@example.com", "another long password")
			app := post("/me/totp", "")["secret"].(string)
			code, err := totp.GenerateCode(app, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if a := call(t, "POST", base+"/api/me/totp/confirm", `{"code":"`+code+`"}`, cookie, "Origin: "+base); a.status != 200 {
				t.Fatalf("confirming an app answered %d: %s", a.status, a.body)
			}
			if out := must("", "user", "factors", "--email", "root@example.com"); !strings.Contains(out, "authenticator app: true, passkeys: 0, recovery codes: 10") {
				t.Errorf("factors: %s", out)
			}
			if a := call(t, "POST", base+"/api/session", `{"email":"root@example.com","password":"another long password"}`); a.status != 202 {
				t.Errorf("signing in with the password alone answered %d", a.status)
			}
			if out := must("", "user", "factors", "--email", "root@example.com", "--remove"); !strings.Contains(out, "removed") {
				t.Errorf("factors: %s", out)
			}
			cookie = signIn(t, base, "root@example.com", "another long password")
			if out := must("", "user", "sessions", "--email", "root@example.com", "--end"); !strings.Contains(out, "ended 1 sessions") {
				t.Errorf("sessions: %s", out)
			}
			if a := call(t, "GET", base+"/api/me/settings", "", cookie); a.status != 401 {
				t.Errorf("an ended session answered %d", a.status)
			}
			cookie = signIn(t, base, "root@example.com", "another long password")
			tenant := post("/tenants", `{"name":"Acme"}`)
			project := post("/tenants/"+id(tenant)+"/projects", `{"name":"Site","defaultLocale":"en","locales":["en","de"]}`)
			post("/projects/"+id(project)+"/collections", `{"slug":"pages","name":"Pages","fields":[
				{"name":"path","type":"text","required":true,"unique":true},
				{"name":"title","type":"text","required":true},
				{"name":"next","type":"relation","collection":"pages"}]}`)
			uuid := project["uuid"].(string)

			token := strings.TrimSpace(must("", "token", "create", "--project", uuid, "--name", "site"))
			lines := `{"key":"/","published":true,"fields":{"path":"/","title":"Home"},"relations":{"next":"/about"},"translations":{"de":{"path":"/","title":"Start"}}}
{"key":"/bad","published":true,"fields":{"path":"/bad"}}
{"key":"/about","published":true,"fields":{"path":"/about","title":"About"}}
`
			file := filepath.Join(t.TempDir(), "pages.jsonl")
			if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
			where := append([]string{"--project", uuid, "--collection", "pages"}, at...)
			for i, want := range []string{"3 created, 0 updated", "0 created, 0 updated, 3 unchanged"} {
				out, diagnostics, err := program.Run(t, "", append(append([]string{"import"}, where...), file)...)
				if err == nil || !strings.Contains(diagnostics, `line 2 (key "/bad"):`) || !strings.Contains(diagnostics, "fields.title") {
					t.Errorf("import %d does not report line 2: %v\n%s", i, err, diagnostics)
				}
				if !strings.Contains(out, want) {
					t.Errorf("import %d prints %q, want %q", i, out, want)
				}
			}
			read := call(t, "GET", base+"/public/v2/projects/"+uuid+"/collections/pages/entries?locale=de&sort=path&count=true", "", "Authorization: Bearer "+token)
			got := decode[list](t, read)
			if got.Meta.Total != 2 || got.Data[0]["title"] != "Start" || got.Data[0]["next"].(map[string]any)["title"] != "About" {
				t.Errorf("read back: %s", read.body)
			}
			exported, _, err := program.Run(t, "", append([]string{"export"}, where...)...)
			if err != nil || strings.Count(exported, "\n") < 2 || !strings.Contains(exported, "Start") {
				t.Errorf("export: %v\n%s", err, exported)
			}

			// With a workflow, imported content needs approval as well.
			workflow := call(t, "PUT", base+"/api/projects/"+id(project)+"/approval-workflow",
				`{"steps":[{"stepOrder":1,"requiredRoleKind":"tenant_admin"}]}`, cookie, "Origin: "+base)
			if workflow.status != 200 {
				t.Fatalf("setting a workflow answered %d: %s", workflow.status, workflow.body)
			}
			line := `{"key":"/news","published":true,"fields":{"path":"/news","title":"News"}}`
			if _, diagnostics, err := program.Run(t, line, append(append([]string{"import"}, where...), "-")...); err != nil {
				t.Errorf("import into a governed project: %v\n%s", err, diagnostics)
			}
			read = call(t, "GET", base+"/public/v2/projects/"+uuid+"/collections/pages/entries?count=true", "", "Authorization: Bearer "+token)
			if got := decode[list](t, read); got.Meta.Total != 2 {
				t.Errorf("imported past approval: %s", read.body)
			}
			trail := filepath.Join(t.TempDir(), "trail.jsonl")
			must("", "approvals", "export", "--project", uuid, "--output", trail)
			written, err := os.ReadFile(trail)
			if printed := must("", "approvals", "export", "--project", uuid); err != nil || printed != string(written) {
				t.Errorf("the trail is printed as %q and written as %q: %v", printed, written, err)
			}
			if text := string(written); strings.Count(text, "\n") != 1 || !strings.Contains(text, `"status":"pending"`) || !strings.Contains(text, `"valid":true`) {
				t.Errorf("the trail: %s", text)
			}
			events := must("", "events", "export", "--project", uuid)
			for _, part := range []string{
				`"type":"project.created"`, `"type":"token.created"`, `"type":"entry.published"`, `"type":"request.submitted"`, `"type":"workflow.updated"`,
				`"actor":{"kind":"system"`, `"actor":{"kind":"user"`, `"releaseNumber":"CR-`, `"requestId":"`,
			} {
				if !strings.Contains(events, part) {
					t.Errorf("the events lack %s:\n%s", part, events)
				}
			}
			if strings.Contains(events, "News") {
				t.Errorf("the events contain the content of a draft:\n%s", events)
			}
		})
	}
}

func TestWrongSettingsStopTheStart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"database":     {[]string{"serve", "--database-url", "mysql://x"}, "--database-url"},
		"unreachable":  {[]string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--database-url", "postgres://someone:hunter2@127.0.0.1:1/x"}, "--database-url"},
		"redis":        {[]string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--redis-url", "redis://:hunter2@localhost/first"}, "--redis-url"},
		"secret":       {[]string{"serve", "--secret-key", "hunter2"}, "setting --secret-key: must be 32 bytes in base64, or @<file>"},
		"secret file":  {[]string{"serve", "--secret-key", "@nowhere"}, "setting --secret-key: cannot read the file nowhere: no such file or directory"},
		"listen":       {[]string{"serve", "--listen", "nowhere"}, "--listen"},
		"base":         {[]string{"serve", "--base-url", "content.example"}, "--base-url"},
		"rate":         {[]string{"serve", "--rate-limit", "-1"}, "--rate-limit"},
		"not a number": {[]string{"serve", "--rate-limit", "many"}, `setting --rate-limit: invalid value "many"`},
		"log level":    {[]string{"serve", "--log-level", "loud"}, "--log-level"},
		"flag":         {[]string{"serve", "--no-such-flag"}, "no-such-flag"},
		"command":      {[]string{"sevre"}, "sevre"},
		"password":     {[]string{"user", "create", "--email", "a@b.example"}, "standard input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diagnostics, err := program.Run(t, "", c.args...)
			if err == nil || !strings.Contains(diagnostics, c.want) {
				t.Errorf("%v: %q does not name %q", err, diagnostics, c.want)
			}
			if strings.Contains(diagnostics, "hunter2") || strings.Contains(diagnostics, "goroutine") || strings.Contains(diagnostics, "fx.") || strings.Contains(diagnostics, "strconv") {
				t.Errorf("reveals too much: %s", diagnostics)
			}
		})
	}
}

// TestGracefulStop sends SIGTERM under the load of clients that stop when /readyz fails, as
// load balancers do: no request is lost.
func TestGracefulStop(t *testing.T) {
	t.Parallel()
	p, facts := program.Demo(t, "--stop-delay", "2s")
	url := facts.BaseURL + "/public/v2/projects/" + facts.Projects.WorldDesk.UUID + "/collections/countries/entries?limit=100"
	var served, lost atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for ready(t, facts.OpsURL) {
				if tryGet(t, url, facts.Tokens.WorldDesk.ReadOnly) == whole {
					served.Add(1)
				} else {
					lost.Add(1)
				}
			}
		})
	}
	p.Await(t, "some requests", func() bool { return served.Load() > 50 })
	p.Stop(t)
	clients.Wait()
	if lost.Load() > 0 {
		t.Errorf("%d of %d requests were lost", lost.Load(), served.Load()+lost.Load())
	}
}

// ready reports whether the program is ready for requests.
func ready(t *testing.T, ops string) bool {
	resp, err := http.Get(ops + "/readyz")
	if err != nil {
		t.Error(err)
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
