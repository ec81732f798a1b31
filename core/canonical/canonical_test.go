package canonical_test

import (
	"encoding/json"
	"testing"

	"imprimatur/core/canonical"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestQuote compares Quote with the canonical form of encoding/json's output, and decodes
// both.
func TestQuote(t *testing.T) {
	t.Parallel()
	special := rapid.StringOf(rapid.SampledFrom([]rune("a\"\\/<>&\x00\x1f\x7f\n\t\u2028\ufffd\U0001f600é")))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), special).Draw(t, "text")
		escaped, err := json.Marshal(text)
		require.NoError(t, err)
		want, err := jcs.Transform(escaped)
		require.NoError(t, err)
		require.Equal(t, string(want), string(canonical.Quote(text)))
		for _, raw := range [][]byte{escaped, want} {
			back, ok := canonical.Unquote(raw)
			require.True(t, ok, "%s", raw)
			require.Equal(t, text, back)
		}
	})
	require.Equal(t, "\"\ufffd\"", string(canonical.Quote("\xff")), "invalid UTF-8")
	for _, raw := range []string{"", `"`, "1", "null", `["a"]`, `"\ud800"`, "\"\xff\"", `"a" "b"`} {
		text, ok := canonical.Unquote(json.RawMessage(raw))
		require.False(t, ok, "%s", raw)
		require.Empty(t, text)
	}
}
