package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"imprimatur/test/postgrestest"
)

// cluster is a number of processes on one database.
type cluster struct {
	binary, dir, database string
	processes             []*process
	admin                 string // cookie
	tenant                int64
}

// process keeps its address over restarts.
type process struct {
	command *exec.Cmd
	address string
	log     *os.File
}

const (
	email    = "root@example.org"
	password = "correct horse battery staple"
)

// startCluster starts the processes and creates a tenant. The caller must stop the returned cluster
// also after an error.
func startCluster(ctx context.Context, binary, dir, database string, processes int) (*cluster, error) {
	c := &cluster{binary: binary, dir: dir, database: database}
	if _, err := c.command(ctx, password+"\n", "user", "create", "--email", email, "--name", "Root", "--super-admin"); err != nil {
		return c, err
	}
	for n := range processes {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return c, err
		}
		log, err := os.Create(filepath.Join(dir, fmt.Sprintf("log-%d", n)))
		if err := errors.Join(err, listener.Close()); err != nil {
			return c, err
		}
		c.processes = append(c.processes, &process{address: listener.Addr().String(), log: log})
		if err := c.start(ctx, n); err != nil {
			return c, err
		}
	}
	a, err := c.send(ctx, 0, http.MethodPost, "/api/session", "", object{"email": email, "password": password})
	if err != nil || a.status/100 != 2 {
		return c, fmt.Errorf("sign-in: %d %s %w", a.status, a.body, err)
	}
	c.admin, _, _ = strings.Cut(a.header.Get("Set-Cookie"), ";")
	tenant, err := must[made](ctx, c, http.MethodPost, "/api/tenants", object{"name": "Meridian Media"})
	c.tenant = tenant.ID
	return c, err
}

// command runs a command of the program on the database and returns its output.
func (c *cluster) command(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, c.binary, append(args, "--database-url", c.database)...)
	var diagnostics bytes.Buffer
	command.Dir, command.Stdin, command.Stderr = c.dir, strings.NewReader(stdin), &diagnostics
	output, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, &diagnostics)
	}
	return output, err
}

// start starts process n and waits until it serves.
func (c *cluster) start(ctx context.Context, n int) error {
	p := c.processes[n]
	p.command = exec.CommandContext(ctx, c.binary, "serve", "--secret-key", postgrestest.SecretKey, "--database-url", c.database, "--listen", p.address,
		"--ops-listen", "127.0.0.1:0", "--blob-url", "mem://", "--webhook-allow", "127.0.0.0/8", "--log-level", "warn")
	p.command.Dir, p.command.Stdout, p.command.Stderr = c.dir, p.log, p.log
	if err := p.command.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if conn, err := net.DialTimeout("tcp", p.address, time.Second); err == nil {
			return conn.Close()
		}
	}
	text, err := os.ReadFile(p.log.Name())
	return errors.Join(fmt.Errorf("process %d does not serve\n%s", n, text), err)
}

// kill sends SIGKILL to process n.
func (c *cluster) kill(n int) error {
	if err := c.processes[n].command.Process.Kill(); err != nil {
		return err
	}
	_ = c.processes[n].command.Wait() // reports the signal
	return nil
}

func (c *cluster) stop() {
	var stopping sync.WaitGroup
	for n, p := range c.processes {
		stopping.Go(func() {
			if p.command != nil && p.command.ProcessState == nil {
				_ = c.kill(n) // it may have ended
			}
			_ = p.log.Close()
		})
	}
	stopping.Wait()
}

// complaints prints the messages of the processes, each with its number.
func (c *cluster) complaints() {
	messages := map[string]int{}
	for _, p := range c.processes {
		text, _ := os.ReadFile(p.log.Name()) // what cannot be read has no messages
		for line := range bytes.Lines(text) {
			var m struct{ Level, Msg, Error string }
			if json.Unmarshal(line, &m) == nil {
				messages[strings.TrimSuffix(m.Level+": "+m.Msg+": "+m.Error, ": ")]++
			}
		}
	}
	for message, times := range messages {
		fmt.Printf("     log, %d ×: %.300s\n", times, message)
	}
}

var client = &http.Client{
	Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 5 * time.Second}, Timeout: time.Minute,
}

type object = map[string]any

type made struct {
	ID           int64
	UUID, Secret string
}

// response is an HTTP response with its whole body.
type response struct {
	status int
	header http.Header
	body   []byte
}

// send sends a request to process n, with a token or as the admin. After an error its outcome is
// unknown.
func (c *cluster) send(ctx context.Context, n int, method, path, token string, body any) (response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return response{}, err
		}
	}
	base := "http://" + c.processes[n].address
	q, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(text))
	if err != nil {
		return response{}, err
	}
	q.Header.Set("Content-Type", "application/json")
	if token != "" {
		q.Header.Set("Authorization", token)
	} else {
		q.Header.Set("Cookie", c.admin)
		q.Header.Set("Origin", base)
	}
	a, err := client.Do(q)
	if err != nil {
		return response{}, err
	}
	defer a.Body.Close() //nolint:errcheck // read completely
	read, err := io.ReadAll(a.Body)
	return response{a.StatusCode, a.Header, read}, err
}

// must sends a request of the admin to a random process, requires success and decodes the body.
func must[T any](ctx context.Context, c *cluster, method, path string, body any) (value T, err error) {
	a, err := c.send(ctx, rand.N(len(c.processes)), method, path, "", body)
	if err == nil && a.status/100 != 2 {
		err = fmt.Errorf("%s %s answered %d: %s", method, path, a.status, a.body)
	}
	if err == nil && len(a.body) > 0 {
		err = json.Unmarshal(a.body, &value)
	}
	return value, err
}
