package core_test

import (
	"encoding/json"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

func TestDocumentEachVisitsRawMembersInOrder(t *testing.T) {
	t.Parallel()
	type member struct{ name, value string }
	for document, want := range map[string][]member{
		``:                                  nil,
		`{}`:                                nil,
		`{"a":1}`:                           {{"a", "1"}},
		`{"a":-1.5e+30,"b":null}`:           {{"a", "-1.5e+30"}, {"b", "null"}},
		`{"a":"","b":true}`:                 {{"a", `""`}, {"b", "true"}},
		`{"a":"\\","b":"\""}`:               {{"a", `"\\"`}, {"b", `"\""`}},
		`{"a":"\\\"\\\\","b":"}],{"}`:       {{"a", `"\\\"\\\\"`}, {"b", `"}],{"`}},
		`{"a":[],"b":{},"c":0}`:             {{"a", "[]"}, {"b", "{}"}, {"c", "0"}},
		`{"a":["]","\\"],"b":{"\"}":[{}]}}`: {{"a", `["]","\\"]`}, {"b", `{"\"}":[{}]}`}},
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			var got []member
			core.Document(document).Each(func(name, value []byte) { got = append(got, member{string(name), string(value)}) })
			require.Equal(t, want, got)
		})
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		``: nil, `[]`: nil, `7`: {"7"}, `[7]`: {"7"}, `[1,[2,3],"],"]`: {"1", "[2,3]", `"],"`}, `"[1]"`: {`"[1]"`},
	} {
		var got []string
		canonical.Elements([]byte(value), func(element []byte) { got = append(got, string(element)) })
		require.Equal(t, want, got, value)
	}
}

// Splitting a document into members and joining them returns the same bytes. The values equal
// those of a JSON decoder.
func TestDocumentsRoundTrip(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune(`"\,:{}[]`))))
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(rapid.MapOf(rapid.StringMatching(`[a-z][A-Za-z0-9_]{0,5}`), rapid.OneOf(
			rapid.Map(text, func(s string) any { return s }),
			rapid.Map(rapid.SliceOf(text), func(s []string) any { return s }),
			rapid.Map(rapid.MapOf(text, rapid.Int32()), func(m map[string]int32) any { return m }),
		)).Draw(t, "document"))
		require.NoError(t, err)
		canonical, err := jcs.Transform(raw)
		require.NoError(t, err)

		values := core.Document(canonical).Values()
		require.Equal(t, string(canonical), string(core.NewDocument(values)))
		var decoded map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(canonical, &decoded))
		require.Equal(t, decoded, values)
	})
}

func TestValueFindsOneMember(t *testing.T) {
	t.Parallel()
	document := core.Document(`{"a":1,"b":"x\"c\":2","c":[{"d":4},"e"],"f":null}`)
	for name, want := range map[string]string{"a": "1", "b": `"x\"c\":2"`, "c": `[{"d":4},"e"]`, "d": "", "f": "null", "g": "", "": ""} {
		if got := string(document.Value(name)); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if got := core.Document(nil).Value("a"); got != nil {
		t.Errorf("no document: %s", got)
	}
}

func TestLocateFindsPositions(t *testing.T) {
	t.Parallel()
	document := core.Document(`{"a":1,"ab":"x\"c\":2","c":[{"d":4},"e"],"f":null}`)
	for _, c := range []struct {
		document core.Document
		names    []string
		want     []string
	}{
		{document, []string{"a", "ab", "c", "f"}, []string{"1", `"x\"c\":2"`, `[{"d":4},"e"]`, "null"}},
		{document, []string{"ab", "d", "f"}, []string{`"x\"c\":2"`, "", "null"}},
		{document, []string{"", "aa", "b", "c", "g"}, []string{"", "", "", `[{"d":4},"e"]`, ""}},
		{document, []string{"abc", "z"}, []string{"", ""}},
		{core.Document(`{}`), []string{"a"}, []string{""}},
		{nil, []string{"a"}, []string{""}},
		{document, nil, nil},
	} {
		spans := make([]core.Span, len(c.names))
		c.document.Locate(c.names, spans)
		var got []string
		for _, span := range spans {
			got = append(got, string(c.document.At(span)))
		}
		require.Equal(t, c.want, got, c.names)
	}
}
