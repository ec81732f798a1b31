package peers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"imprimatur/test/bench/article"
)

// bench holds the configuration and the servers of a run.
type bench struct {
	options
	source  string // directory of this program's source, with a directory per peer
	all     []article.Article
	numbers map[string]int // article numbers by slug
	servers []*server
}

// say prints progress.
func say(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
}

// locate finds the source directory and creates the installation directory.
func (b *bench) locate(ctx context.Context) error {
	source, err := output(ctx, "", "go", "list", "-f", "{{.Dir}}", "imprimatur/test/bench/peers")
	if err != nil {
		return err
	}
	b.source = source
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	return os.MkdirAll(b.dir, 0o755)
}

// output runs a command and returns its output.
func output(ctx context.Context, dir, name string, arguments ...string) (string, error) {
	return outputOf(exec.CommandContext(ctx, name, arguments...), dir)
}

func outputOf(command *exec.Cmd, dir string) (string, error) {
	var out, diagnostics bytes.Buffer
	command.Dir = dir
	endWhole(command)
	command.Stdout, command.Stderr = &out, &diagnostics
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(command.Args, " "), err, out.Bytes(), diagnostics.Bytes())
	}
	return strings.TrimSpace(out.String()), nil
}

// endWhole makes the cancellation of a command's context end its child processes, too.
func endWhole(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
