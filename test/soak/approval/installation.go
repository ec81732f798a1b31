package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"imprimatur/test/postgrestest"
)

// installation is a number of processes on one database, with users and projects.
type installation struct {
	binary, dir, database string
	replicas              []*replica
	root, editor          string   // cookies
	admins                []string // cookies of project admins
	// one and two are projects whose workflow has one and two steps; open has none.
	one, two, open place
}

// place is a project with a collection of articles and a token that may read.
type place struct {
	project, collection int64
	uuid, token         string
}

func (p place) content() string {
	return fmt.Sprintf("/api/projects/%d/collections/%d/content", p.project, p.collection)
}

func (p place) entry(id int64) string { return fmt.Sprintf("%s/%d", p.content(), id) }

func (p place) public() string {
	return "/public/v2/projects/" + p.uuid + "/collections/articles/entries"
}

// replica is one process, which keeps its address over restarts.
type replica struct {
	command *exec.Cmd
	address string
	log     *os.File
}

// password is the password of every user. Those that an admin creates have firstPassword before.
const (
	password      = "correct horse battery staple"
	firstPassword = password + " at first"
)

// install starts the processes and creates the projects. The caller must stop the returned
// installation also after an error.
func install(ctx context.Context, binary, dir, database string, processes int) (*installation, error) {
	in := &installation{binary: binary, dir: dir, database: database}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return in, err
	}
	create := exec.CommandContext(ctx, binary, "user", "create", "--database-url", database, "--email", "root@example.org", "--name", "Root", "--super-admin")
	create.Stdin = strings.NewReader(password + "\n")
	if output, err := create.CombinedOutput(); err != nil {
		return in, fmt.Errorf("user create: %w\n%s", err, output)
	}
	for n := range processes {
		address, err := freeAddress(ctx)
		if err != nil {
			return in, err
		}
		log, err := os.Create(filepath.Join(dir, fmt.Sprintf("log-%d", n)))
		if err != nil {
			return in, err
		}
		in.replicas = append(in.replicas, &replica{address: address, log: log})
		if err := in.start(ctx, n); err != nil {
			return in, err
		}
	}
	return in, in.fill(ctx)
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// start starts replica n and waits until it serves.
func (in *installation) start(ctx context.Context, n int) error {
	r := in.replicas[n]
	r.command = exec.CommandContext(ctx, in.binary, "serve", "--secret-key", postgrestest.SecretKey, "--database-url", in.database, "--listen", r.address, "--ops-listen", "127.0.0.1:0", "--blob-url", "mem://")
	r.command.Dir, r.command.Stdout, r.command.Stderr = in.dir, r.log, r.log
	if err := r.command.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if conn, err := net.DialTimeout("tcp", r.address, time.Second); err == nil {
			return conn.Close()
		}
	}
	text, err := os.ReadFile(r.log.Name())
	return errors.Join(fmt.Errorf("replica %d does not serve\n%s", n, text), err)
}

// kill sends SIGKILL to replica n.
func (in *installation) kill(n int) error {
	if err := in.replicas[n].command.Process.Kill(); err != nil {
		return err
	}
	_ = in.replicas[n].command.Wait() // reports the signal
	return nil
}

func (in *installation) signal(n int, s syscall.Signal) error {
	return in.replicas[n].command.Process.Signal(s)
}

func (in *installation) stop() {
	for _, r := range in.replicas {
		if r.command != nil && r.command.ProcessState == nil {
			_ = r.command.Process.Kill() // it may have ended
			_ = r.command.Wait()
		}
		_ = r.log.Close()
	}
}

var client = &http.Client{
	Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 5 * time.Second}, Timeout: 10 * time.Second,
}

// response is an HTTP response with its whole body.
type response struct {
	status int
	header http.Header
	body   []byte
}

func (a response) ok() bool { return a.status >= 200 && a.status < 300 }

// request is a request to a replica.
type request struct {
	method, path string
	body         any    // JSON; nil for none
	cookie       string // session; or token
	token        string
	key          string // Idempotency-Key
}

// send sends a request. After an error its outcome is unknown.
func (in *installation) send(ctx context.Context, replica int, r request) (response, error) {
	base := "http://" + in.replicas[replica].address
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return response{}, err
		}
		body = bytes.NewReader(text)
	}
	q, err := http.NewRequestWithContext(ctx, r.method, base+r.path, body)
	if err != nil {
		return response{}, err
	}
	q.Header.Set("Origin", base)
	for name, value := range map[string]string{"Cookie": r.cookie, "Idempotency-Key": r.key, "Authorization": r.token} {
		if value != "" {
			q.Header.Set(name, value)
		}
	}
	if r.body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(q)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close() //nolint:errcheck // read completely
	text, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, text}, err
}

// must sends a request, requires success and decodes the body.
func must[T any](ctx context.Context, in *installation, replica int, r request) (value T, err error) {
	a, err := in.send(ctx, replica, r)
	if err != nil {
		return value, err
	}
	if !a.ok() {
		return value, fmt.Errorf("%s %s answered %d: %s", r.method, r.path, a.status, a.body)
	}
	if len(a.body) > 0 {
		err = json.Unmarshal(a.body, &value)
	}
	return value, err
}

type object = map[string]any

type made struct {
	ID     int64
	UUID   string
	Secret string
}

