package fieldtype_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/fieldtype"
)

// TestTypesAreComplete checks that each type declares everything that other packages use,
// and that its example is a valid canonical value that filters accept.
func TestTypesAreComplete(t *testing.T) {
	t.Parallel()
	for _, name := range fieldtype.Names(nil) {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			is := fieldtype.Of(name)
			require.NotEmpty(t, is.Form)
			require.NotEmpty(t, is.Control)
			options := fieldtype.Options{Choices: []string{"news"}}
			value, fault := is.Check(options, json.RawMessage(is.Example))
			require.Empty(t, fault)
			require.Equal(t, is.Example, string(value))
			if is.Kind == fieldtype.Opaque {
				require.Nil(t, is.Operand)
				require.Nil(t, is.Decode)
				return
			}
			stored, ok := is.Decode(value)
			require.True(t, ok)
			var item any
			require.NoError(t, json.Unmarshal(value, &item))
			if _, number := item.(float64); number {
				item = json.Number(value)
			}
			operand, fault := is.Operand(item)
			require.Empty(t, fault)
			require.Equal(t, stored, operand)
		})
	}
}

func TestUnknownTypes(t *testing.T) {
	t.Parallel()
	require.Nil(t, fieldtype.Of("geopoint"))
}
