package graphql

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every field of an entry is written by writeItems, so that no list falls back to
// the executor unnoticed.
func TestItemWritersKnowEveryField(t *testing.T) {
	t.Parallel()
	fields := newSchema(&query{}).Schema().Types["Entry"].Fields
	require.NotEmpty(t, fields)
	for _, field := range fields {
		require.Contains(t, itemWriters, field.Name)
		require.Empty(t, field.Arguments, field.Name)
	}
}
