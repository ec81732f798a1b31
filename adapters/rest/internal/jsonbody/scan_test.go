package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/wire"
	"imprimatur/core"
)

const (
	hasNUL        = " must not contain U+0000"
	loneSurrogate = " contains an unpaired surrogate"
)

// scanCases are bodies and the faults that scan finds in them.
var scanCases = map[string][]string{
	`{"title":"\u0000","tags":["a","\ud800"],"deep":{"list":[[1,"\udc00x"]]}}`: {"title" + hasNUL, "tags[1]" + loneSurrogate, "deep.list[0][1]" + loneSurrogate},
	`{"a":{"\u0000":"\ud800","\udfff":1},"\ud800":2,"b":[{"\u0000":[]}]}`:      {"a" + hasNUL, "a.\x00" + loneSurrogate, "a" + loneSurrogate, loneSurrogate, "b[0]" + hasNUL},
	`["\u0000\ud800\ud800\udc00\uD800\u0041\u0000"]`:                           {"[0]" + hasNUL, "[0]" + loneSurrogate},
	`[[],{"":{"":"\u0000"}},"\uDBFF\uDFFF\udc00"]`:                             {"[1].." + hasNUL, "[2]" + loneSurrogate},
	`"\u0000"`: {hasNUL},
	`{"a":"` + strings.Repeat(`\u0000`, 200) + `\udc00","b":"\udc00\udc00"}`:    {"a" + hasNUL, "a" + loneSurrogate, "b" + loneSurrogate},
	`{"a":{"x\u0000":"\u0000","y\u0000":1}}`:                                    {"a" + hasNUL, "a.x\x00" + hasNUL},
	`{"0":["\u0000"],"a/b~c":{"d.e":"\u0000"}}`:                                 {"0[0]" + hasNUL, "a/b~c.d.e" + hasNUL},
	`{"` + strings.Repeat("x", 300) + `":{"a":"\u0000"}}`:                       {strings.Repeat("x", 200) + "…" + hasNUL},
	`{"a":"\\u0000\"\\\\\/\u00e9\ud83d\ude00\uFFFD\n"}`:                         nil,
	strings.Repeat("[", 64) + `1` + strings.Repeat("]", 64):                     nil,
	strings.Repeat("[", 65) + strings.Repeat("]", 65):                           nil,
	strings.Repeat("[", 65) + `1` + strings.Repeat("]", 65):                     {"the body nests deeper than 64 levels"},
	strings.Repeat(`{"a":`, 66) + `1` + strings.Repeat("}", 66):                 {"the body nests deeper than 64 levels"},
	strings.Repeat("[", 5_000) + `1` + strings.Repeat("]", 5_000):               {"the body nests deeper than 64 levels"},
	`{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`: {"the body nests deeper than 64 levels"},
	strings.Repeat(`{"a":`, 10_001) + `1` + strings.Repeat("}", 10_001):         {"the body nests deeper than 64 levels"},
	strings.Repeat("[", 100):                                                    {"the body is not one JSON document"},
	`{"a":[{"b":1,"c":{"b":2},"b":3}]}`:                                         {"member a[0].b must not be repeated"},
	`{"x":"\u0000","\u0078":1}`:                                                 {"member x must not be repeated"},
	`{"a":1,"a":2} {}`:                                                          {"the body is not one JSON document"},
	`{"a":"` + "\xff" + `"`:                                                     {"the body is not UTF-8"},
	` {"a":1} `:                                                                 nil,
	``:                                                                          {"the body is not one JSON document"},
}

// scanned returns the faults that scan finds.
func scanned(raw []byte) []string {
	var fault *core.Error
	switch err := scan(raw); {
	case !errors.As(err, &fault):
		return nil
	case fault.Kind == core.KindBadRequest:
		return []string{fault.Message}
	}
	return wire.Each(fault.Fields, func(f core.FieldError) string { return f.Location + " " + f.Message })
}

func TestScan(t *testing.T) {
	t.Parallel()
	for body, faults := range scanCases {
		want := wire.Each(faults, func(f string) string { return f })
		if faults == nil {
			want = nil
		}
		assert.Equal(t, want, scanned([]byte(body)), body)
	}
}

// escape matches a pair of surrogates, another \u escape, and any other escape.
var escape = regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)`)

// FuzzScan compares scan with encoding/json and with a regular expression.
func FuzzScan(f *testing.F) {
	for body := range scanCases {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > decoderDepth { // encoding/json and the decoder refuse what nests that deep
			return
		}
		before := bytes.Clone(raw)
		found := scanned(raw)
		require.Equal(t, before, raw, "scan changed the body")
		switch {
		case !utf8.Valid(raw) || !json.Valid(raw):
			require.Len(t, found, 1)
			require.Contains(t, found[0], "the body is not ")
			return
		case depth(t, raw) > maxDepth || hasDuplicate(t, json.NewDecoder(bytes.NewReader(raw))):
			require.Len(t, found, 1)
			require.Regexp(t, "nests deeper|must not be repeated", found[0])
			return
		}
		wrong := 0
		for _, e := range escape.FindAllString(string(raw), -1) {
			if e = strings.ToLower(e); e == `\u0000` || len(e) == 6 && e[:3] == `\ud` && e[3] >= '8' {
				wrong++
			}
		}
		require.LessOrEqual(t, len(found), min(wrong, core.MaxFaults))
		require.Equal(t, wrong > 0, len(found) > 0)
		slices.Sort(found)
		require.Len(t, slices.Compact(slices.Clone(found)), len(found))
	})
}

// depth returns the nesting depth of the innermost value of a valid document.
func depth(t *testing.T, raw []byte) (deepest int) {
	d, open := json.NewDecoder(bytes.NewReader(raw)), 0
	d.UseNumber()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return deepest
		}
		require.NoError(t, err)
		if token == json.Delim('}') || token == json.Delim(']') {
			open--
			continue
		}
		deepest = max(deepest, open)
		if _, nested := token.(json.Delim); nested {
			open++
		}
	}
}
