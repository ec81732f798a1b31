package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
	"imprimatur/test/redistest"
)

// TestDeployedRollingRestart runs the deployment of app/deploy/compose.yaml: Caddy with its
// Caddyfile, three replicas, Postgres, Redis and S3. The replicas are replaced one after
// the other under reads, writes, GraphQL and uploads: no request fails.
func TestDeployedRollingRestart(t *testing.T) {
	rounds := 1
	if *soak {
		rounds = 5
	}
	d := deploy(t)
	token, _ := d.token(t, 0)
	kinds := []func(n int) (method, path, body, contentType string, want int){
		func(int) (string, string, string, string, int) { return "GET", d.pages(), "", "", 200 },
		func(n int) (string, string, string, string, int) {
			return "POST", d.pages(), fmt.Sprintf(`{"fields":{"title":"%d"}}`, n), "application/json", 201
		},
		func(int) (string, string, string, string, int) {
			return "POST", "/public/v2/graphql", `{"query":"{ collections { slug } }"}`, "application/json", 200
		},
		func(n int) (string, string, string, string, int) {
			body, contentType := upload(t, fmt.Sprintf("note %d", n))
			return "POST", "/public/v2/projects/" + d.uuid + "/media/upload", body, contentType, 201
		},
	}
	var served, written atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for first := range kinds {
		clients.Go(func() {
			for n := first; ctx.Err() == nil; n++ {
				time.Sleep(5 * time.Millisecond) // the pace of this client
				method, path, body, contentType, want := kinds[n%len(kinds)](n)
				status, _, response, err := d.send(method, path, body, "Content-Type: "+contentType, token)
				if err != nil || status != want {
					t.Errorf("%s %s answered %d, %v: %s", method, path, status, err, response)
				}
				served.Add(1)
				if status == 201 && strings.HasSuffix(path, "/entries") {
					written.Add(1)
				}
			}
		})
	}
	enough := func() {
		target := served.Load() + 100
		await.Until(t, "requests are served", func() bool { return served.Load() >= target })
	}
	for range rounds {
		for n, old := range d.replicas {
			enough()
			old.process.Stop(t)
			enough()
			d.replicas[n] = launch(t, append(d.own(n), d.settings...))
			// The next replica is replaced when the balancer uses this one.
			await.Until(t, "the balancer uses the new replica", func() bool {
				return strings.Contains(d.replicas[n].process.Output(), `"msg":"request"`)
			})
		}
	}
	enough()
	stop()
	clients.Wait()
	t.Logf("%d requests served", served.Load())
	list := d.mustCall(t, 0, "GET", fmt.Sprintf("/api/projects/%d/collections/%d/content?count=true&state=with_draft", d.project, d.collection(t)), "")
	if stored := decode[struct{ Meta struct{ Total int64 } }](t, list).Meta.Total; stored != written.Load() {
		t.Errorf("%d entries were written and %d are stored", written.Load(), stored)
	}
}

// TestDeployedAddresses checks that replicas log the client address that the balancer sees,
// not a forged one, and that the balancer without replicas responds with Retry-After.
func TestDeployedAddresses(t *testing.T) {
	d := deploy(t)
	if status, _, _, err := d.send("GET", d.pages()+"?who=called", "", "X-Forwarded-For: 192.0.2.1"); err != nil || status != 401 {
		t.Fatalf("%d, %v", status, err)
	}
	await.Until(t, "the log line of a replica", func() bool {
		for _, r := range d.replicas {
			for line := range strings.Lines(r.process.Output()) {
				var request struct {
					Path    string
					Status  int
					Address string
				}
				if json.Unmarshal([]byte(line), &request) == nil && request.Path == d.pages() && request.Status == 401 {
					if request.Address != d.host(50) {
						t.Errorf("the replica logged the client address %s", request.Address)
					}
					return true
				}
			}
		}
		return false
	})
	for _, r := range d.replicas {
		r.process.Stop(t)
	}
	status, header, body, err := d.send("GET", d.pages(), "")
	if err != nil || status < 502 || status > 503 || header.Get("Retry-After") == "" || header.Get("Content-Type") != "application/problem+json" || !json.Valid(body) {
		t.Errorf("%d, %v, %v: %s", status, err, header, body)
	}
}

