package command

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExplainNothing checks the output for a request that selects nothing.
func TestExplainNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, printExplained(&out, nil))
	require.Equal(t, "The request selects no entries, so it needs no statement.\n", out.String())
}
