package peers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"imprimatur/test/bench/load"
)

// server is one server process with one or more forms of the queries.
type server struct {
	name        string
	version     string
	address     string
	dir         string   // working directory
	environment []string // in addition to the environment of the benchmark
	command     []string
	forms       []form
	postmaster  int   // process id of its Postgres server, if any
	installed   int64 // bytes

	process    *exec.Cmd
	ended      chan struct{} // closed when the process has ended
	coldStart  time.Duration // from start to the first good response
	idle, peak int64         // resident bytes before any load, and the peak under load
}

// form is an API of a server, for example REST or GraphQL, with its requests.
type form struct {
	name     string
	requests map[string]load.Request
}

// title returns the name of a server and a form in tables.
func (s *server) title(f form) string {
	if f.name == "" {
		return s.name
	}
	return s.name + ", " + f.name
}

// pids returns the process ids of the server and its database.
func (s *server) pids() []int {
	if s.postmaster == 0 {
		return []int{s.process.Process.Pid}
	}
	return []int{s.process.Process.Pid, s.postmaster}
}

// start starts the process, and returns the time until it responds to r. Its output is in
// server.log in its directory.
func (s *server) start(ctx context.Context, r load.Request) (time.Duration, error) {
	log, err := os.OpenFile(filepath.Join(s.dir, "server.log"), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o644)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	process := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	process.Dir = s.dir
	process.Env = append(os.Environ(), s.environment...)
	process.Stdout, process.Stderr = log, log
	endWhole(process)
	started := time.Now()
	if err := process.Start(); err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait() // the exit status does not matter
		close(ended)
	}()
	s.process, s.ended = process, ended
	if err := s.await(ctx, r); err != nil {
		s.stop()
		text, _ := os.ReadFile(log.Name()) // may be empty
		return 0, fmt.Errorf("%s does not respond: %w\n%s", s.name, err, text)
	}
	return time.Since(started), nil
}

// await polls every few milliseconds until the response is good.
func (s *server) await(ctx context.Context, r load.Request) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		status, body, err := load.Once(r)
		if err == nil && status == http.StatusOK {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %d %.300s %w", ctx.Err(), status, body, err)
		case <-s.ended:
			return errors.New("the process has ended")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// stop stops the process, gracefully if possible.
func (s *server) stop() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(os.Interrupt) // the process may have ended
	kill := time.AfterFunc(5*time.Second, func() { _ = s.process.Cancel() })
	<-s.ended
	kill.Stop()
	s.process = nil
}

func (b *bench) stop() {
	for _, s := range b.servers {
		s.stop()
	}
}
