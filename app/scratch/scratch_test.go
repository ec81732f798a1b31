package scratch

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// No file is left, neither where an open file can be removed nor, as on Windows, where it is closed before.
func TestFilesDisappear(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	left := func() []os.DirEntry {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		return entries
	}
	file, err := New("a-")
	require.NoError(t, err)
	_, err = file.WriteString("words")
	require.NoError(t, err)
	read := make([]byte, 5)
	_, err = file.ReadAt(read, 0)
	require.NoError(t, err)
	require.Equal(t, "words", string(read))
	require.NoError(t, file.Close())
	require.Empty(t, left())

	open, err := os.CreateTemp("", "a-")
	require.NoError(t, err)
	require.Len(t, left(), 1)
	require.NoError(t, (&File{File: open, left: true}).Close())
	require.Empty(t, left())
}
