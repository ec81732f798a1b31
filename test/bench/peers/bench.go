package main

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

// bench is where and with what the servers are brought up.
type bench struct {
	options
	source  string // folder of this program's source, with a folder for each peer
	all     []article.Article
	numbers map[string]int // of the articles in all, by their slugs
	servers []*server
}

// say prints the progress.
func say(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
}

// locate finds the source, and makes the folder that is kept.
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

// output runs a command to its end and returns what it said.
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

// endWhole has the end of a command's context end all that the command started, too.
func endWhole(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