// deployment is an installation behind the balancer of app/deploy. It uses its own part of
// the loopback network, where every host has the same ports as the containers.
type deployment struct {
	*installation
	network string // "127.1.2."
	bucket  string
	site    string
	client  *http.Client
}

func deploy(t *testing.T) *deployment {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("media"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(s3.Close)
	d := &deployment{network: fmt.Sprintf("127.%d.%d.", 1+rand.IntN(254), rand.IntN(256))}
	d.site = fmt.Sprintf("http://%s:%d", d.host(9), freePort(t))
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(d.host(50))}}
	d.client = &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}, Timeout: 20 * time.Second}
	d.bucket = "s3://media?anonymous=true&endpoint=" + url.QueryEscape(s3.URL)
	d.installation = newInstallationWith(t, d.own, "--database-url", postgrestest.New(t), "--redis-url", redistest.New(t).URL())
	d.balance(t)
	return d
}

func (d *deployment) host(n int) string { return fmt.Sprint(d.network, n) }

// freePort returns a port that is free on all local addresses, because Caddy listens on all.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// own returns the settings of replica n that other commands do not have. It listens on the
// ports of the image.
func (d *deployment) own(n int) []string {
	return []string{
		"--listen", d.host(n+1) + ":8080", "--ops-listen", d.host(n+1) + ":9090", "--blob-url", d.bucket, "--trusted-proxies", "127.0.0.1/32", "--stop-delay", "3s",
	}
}

// balance starts Caddy with the deployed Caddyfile, in which host names are replaced by
// addresses.
func (d *deployment) balance(t *testing.T) {
	t.Helper()
	program, err := caddy()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../app/deploy/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	file, dir := string(text), t.TempDir()
	for n := range d.replicas {
		name := fmt.Sprintf("app-%d:", n+1)
		if !strings.Contains(file, name) {
			t.Fatalf("the Caddyfile does not name %s", name)
		}
		file = strings.ReplaceAll(file, name, d.host(n+1)+":")
	}
	path := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	run := exec.Command(program, "run", "--config", path, "--adapter", "caddyfile")
	run.Env = append(os.Environ(), "SITE="+d.site, "CADDY_ADMIN="+d.host(9)+":2019", "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	run.Stdout, run.Stderr = &output, &output
	run.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Kill() // it has no state
		_ = run.Wait()
		if t.Failed() {
			t.Logf("output of the balancer:\n%s", output.String())
		}
	})
	await.Until(t, "the balancer", func() bool {
		status, _, _, err := d.send("GET", "/openapi.json", "")
		return err == nil && status == 200
	})
}

// send sends one request through the balancer.
func (d *deployment) send(method, path, body string, header ...string) (int, http.Header, []byte, error) {
	r, err := http.NewRequest(method, d.site+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	resp, err := d.client.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, text, err
}

// upload returns a form that uploads a text.
func upload(t *testing.T, text string) (body, contentType string) {
	t.Helper()
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("file", "note.txt")
	if err != nil {
		t.Error(err)
		return "", ""
	}
	_, _ = part.Write([]byte(text)) // writes to a buffer cannot fail
	_ = writer.Close()
	return form.String(), writer.FormDataContentType()
}

// caddy returns the path of Caddy, which it installs if missing.
var caddy = sync.OnceValues(func() (string, error) { return installed("caddy") })

// installed returns the path of a program. It searches PATH and places, and installs the
// Debian package of that name if missing.
func installed(name string, places ...string) (string, error) {
	for _, place := range append([]string{name}, places...) {
		if program, err := exec.LookPath(place); err == nil {
			return program, nil
		}
	}
	install := exec.Command("/bin/sh", "-c", `apt-get update -qq; apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$1"`, "sh", name)
	// The package must not start a server of its own.
	install.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1")
	if output, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s is not installed, and installing it failed (as root: apt-get install %s): %w: %s", name, name, err, output)
	}
	for _, place := range places {
		if program, err := exec.LookPath(place); err == nil {
			return program, nil
		}
	}
	return exec.LookPath(name)
}
