package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"
)

// TestWriteOutput checks which files writeOutput replaces, and which it writes into.
func TestWriteOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string, fault error) error {
		return writeOutput(&cli.Command{}, at(name), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fault)
		})
	}
	want := func(name, text string) {
		t.Helper()
		got, err := os.ReadFile(at(name))
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	isLink := func(name string) {
		t.Helper()
		info, err := os.Lstat(at(name))
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink, name)
	}

	require.NoError(t, write("file", "first", nil))
	require.NoError(t, write("file", "second", nil))
	require.Error(t, write("file", "third", io.ErrShortWrite))
	want("file", "second")

	require.NoError(t, os.Symlink("file", at("link")))
	require.NoError(t, write("link", "by link", nil))
	isLink("link")
	want("file", "by link")
	require.NoError(t, os.Symlink("new", at("dangling")))
	require.NoError(t, write("dangling", "new", nil))
	isLink("dangling")
	want("new", "new")

	require.Error(t, write("", "a folder", nil))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 4, "temporary files are left")
}
