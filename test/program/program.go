// Package program runs the real program in tests. It is built once, and each run has a
// working directory of its own.
package program

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"imprimatur/app/demo"
	"imprimatur/test/postgrestest"
)

// Main builds the program, runs the tests and returns their exit code. A package
// that launches it has: func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
func Main(m *testing.M) int {
	return MainBuilt(m, func(output string) *exec.Cmd {
		return exec.Command("go", "build", "-ldflags=-w", "-o", output, "imprimatur/app")
	})
}

// MainBuilt is Main with another build command, which writes the program to output.
func MainBuilt(m *testing.M, build func(output string) *exec.Cmd) int {
	dir, err := os.MkdirTemp("", "imprimatur-program-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	binary = filepath.Join(dir, "imprimatur")
	if output, err := build(binary).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// binary is the built program.
var binary string

// Binary returns the path of the built program.
func Binary() string { return binary }

// Process is a running program.
type Process struct {
	command *exec.Cmd
	Dir     string // its working directory
	output  *lockedBuffer
	ended   chan struct{}
	err     error // once ended
}

// Launch starts the program in a directory of its own and stops it when the test ends.
func Launch(t testing.TB, args ...string) *Process {
	t.Helper()
	return launch(t, t.TempDir(), args...)
}

func launch(t testing.TB, dir string, args ...string) *Process {
	t.Helper()
	p := &Process{Dir: dir, output: &lockedBuffer{}, ended: make(chan struct{})}
	p.command = exec.Command(binary, args...)
	p.command.Dir = p.Dir
	p.command.Env = environment(args)
	p.command.Stdout, p.command.Stderr = p.output, p.output
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		select {
		case <-p.ended:
		default:
			p.Stop(t)
		}
		if t.Failed() {
			t.Logf("output of the program:\n%s", p.output)
		}
	})
	return p
}

// environment returns the environment of a run with args. On Postgres it has the secret key that
// the program needs there.
func environment(args []string) []string {
	onPostgres := func(arg string) bool { return strings.Contains(arg, "postgres://") }
	if !slices.ContainsFunc(args, onPostgres) {
		return os.Environ()
	}
	return append(os.Environ(), "IMPRIMATUR_SECRET_KEY="+postgrestest.SecretKey)
}

// Stop sends SIGTERM and waits until the program has exited with status 0.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
		if p.err != nil {
			t.Errorf("the program ended with %v", p.err)
		}
	case <-time.After(20 * time.Second):
		_ = p.command.Process.Kill() // the test has failed already
		t.Error("the program did not end within 20 s of SIGTERM")
	}
}

// Kill sends SIGKILL and waits until the program has ended.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	if err := p.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.ended
}

// Await polls until done. It fails when the program ends or after a minute.
func (p *Process) Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if done() {
			return
		}
		select {
		case <-p.ended:
			t.Fatalf("waiting for %s: the program ended: %v\n%s", what, p.err, p.output)
		default:
		}
	}
	t.Fatalf("waiting for %s: not within a minute\n%s", what, p.output)
}

// Run runs the program until it ends and returns its output.
func Run(t testing.TB, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, diagnostics bytes.Buffer
	command := exec.CommandContext(ctx, binary, args...)
	command.Dir = t.TempDir()
	command.Env = environment(args)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &out, &diagnostics
	err = command.Run()
	return out.String(), diagnostics.String(), err
}

type lockedBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.String()
}

// Output returns the output so far.
func (p *Process) Output() string { return p.output.String() }

// seeded is the folder with the data of a demo, which Demo copies. Creating its organisation takes
// seconds of password hashes and variants of pictures.
var seeded struct {
	once   sync.Once
	folder string // empty until the organisation is complete
}

// Demo launches the demo on free ports with further settings, and returns its facts. Its database is
// SQLite, with a copy of the organisation that the first call created, unless settings name another.
func Demo(t testing.TB, settings ...string) (*Process, demo.Facts) {
	t.Helper()
	folder := t.TempDir()
	if !slices.Contains(settings, "--database-url") {
		seeded.once.Do(func() { seed(t) })
		if seeded.folder == "" {
			t.Fatal("an earlier test failed to create the demo")
		}
		if err := os.CopyFS(filepath.Join(folder, demoFolder), os.DirFS(seeded.folder)); err != nil {
			t.Fatal(err)
		}
		settings = append(settings, "--keep")
	}
	return launchDemo(t, folder, settings...)
}

// demoFolder is the folder of the demo's data in its working directory.
const demoFolder = "var/demo"

// seed creates the organisation of the demo, and keeps its data until all tests have ended.
func seed(t testing.TB) {
	t.Helper()
	p, _ := launchDemo(t, t.TempDir())
	p.Stop(t)
	folder := filepath.Join(filepath.Dir(binary), "demo")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(p.Dir, demoFolder))); err != nil {
		t.Fatal(err)
	}
	seeded.folder = folder
}

func launchDemo(t testing.TB, folder string, settings ...string) (*Process, demo.Facts) {
	t.Helper()
	p := launch(t, folder, append([]string{"demo", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}, settings...)...)
	p.Await(t, "the greeting", func() bool { return strings.Contains(p.Output(), "Example commands") })
	facts, err := demo.Load(filepath.Join(folder, demoFolder))
	if err != nil {
		t.Fatal(err)
	}
	return p, facts
}
