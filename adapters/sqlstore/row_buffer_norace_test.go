//go:build !race

package sqlstore

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// Under the race detector a sync.Pool drops objects at random.
func TestARowBufferIsUsedAgain(t *testing.T) { //nolint:paralleltest // counts allocations
	b, document := &rowBuffer{}, bytes.Repeat([]byte("x"), 1000)
	page := func() (rows []core.Row) {
		rows = b.rows(3)
		for n := range 3 {
			rows = append(rows, core.Row{ID: int64(n), Document: keep(b, document)})
		}
		b.free()
		return rows
	}
	for _, row := range page() {
		require.Equal(t, core.Row{}, row, "freed rows hold no references")
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { page() }))
}
