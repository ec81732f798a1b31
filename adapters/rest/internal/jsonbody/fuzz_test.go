package jsonbody

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// FuzzDecode checks that every body is either rejected with an error of the client, or is one
// JSON object without duplicate members that is decoded completely.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"locale":"de","published":true,"publishAt":"2026-01-02T15:04:05Z","fields":{"title":"x","deep":{"a":[1,{"b":null}]}}}`,
		`{"fields":{"a":1,"a":2}}`, `{"fields":{"a":"\ud83d\ude00"}}`, `{"fields":{"a":"\ud83d"}}`, `{"Fields":{}}`, `{} {}`, `[`, `"`,
		`{"fields":{"\u0061":1,"a":2}}`, `{"translationOf":1e2}`, "{\"fields\":{\"a\":\"\xff\"}}", `{"fields":{"a":"\u0000"}}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var body entryBody
		if err := Decode(raw, &body); err != nil {
			require.Contains(t, []core.Kind{core.KindBadRequest, core.KindInvalid}, core.KindOf(err))
			return
		}
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &members))
		require.NotContains(t, members, "Fields")
		require.Equal(t, string(members["fields"]) == "" || string(members["fields"]) == "null", body.Fields == nil)
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		require.False(t, hasDuplicate(t, decoder))
	})
}

// entryBody is a body with members of all kinds.
type entryBody struct {
	Locale        *string                    `json:"locale,omitempty"`
	TranslationOf *int64                     `json:"translationOf,omitempty"`
	Published     *bool                      `json:"published,omitempty"`
	PublishAt     *time.Time                 `json:"publishAt,omitempty"`
	Fields        map[string]json.RawMessage `json:"fields,omitempty"`
}

// hasDuplicate reads one value and reports whether an object in it has a duplicate member.
func hasDuplicate(t *testing.T, d *json.Decoder) bool {
	token, err := d.Token()
	require.NoError(t, err)
	opening, nested := token.(json.Delim)
	if !nested {
		return false
	}
	found, seen := false, map[any]bool{}
	for d.More() {
		if opening == '{' {
			name, err := d.Token()
			require.NoError(t, err)
			found = found || seen[name]
			seen[name] = true
		}
		found = hasDuplicate(t, d) || found
	}
	_, err = d.Token()
	require.NoError(t, err)
	return found
}
