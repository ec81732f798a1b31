package graphql

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// resolve writes every field of an entry, so that no list falls back to the executor.
func TestItemWritersCoverEveryField(t *testing.T) {
	t.Parallel()
	fields := newSchema(&queryRoot{}).Schema().Types["Entry"].Fields
	require.NotEmpty(t, fields)
	for _, field := range fields {
		require.Contains(t, itemWriters, field.Name)
		require.Empty(t, field.Arguments, field.Name)
	}
}
