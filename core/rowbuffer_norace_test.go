//go:build !race

package core_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// Under the race detector a sync.Pool drops objects at random.
func TestARowBufferIsUsedAgain(t *testing.T) { //nolint:paralleltest // counts allocations
	b, document := &core.RowBuffer{}, bytes.Repeat([]byte("x"), 1000)
	page := func() (rows []core.Row) {
		rows = b.Rows(3)
		for n := range 3 {
			rows = append(rows, core.Row{ID: int64(n), Document: core.Keep(b, document)})
		}
		b.Free()
		return rows
	}
	for _, row := range page() {
		require.Equal(t, core.Row{}, row, "freed rows hold no references")
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { page() }))
}
