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

// cheapHashes has the linker make hashes of passwords cheap: each takes 0.16 s of processor time. Their cost is no matter of
// the tests that run the program; test/deploy runs it as it is shipped.
const cheapHashes = "-X imprimatur/adapters/password.defaultMemory=64"

// Main builds the program, runs the tests and returns their exit code. A package
// that launches it has: func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
func Main(m *testing.M) int {
	return run(m, func(output string) error {
		return shared(func(folder string) error {
			built := filepath.Join(folder, "imprimatur")
			if err := build(exec.Command("go", "build", "-ldflags=-s -w "+cheapHashes, "-o", built, "imprimatur/app")); err != nil {
				return err
			}
			return takeOver(built, output)
		})
	})
}

// MainBuilt is Main with another build command, which writes the program to output.
func MainBuilt(m *testing.M, command func(output string) *exec.Cmd) int {
	return run(m, func(output string) error { return build(command(output)) })
}

func build(command *exec.Cmd) error {
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, output)
	}
	return nil
}

// run runs the tests with the program that build writes to output.
func run(m *testing.M, build func(output string) error) int {
	dir, err := os.MkdirTemp("", "imprimatur-program-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary
	binary = filepath.Join(dir, "imprimatur")
	if err := build(binary); err != nil {
		fmt.Fprintln(os.Stderr, err)
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

// LaunchBinary is Launch of another program than the built one.
func LaunchBinary(t testing.TB, path string, args ...string) *Process {
	t.Helper()
	return start(t, t.TempDir(), exec.Command(path, args...))
}

func launch(t testing.TB, dir string, args ...string) *Process {
	t.Helper()
	return start(t, dir, exec.Command(binary, args...))
}

// start starts a command that runs the program in dir.
func start(t testing.TB, dir string, command *exec.Cmd) *Process {
	t.Helper()
	p := &Process{command: command, Dir: dir, output: &lockedBuffer{}, ended: make(chan struct{})}
	p.command.Dir = p.Dir
	p.command.Env = environment(command.Args)
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

// Ended waits until the program has ended by itself, and returns why: nil for status 0.
func (p *Process) Ended(t testing.TB) error {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Fatalf("the program did not end\n%s", p.output)
	}
	return p.err
}

// Kill sends SIGKILL and waits until the program has ended.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	if err := p.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.ended
}

// Await polls until done. It fails when the program ends or after three minutes: a busy machine needs more than one.
func (p *Process) Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for late := time.After(3 * time.Minute); !done(); {
		select {
		case <-p.ended:
			t.Fatalf("waiting for %s: the program ended: %v\n%s", what, p.err, p.output)
		case <-late:
			t.Fatalf("waiting for %s: not within three minutes\n%s", what, p.output)
		case <-time.After(20 * time.Millisecond):
		}
	}
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

// PeakMemory returns the most bytes that the process had in memory at once, as Linux counts them.
func (p *Process) PeakMemory() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	_, err = fmt.Sscan(after, &kilobytes)
	return kilobytes << 10, err
}

// Demo launches the demo on free ports with further settings, and returns its facts. Its database is
// SQLite, with a copy of an organisation that all tests share, unless settings name another.
func Demo(t testing.TB, settings ...string) (*Process, demo.Facts) {
	t.Helper()
	return DemoIn(t, t.TempDir(), settings...)
}

// DemoIn is Demo with folder as the working directory.
func DemoIn(t testing.TB, folder string, settings ...string) (*Process, demo.Facts) {
	t.Helper()
	if !slices.Contains(settings, "--database-url") {
		if err := copySeed(t, filepath.Join(folder, demoFolder)); err != nil {
			t.Fatal(err)
		}
		settings = append(settings, "--keep")
	}
	return launchDemo(t, folder, settings...)
}

// FreshDemo is Demo with an organisation that this process created.
func FreshDemo(t testing.TB, settings ...string) (*Process, demo.Facts) {
	t.Helper()
	return launchDemo(t, t.TempDir(), settings...)
}

// demoFolder is the folder of the demo's data in its working directory.
const demoFolder = "var/demo"

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
