package graphql

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/graphql/model"
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

// The executor's buffer grows once for a list, and the list is written in its memory.
func TestItemListsAreNotCopied(t *testing.T) {
	entries := make([]model.Entry, 20)
	for i := range entries {
		entries[i].Data.Raw = []byte(strings.Repeat("1", 1000))
	}
	list := &itemList{entries: entries, fields: itemFields{{head: `"data":`, value: itemWriters["data"]}}}
	var other strings.Builder
	list.MarshalGQL(&other)
	require.Equal(t, 20, strings.Count(other.String(), `{"data":1`))

	buffer := bytes.NewBufferString("before")
	list.MarshalGQL(buffer)
	require.Equal(t, "before"+other.String(), buffer.String())

	allocations := testing.AllocsPerRun(10, func() { list.MarshalGQL(new(bytes.Buffer)) })
	require.LessOrEqual(t, allocations, 2.0, "the buffer and its memory")
}
