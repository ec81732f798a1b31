package fieldtype_test

import (
	"encoding/json"
	"strings"
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
			if is.Items {
				require.True(t, json.Valid([]byte(is.Example)))
				require.Nil(t, is.Check)
				return
			}
			options := fieldtype.Options{Choices: []string{"news"}}
			value, fault := is.Check(json.RawMessage(is.Example))
			require.Empty(t, fault)
			require.Equal(t, is.Example, string(value))
			if is.Meets != nil {
				require.Zero(t, is.Meets(options, value))
			}
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

// TestOnlyMinAndPatternMayBeMissedByDrafts checks the fault of each option.
func TestOnlyMinAndPatternMayBeMissedByDrafts(t *testing.T) {
	t.Parallel()
	two, four := 2.0, 4.0
	for name, c := range map[string]struct {
		is      fieldtype.Name
		options fieldtype.Options
		value   string
		want    fieldtype.Fault
	}{
		"short text":     {"text", fieldtype.Options{Min: &two}, `"a"`, fieldtype.Fault{Message: "must have at least 2 characters", Incomplete: true}},
		"long text":      {"richtext", fieldtype.Options{Max: &two}, `"abc"`, fieldtype.Fault{Message: "must have at most 2 characters"}},
		"other text":     {"slug", fieldtype.Options{Pattern: "[a-z]+"}, `"a-1"`, fieldtype.Fault{Message: "does not match the pattern [a-z]+", Incomplete: true}},
		"own words":      {"text", fieldtype.Options{Pattern: "[a-z]+", PatternMessage: "must be one word"}, `"a b"`, fieldtype.Fault{Message: "must be one word", Incomplete: true}},
		"long and other": {"url", fieldtype.Options{Max: &two, Pattern: "x"}, `"http://a"`, fieldtype.Fault{Message: "must have at most 2 characters"}},
		"good text":      {"email", fieldtype.Options{Min: &two, Pattern: ".*"}, `"a@b"`, fieldtype.Fault{}},
		"small number":   {"number", fieldtype.Options{Min: &two, Max: &four}, `1.5`, fieldtype.Fault{Message: "must be at least 2", Incomplete: true}},
		"large number":   {"number", fieldtype.Options{Min: &two, Max: &four}, `4.5`, fieldtype.Fault{Message: "must be at most 4"}},
		"one of many":    {"number", fieldtype.Options{Min: &two, Multiple: true}, `1`, fieldtype.Fault{}},
		"text of many":   {"text", fieldtype.Options{Max: &two, Multiple: true, Pattern: "[a-z]+"}, `"abc"`, fieldtype.Fault{}},
		"no choice":      {"enumeration", fieldtype.Options{Choices: []string{"a", "b"}}, `"c"`, fieldtype.Fault{Message: "must be one of: a, b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, fieldtype.Of(c.is).Meets(c.options, json.RawMessage(c.value)))
		})
	}
}

// TestLengths checks the longest values of types, in bytes of the value and of its folded form.
func TestLengths(t *testing.T) {
	t.Parallel()
	const asText, asFolded = "must be 1 character shorter to have at most 1000 bytes: ", "must be shorter to have at most 1000 bytes in the form by which it is sorted: "
	const instead = "use a field of type longtext for more"
	for _, c := range []struct {
		is    fieldtype.Name
		text  string
		fault string
	}{
		{"text", strings.Repeat("x", 1000), ""},
		{"text", strings.Repeat("X", 1001), asText + instead},
		{"text", strings.Repeat("é", 500), ""},
		{"text", strings.Repeat("é", 500) + "x", asText + instead},
		{"text", strings.Repeat("각", 334), asText + instead},
		{"text", strings.Repeat("각", 340), "must be 7 characters shorter to have at most 1000 bytes: " + instead},
		{"text", strings.Repeat("각", 111), ""}, // folded, a syllable has nine bytes
		{"text", strings.Repeat("각", 112), asFolded + instead},
		{"text", strings.Repeat("\ufdfa", 31), asFolded + instead},
		{"text", strings.Repeat("\u0001", 1001), asText + instead},
		{"slug", strings.Repeat("x", 1000), ""},
		{"slug", strings.Repeat("x", 1001), asText + instead},
		{"enumeration", strings.Repeat("x", 1001), asText + instead},
		{"url", "https://example.org/" + strings.Repeat("x", 1980), ""},
		{"url", "https://example.org/" + strings.Repeat("x", 1981), "must be 1 character shorter to have at most 2000 bytes"},
		{"longtext", strings.Repeat("각", 5000), ""},
		{"richtext", strings.Repeat("각", 5000), ""},
	} {
		raw, err := json.Marshal(c.text)
		require.NoError(t, err)
		_, fault := fieldtype.Of(c.is).Check(raw)
		require.Equal(t, c.fault, fault, "%s of %d bytes", c.is, len(c.text))
	}
}

func TestUnknownTypes(t *testing.T) {
	t.Parallel()
	require.Nil(t, fieldtype.Of("geopoint"))
}