// signIn returns the cookie of a new session.
func (in *installation) signIn(ctx context.Context, email, password string) (string, error) {
	a, err := in.send(ctx, 0, request{method: http.MethodPost, path: "/api/session", body: object{"email": email, "password": password}})
	if err != nil {
		return "", err
	}
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	if !a.ok() || cookie == "" {
		return "", fmt.Errorf("sign-in of %s answered %d: %s", email, a.status, a.body)
	}
	return cookie, nil
}

// fill creates a tenant with three projects and their users.
func (in *installation) fill(ctx context.Context) (err error) {
	if in.root, err = in.signIn(ctx, "root@example.org", password); err != nil {
		return err
	}
	tenant, err := in.create(ctx, "/api/tenants", object{"name": "Meridian Media"})
	if err != nil {
		return err
	}
	for _, p := range []struct {
		into  *place
		steps int
	}{{&in.one, 1}, {&in.two, 2}, {&in.open, 0}} {
		if *p.into, err = in.makePlace(ctx, tenant.ID, p.steps); err != nil {
			return err
		}
	}
	if in.editor, err = in.createUser(ctx, tenant.ID, "editor@example.org", "editor"); err != nil {
		return err
	}
	for n := range 3 {
		admin, err := in.createUser(ctx, tenant.ID, fmt.Sprintf("admin%d@example.org", n), "admin")
		if err != nil {
			return err
		}
		in.admins = append(in.admins, admin)
	}
	return nil
}

func (in *installation) create(ctx context.Context, path string, body object) (made, error) {
	return must[made](ctx, in, 0, request{method: http.MethodPost, path: path, body: body, cookie: in.root})
}

func (in *installation) makePlace(ctx context.Context, tenant int64, steps int) (place, error) {
	project, err := in.create(ctx, fmt.Sprintf("/api/tenants/%d/projects", tenant), object{"name": fmt.Sprint("Steps: ", steps), "locales": []string{"en"}})
	if err != nil {
		return place{}, err
	}
	at := fmt.Sprintf("/api/projects/%d", project.ID)
	collection, err := in.create(ctx, at+"/collections", object{"slug": "articles", "name": "Articles", "fields": []object{
		{"name": "title", "type": "text", "required": true},
	}})
	if err != nil {
		return place{}, err
	}
	token, err := in.create(ctx, at+"/tokens", object{"name": "reader", "abilities": []string{"read"}, "rateLimit": 0})
	if err != nil {
		return place{}, err
	}
	if steps > 0 {
		list := make([]object, steps)
		for n := range list {
			list[n] = object{"stepOrder": n + 1, "requiredRoleKind": "admin"}
		}
		_, err = must[object](ctx, in, 0, request{method: http.MethodPut, path: at + "/approval-workflow", body: object{"steps": list}, cookie: in.root})
	}
	return place{project.ID, collection.ID, project.UUID, "Bearer " + token.Secret}, err
}

// createUser creates a user with a role in every project and returns a session cookie.
func (in *installation) createUser(ctx context.Context, tenant int64, email, role string) (string, error) {
	user, err := in.create(ctx, "/api/users", object{"email": email, "name": email, "password": firstPassword, "tenantId": tenant})
	if err != nil {
		return "", err
	}
	for _, p := range []place{in.one, in.two, in.open} {
		path := fmt.Sprintf("/api/projects/%d/members/%d", p.project, user.ID)
		if _, err := must[object](ctx, in, 0, request{method: http.MethodPut, path: path, body: object{"role": role}, cookie: in.root}); err != nil {
			return "", err
		}
	}
	first, err := in.signIn(ctx, email, firstPassword)
	if err != nil {
		return "", err
	}
	change := request{
		method: http.MethodPut, path: fmt.Sprintf("/api/users/%d/password", user.ID), cookie: first,
		body: object{"current": firstPassword, "new": password},
	}
	if a, err := in.send(ctx, 0, change); err != nil || !a.ok() {
		return "", fmt.Errorf("the change of the first password of %s answered %d: %w", email, a.status, err)
	}
	return in.signIn(ctx, email, password)
}

// content is an entry of the dashboard API.
type content struct {
	ID      int64
	Version int64
	State   string
	Fields  struct{ Title string }
}

// write returns the body of an article.
func write(title string, more ...object) object {
	body := object{"fields": object{"title": title}}
	for _, m := range more {
		for name, value := range m {
			body[name] = value
		}
	}
	return body
}

// approvalRequest holds the checked parts of an approval request.
type approvalRequest struct {
	ID, EntryID                        int64
	ReleaseNumber, Status, ContentHash string
	Valid, SnapshotValid               bool
	Actions                            []struct {
		Type      string
		StepOrder *int
	}
}

// did counts the recorded actions of a type.
func (r approvalRequest) did(kind string) (n int) {
	for _, a := range r.Actions {
		if a.Type == kind {
			n++
		}
	}
	return n
}

// exported returns all requests of a project from the command approvals export.
func (in *installation) exported(ctx context.Context, p place) (requests []approvalRequest, err error) {
	command := exec.CommandContext(ctx, in.binary, "approvals", "export", "--database-url", in.database, "--project", p.uuid)
	var diagnostics bytes.Buffer
	command.Stderr = &diagnostics
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("approvals export: %w\n%s", err, &diagnostics)
	}
	for line := range bytes.Lines(output) {
		var r approvalRequest
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		requests = append(requests, r)
	}
	return requests, nil
}

var lastKey atomic.Int64

// newKey returns a unique Idempotency-Key or title.
func newKey() string { return fmt.Sprintf("key-%d-%d", os.Getpid(), lastKey.Add(1)) }
