package main

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

// server is one process that answers the queries, in one form or more.
type server struct {
	name        string
	version     string
	address     string
	dir         string   // where it runs
	environment []string // beside the bench's own
	command     []string
	forms       []form
	postmaster  int   // where it reads from Postgres
	installed   int64 // bytes

	process    *exec.Cmd
	ended      chan struct{} // closed when the process has
	coldStart  time.Duration // from its start to its first good answer
	idle, peak int64         // bytes in memory: before any load, and the most under it
}

// form is one way to ask a server, as "REST" or "GraphQL", and the queries so asked.
type form struct {
	name     string
	requests map[string]load.Request
}

// title names a server and a form of it in a table.
func (s *server) title(f form) string {
	if f.name == "" {
		return s.name
	}
	return s.name + ", " + f.name
}

// pids returns the processes that work for the server.
func (s *server) pids() []int {
	if s.postmaster == 0 {
		return []int{s.process.Process.Pid}
	}
	return []int{s.process.Process.Pid, s.postmaster}
}

// start starts the process, and returns how long it took to answer r. What it says is in
// server.log in its folder.
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
		_ = process.Wait() // how it ends is of no matter
		close(ended)
	}()
	s.process, s.ended = process, ended
	if err := s.await(ctx, r); err != nil {
		s.stop()
		said, _ := os.ReadFile(log.Name()) // as much as there is
		return 0, fmt.Errorf("%s does not serve: %w\n%s", s.name, err, said)
	}
	return time.Since(started), nil
}

// await asks every few milliseconds until the answer is good.
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
			return errors.New("it has ended")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// stop ends the process, in good order if it can.
func (s *server) stop() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(os.Interrupt) // it may have ended
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
