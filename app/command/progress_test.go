package command

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	require.Equal(t, "0 lines, 0.0 of 2.0 MB (0 %)", progressLine(0, "lines", readBytes(0, 2_000_000), 0))
	require.Equal(t, "1500 lines, 0.5 of 2.0 MB (25 %)", progressLine(1500, "lines", readBytes(500_000, 2_000_000), 999*time.Millisecond))
	require.Equal(t, "1500 lines, 0.5 MB, 500 lines/s", progressLine(1500, "lines", readBytes(500_000, -1), 3*time.Second))
	require.Equal(t, "30 files of 40 (75 %), 15 files/s", progressLine(30, "files", share(30, 40), 2*time.Second))
	require.Equal(t, "30 files", progressLine(30, "files", share(30, 0), 0))
	require.Equal(t, "12 items of 40, 6 items/s", progressLine(12, "items", " of 40", 2*time.Second))

	var file bytes.Buffer
	p := newProgress(&file)
	p.show(1, "lines", "")
	p.end()
	require.Empty(t, file.String(), "only a terminal has a progress line")
}
