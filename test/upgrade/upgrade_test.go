// Package upgrade runs a version beside the one before it, on one Postgres.
package upgrade

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/app/demo"
	"imprimatur/test/checkout"
	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// expansion are the migrations of the next version: new columns, and an index of a large table. Their numbers
// follow those of the program.
var expansion = map[string]string{
	"9001_probes.sql":      "ALTER TABLE entries ADD COLUMN probe text;\nCREATE TABLE probes (id bigint PRIMARY KEY, note text NOT NULL DEFAULT '');\n",
	"9002_probe_index.sql": "-- concurrent\nCREATE INDEX CONCURRENTLY entries_probe ON entries (project_id, probe);\n",
}

// buildNext builds this version with the expansion, and returns the path of the program.
func buildNext(t *testing.T) string {
	t.Helper()
	folder, err := checkout.Folder()
	require.NoError(t, err)
	out, files := t.TempDir(), map[string]string{}
	for name, text := range expansion {
		path := filepath.Join(out, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		files[filepath.Join(folder, "adapters/postgres/migrations", name)] = path
	}
	overlay, err := json.Marshal(map[string]any{"Replace": files})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(out, "overlay.json"), overlay, 0o600))
	next := filepath.Join(out, "imprimatur-next")
	build := exec.Command("go", "build", "-overlay", filepath.Join(out, "overlay.json"), "-ldflags=-w", "-o", next, "imprimatur/app")
	said, err := build.CombinedOutput()
	require.NoError(t, err, string(said))
	return next
}

// pace is the pause of a client between two requests.
const pace = 5 * time.Millisecond

// client reads and writes at one process until it is told to stop.
type client struct {
	base    string
	stop    chan struct{}
	running sync.WaitGroup
	done    atomic.Int64 // answers

	mu     sync.Mutex
	failed []string
}

func newClient(base string, facts demo.Facts) *client {
	c := &client{base: base, stop: make(chan struct{})}
	world := "/public/v2/projects/" + facts.Projects.WorldDesk.UUID + "/collections"
	posts := "/public/v2/projects/" + facts.Projects.Blog.UUID + "/collections/posts/entries"
	for _, act := range []func(n int){
		func(int) {
			c.send("GET", world+"/countries/entries?limit=5&sort=name", facts.Tokens.WorldDesk.Full, "")
		},
		func(int) {
			c.send("GET", world+"/articles/entries?state=with_draft", facts.Tokens.WorldDesk.Drafts, "")
		},
		func(n int) {
			c.send("POST", posts, facts.Tokens.Blog.Full, fmt.Sprintf(`{"fields":{"title":"Post %d of %s"},"published":true}`, n, base))
		},
	} {
		c.running.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-c.stop:
					return
				case <-time.After(pace):
					act(n)
				}
			}
		})
	}
	return c
}

func (c *client) send(method, path, token, body string) {
	defer c.done.Add(1)
	fault := func(text string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failed = append(c.failed, method+" "+path+": "+text)
	}
	request, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		fault(err.Error())
		return
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		fault(err.Error())
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		fault(fmt.Sprint(err, answer.StatusCode, string(text)))
	}
}

// end stops the client, of which no request may have failed.
func (c *client) end(t *testing.T) {
	t.Helper()
	close(c.stop)
	c.running.Wait()
	require.Empty(t, c.failed)
}

var serving = regexp.MustCompile(`imprimatur serves on (\S+)`)

// TestBesideThePreviousVersion migrates and starts a version while the one before it serves, and ends that one.
// No request fails, and the tables agree afterwards.
func TestBesideThePreviousVersion(t *testing.T) {
	t.Parallel()
	next := buildNext(t)
	database := postgrestest.New(t)
	previous, facts := program.Demo(t, "--database-url", database, "--rate-limit", "0")
	settings := []string{"--database-url", database, "--blob-url", "file:" + filepath.Join(previous.Dir, "var", "demo", "blobs")}
	run := func(arguments ...string) string {
		t.Helper()
		p := program.LaunchBinary(t, next, arguments...)
		require.NoError(t, p.Ended(t), p.Output())
		return p.Output()
	}
	old := newClient(facts.BaseURL, facts)
	more := func(p *program.Process, c *client) {
		t.Helper()
		until := c.done.Load() + 50
		p.Await(t, "answers", func() bool { return c.done.Load() >= until })
	}
	more(previous, old)
	run("migrate", "--database-url", database)
	more(previous, old)

	p := program.LaunchBinary(t, next, append([]string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--rate-limit", "0"}, settings...)...)
	p.Await(t, "the next version", func() bool { return serving.MatchString(p.Output()) })
	fresh := newClient(serving.FindStringSubmatch(p.Output())[1], facts)
	more(p, fresh)
	more(previous, old)
	old.end(t)
	previous.Stop(t)
	more(p, fresh)
	fresh.end(t)
	p.Stop(t)
	require.Contains(t, run(append([]string{"check"}, settings...)...), "0 differences found, 0 repaired")

	_, diagnostics, err := program.Run(t, "", append([]string{"check"}, settings...)...)
	require.Error(t, err)
	require.Contains(t, diagnostics, "which this version does not know")
}
