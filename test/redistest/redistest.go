// Package redistest starts real Redis servers for tests.
package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"imprimatur/test/await"
)

// Server is a Redis server that listens only on loopback and stores nothing on disk.
type Server struct {
	program string
	address string
	process *exec.Cmd // nil while it is stopped
	// lifeline is held open by this process. When it closes, however the process
	// ends, supervise stops the server.
	lifeline *os.File
}

// supervise runs the server $1 on port $2 until its input is closed.
const supervise = `
"$1" --bind 127.0.0.1 --port "$2" --save '' --appendonly no >/dev/null 2>&1 &
read -r _
kill -KILL $!
`

// New starts a server that stops when t ends. The test fails if no server can be started;
// it never skips.
func New(t testing.TB) *Server {
	t.Helper()
	program, err := find()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{program: program, address: freeAddress(t)}
	s.Start(t)
	t.Cleanup(func() { s.Stop(t) })
	return s
}

// URL returns the URL of the server, also while it is stopped.
func (s *Server) URL() string { return "redis://" + s.address }

// Start starts a stopped server, empty, at the same address.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	input, lifeline, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close() //nolint:errcheck // the child has its own
	s.lifeline = lifeline
	s.process = exec.CommandContext(context.Background(), "/bin/sh", "-c", supervise, "sh", s.program, port)
	s.process.Dir = t.TempDir()
	s.process.Stdin = input
	// A process group of its own, so that signals reach both the shell and the server.
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "redis-server", func() bool {
		conn, err := net.Dial("tcp", s.address)
		if err == nil {
			_ = conn.Close() // only checks that the server answers
		}
		return err == nil
	})
}

// Stop kills the server, if it runs, and closes every connection.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	if s.process == nil {
		return
	}
	s.signal(t, syscall.SIGKILL)
	_ = s.process.Wait() // it was killed
	_ = s.lifeline.Close()
	s.process = nil
}

func (s *Server) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(-s.process.Process.Pid, signal); err != nil {
		t.Error(err)
	}
}

// Freeze suspends the server: its connections stay open without responses. thaw resumes it.
func (s *Server) Freeze(t testing.TB) (thaw func()) {
	t.Helper()
	s.signal(t, syscall.SIGSTOP)
	return func() { s.signal(t, syscall.SIGCONT) }
}

func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // without connections
	return listener.Addr().String()
}

// find returns the path of redis-server, which it installs if missing.
var find = sync.OnceValues(func() (string, error) {
	if program, err := exec.LookPath("redis-server"); err == nil {
		return program, nil
	}
	install := exec.CommandContext(context.Background(), "/bin/sh", "-c", install)
	// The package must not start a server of its own.
	install.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1")
	if output, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("no redis-server is installed, and installing it failed (as root: apt-get install redis-server): %w: %s", err, output)
	}
	return exec.LookPath("redis-server")
})

// install waits for other running installations.
const install = `
apt-get update -qq
apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 redis-server
`
