package canonical_test

import (
	"errors"
	"strings"
	"testing"

	"imprimatur/core/canonical"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTransform compares Transform with another implementation.
func TestTransform(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "é", "\u20ac", "\ufb33", "\U0001f600", "\\n", "\\u0041", "id", "hash"}), rapid.StringMatching(`[a-zA-Z0-9]{0,4}`))
	scalar := rapid.OneOf(
		rapid.SampledFrom([]string{"true", "false", "null", "0", "-0", "1e21", "1E-7", "333333333.33333329", "4.50", "2e-3", "0.000000000000000000000000001", "9007199254740993", "123456789012345", `"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"`, `"\ud83d\ude00"`}),
		rapid.Custom(func(t *rapid.T) string { return string(canonical.Quote(rapid.String().Draw(t, "text"))) }),
	)
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			space := rapid.SampledFrom([]string{"", " ", "\n\t"})
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			if depth == 0 || kind == 0 {
				return scalar.Draw(t, "scalar")
			}
			parts := rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "parts")
			if kind == 1 {
				return "[" + strings.Join(parts, ","+space.Draw(t, "space")) + "]"
			}
			names := rapid.SliceOfNDistinct(name, len(parts), len(parts), func(s string) string { return strings.ReplaceAll(s, "\\u0041", "A") }).Draw(t, "names")
			for i := range parts {
				parts[i] = `"` + names[i] + `"` + space.Draw(t, "space") + ":" + parts[i]
			}
			return "{" + space.Draw(t, "space") + strings.Join(parts, ",") + "}"
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		text := value(3).Draw(t, "text")
		want, err := jcs.Transform([]byte(`{"x":` + text + `}`))
		require.NoError(t, err, "%s", text)
		got, err := canonical.Transform([]byte(` {"x": ` + text + "}\n"))
		require.NoError(t, err, "%s", text)
		require.Equal(t, string(want), string(got))
	})
}

func TestTransformNamesTheWrongByte(t *testing.T) {
	t.Parallel()
	for text, offset := range map[string]int{
		"": 0, "{": 1, "[1,]": 3, "[1 2]": 3, `{"a":1,}`: 7, `{"a" 1}`: 5, `{a:1}`: 1, `{"a":1,"b":2,"a":3}`: 13, `{"a":1,"\u0061":3}`: 7,
		"tru": 0, "01": 0, "1e999": 0, `"a`: 2, "\"\x01\"": 1, "\"a\xffb\"": 2, "\"\\n\xff\"": 3, `"\ud800"`: 0, `"\x"`: 0, "1 1": 2, `["`: 2, `"\`: 2,
		strings.Repeat("[", 200): 101,
	} {
		_, err := canonical.Transform([]byte(text))
		var fault *canonical.SyntaxError
		require.True(t, errors.As(err, &fault), "%q: %v", text, err)
		require.Equal(t, offset, fault.Offset, "%q: %v", text, err)
	}
}
