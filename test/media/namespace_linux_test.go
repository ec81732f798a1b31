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

// mount mounts a tmpfs of the given size.
func mount(folder, size string) error {
	return syscall.Mount("none", folder, "tmpfs", 0, "size="+size)
}

// inNamespace runs the plan in a process with its own mount namespace. It skips where that
// is not permitted; the adapter's tests cover a full disk as well.
func inNamespace(t *testing.T, p plan) (code int, output string) {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), planVariable+"="+string(text))
	child.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // private mounts
	if os.Geteuid() != 0 {
		child.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		child.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		child.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	childOutput, err := child.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("mount namespaces are not permitted here")
	}
	if child.ProcessState == nil {
		t.Fatal(err)
	}
	return child.ProcessState.ExitCode(), string(childOutput)
}
