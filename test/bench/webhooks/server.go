package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"imprimatur/test/bench/load"
	"imprimatur/test/bench/profiled"
	"imprimatur/test/postgrestest"
)

// server is the program on one database.
type server struct {
	command *exec.Cmd
	base    string
	cookie  string // of a super admin
	tenant  int64
}

const (
	email    = "root@example.org"
	password = "correct horse battery staple"
)

type object = map[string]any

type made struct {
	ID           int64
	UUID, Secret string
}

// serve starts the program and creates a tenant. The caller must stop the server also after an error.
func serve(ctx context.Context, database string) (*server, error) {
	s := &server{}
	program, err := os.Executable()
	if err != nil {
		return s, err
	}
	create := exec.CommandContext(ctx, program, profiled.Command, "", "user", "create", "--database-url", database, "--email", email, "--name", "Root", "--super-admin")
	create.Stdin = strings.NewReader(password + "\n")
	if output, err := create.CombinedOutput(); err != nil {
		return s, fmt.Errorf("user create: %w: %s", err, output)
	}
	address, err := load.FreeAddress()
	if err != nil {
		return s, err
	}
	s.base = "http://" + address
	s.command = exec.CommandContext(ctx, program, profiled.Command, "", "serve", "--secret-key", postgrestest.SecretKey, "--database-url", database, "--blob-url", "mem://",
		"--listen", address, "--ops-listen", "127.0.0.1:0", "--log-level", "error", "--rate-limit", "0", "--webhook-allow", "127.0.0.1/32")
	s.command.Stderr = os.Stderr
	if err := s.command.Start(); err != nil {
		return s, err
	}
	if err := load.Await(load.NewRequest(address, http.MethodGet, "/openapi.json", "", ""), 30*time.Second); err != nil {
		return s, err
	}
	_, header, err := s.send(ctx, http.MethodPost, "/api/session", "", object{"email": email, "password": password})
	if err != nil {
		return s, err
	}
	s.cookie, _, _ = strings.Cut(header.Get("Set-Cookie"), ";")
	tenant, err := s.create(ctx, "/api/tenants", object{"name": "Meridian Media"})
	s.tenant = tenant.ID
	return s, err
}

func (s *server) stop() {
	if s.command != nil && s.command.Process != nil {
		_ = s.command.Process.Kill() // it may have ended
		_ = s.command.Wait()
	}
}

// send sends a request with a token, or as the admin, and requires success.
func (s *server) send(ctx context.Context, method, path, token string, body any) (response []byte, header http.Header, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	q, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	if token != "" {
		q.Header.Set("Authorization", token)
	} else {
		q.Header.Set("Cookie", s.cookie)
		q.Header.Set("Origin", s.base)
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, nil, err
	}
	defer a.Body.Close() //nolint:errcheck // read completely
	if response, err = io.ReadAll(a.Body); err == nil && a.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s answered %d: %.300s", method, path, a.StatusCode, response)
	}
	return response, a.Header, err
}

func (s *server) create(ctx context.Context, path string, body object) (m made, err error) {
	response, _, err := s.send(ctx, http.MethodPost, path, "", body)
	if err == nil {
		err = json.Unmarshal(response, &m)
	}
	return m, err
}

// project is a Project with a collection of articles and a draft that writes change.
type project struct {
	*server

	token, draft string // header and path
}

func (s *server) newProject(ctx context.Context, webhooks int, receiver string) (p project, err error) {
	made, err := s.create(ctx, fmt.Sprintf("/api/tenants/%d/projects", s.tenant), object{"name": fmt.Sprint(webhooks), "locales": []string{"en"}})
	if err != nil {
		return p, err
	}
	at := fmt.Sprintf("/api/projects/%d", made.ID)
	if _, err := s.create(ctx, at+"/collections", object{"slug": "articles", "name": "Articles", "fields": []object{
		{"name": "title", "type": "text", "required": true}, {"name": "body", "type": "richtext"}, {"name": "views", "type": "number"},
	}}); err != nil {
		return p, err
	}
	token, err := s.create(ctx, at+"/tokens", object{"name": "writer", "abilities": []string{"read", "create", "update"}, "allowDrafts": true, "rateLimit": 0})
	if err != nil {
		return p, err
	}
	for n := range webhooks {
		if _, err := s.create(ctx, at+"/webhooks", object{"name": fmt.Sprint("Receiver ", n), "url": fmt.Sprint(receiver, "/", n), "events": []string{"entry.updated"}}); err != nil {
			return p, err
		}
	}
	p = project{s, "Bearer " + token.Secret, "/public/v2/projects/" + made.UUID + "/collections/articles/entries"}
	response, _, err := s.send(ctx, http.MethodPost, p.draft, p.token, object{"fields": object{"title": "An article", "body": "<p>Text</p>"}})
	if err == nil {
		err = json.Unmarshal(response, &made)
	}
	p.draft += fmt.Sprintf("/%d?check=draft", made.ID)
	return p, err
}

// write changes the draft some times and returns how long each change took.
func (p project) write(ctx context.Context, o options) ([]time.Duration, error) {
	took := make([]time.Duration, o.writes)
	for n := range took {
		began := time.Now()
		if _, _, err := p.send(ctx, http.MethodPatch, p.draft, p.token, object{"fields": object{"views": began.UnixNano() % 1_000_000_007}}); err != nil {
			return nil, err
		}
		took[n] = time.Since(began)
		time.Sleep(o.gap)
	}
	return took, nil
}
