package program

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// LaunchOnDisk is Launch with a file system of the given size ("24m") in the folder disk of the working
// directory. Only the program and this process see it; its path for this process is returned. The test is skipped
// where file systems cannot be mounted.
func LaunchOnDisk(t testing.TB, size string, args ...string) (p *Process, disk string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "disk"), 0o700); err != nil {
		t.Fatal(err)
	}
	const script = `mount -t tmpfs -o size="$1" none disk && shift && exec "$@"`
	private := func(command *exec.Cmd) *exec.Cmd {
		command.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		if os.Geteuid() != 0 {
			command.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
			command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		return command
	}
	if err := private(exec.Command("true")).Run(); errors.Is(err, syscall.EPERM) {
		t.Skip("mount namespaces are not permitted here")
	}
	p = start(t, dir, private(exec.Command("sh", append([]string{"-c", script, "sh", size, binary}, args...)...)))
	return p, filepath.Join("/proc", strconv.Itoa(p.command.Process.Pid), "root", dir, "disk")
}
