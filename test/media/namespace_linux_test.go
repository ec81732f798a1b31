package media_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// mount mounts a file system of memory, of that size.
func mount(folder, size string) error {
	return syscall.Mount("none", folder, "tmpfs", 0, "size="+size)
}

// inNamespace runs the plan in a process that may mount file systems, which go with
// it. Where nobody lets it, what a full disk means is still tested on the adapter.
func inNamespace(t *testing.T, p plan) (code int, output string) {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), planVariable+"="+string(text))
	child.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // which makes its mounts its own
	if os.Geteuid() != 0 {
		child.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	said, err := child.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("a file system of its own is not to be had here")
	}
	if child.ProcessState == nil {
		t.Fatal(err)
	}
	return child.ProcessState.ExitCode(), string(said)
}
