package program

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// LimitFiles lets the running program open no file with a number of limit or more.
func (p *Process) LimitFiles(t testing.TB, limit uint64) {
	t.Helper()
	to := unix.Rlimit{Cur: limit, Max: limit}
	if err := unix.Prlimit(p.command.Process.Pid, unix.RLIMIT_NOFILE, &to, nil); err != nil {
		t.Fatal(err)
	}
}

// Files returns how many files the program has open.
func (p *Process) Files(t testing.TB) int {
	t.Helper()
	open, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(p.command.Process.Pid), "fd"))
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}
