//go:build unix

package command

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"
)

// TestWriteOutputIntoPipe checks that writeOutput writes into a named pipe and does not replace it.
func TestWriteOutputIntoPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	// Open for both directions, so that neither side waits for the other.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer pipe.Close()
	require.NoError(t, writeOutput(&cli.Command{}, path, func(w io.Writer) error {
		_, err := io.WriteString(w, "events")
		return err
	}))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.ModeNamedPipe, info.Mode().Type())
	got := make([]byte, len("events"))
	_, err = io.ReadFull(pipe, got)
	require.NoError(t, err)
	require.Equal(t, "events", string(got))
}
