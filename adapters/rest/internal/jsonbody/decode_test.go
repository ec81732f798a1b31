package jsonbody

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/wire"
	"imprimatur/core"
)

// TestDecodeRefusesTheZeroTime sends the time that means none in the code.
func TestDecodeRefusesTheZeroTime(t *testing.T) {
	t.Parallel()
	const want = "must be later than 0001-01-01T00:00:00.000Z"
	var into struct {
		From  *time.Time               `json:"from"`
		Until wire.Optional[time.Time] `json:"until"`
	}
	for _, zero := range []string{"0001-01-01T00:00:00Z", "0001-01-01T01:00:00+01:00"} {
		var fault *core.Error
		require.ErrorAs(t, Decode([]byte(`{"from":"`+zero+`","until":"`+zero+`"}`), &into), &fault)
		assert.Equal(t, []core.FieldError{{Location: "from", Message: want}, {Location: "until", Message: want}}, fault.Fields)
	}
	require.NoError(t, Decode([]byte(`{"from":"0001-01-01T00:00:00.001Z","until":null}`), &into))
}

// TestDecodeLimitsFaults sends bodies that are wrong in thousands of places.
func TestDecodeLimitsFaults(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"unknown members": `1`, "invalid text": `"\u0000"`} {
		var body bytes.Buffer
		for i := range 5000 {
			fmt.Fprintf(&body, `,"member%d":%s`, i, value)
		}
		raw := append([]byte{'{'}, append(body.Bytes()[1:], '}')...)
		var into struct {
			Title string `json:"title"`
		}
		var fault *core.Error
		require.ErrorAs(t, Decode(raw, &into), &fault, name)
		assert.Equal(t, core.KindInvalid, fault.Kind, name)
		assert.Len(t, fault.Fields, core.MaxFaults, name)
	}
}

// TestDecodeSaysWhichVersions sends what is no version of an entry.
func TestDecodeSaysWhichVersions(t *testing.T) {
	t.Parallel()
	const source, preview = `must be "draft" or {"publication": <number>}`, `must be "draft", "snapshot" or {"publication": <number>}`
	for version, want := range map[string]string{
		`"x"`: "", `1`: "", `true`: "", `[]`: "", `["draft"]`: "",
		`{}`:                          ".publication is required",
		`{"publication":0}`:           ".publication must be at least 1",
		`{"publication":null}`:        ".publication must be at least 1",
		`{"publication":1.5}`:         ".publication must be a whole number",
		`{"publication":"1"}`:         ".publication must be a whole number",
		`{"publication":1,"x":2}`:     ".x is not a known member",
		`{"Publication":1}`:           ".publication is required .Publication is not a known member",
		`{"y":1,"x":{"a":[{"b":1}]}}`: ".publication is required .x is not a known member .y is not a known member",
	} {
		var into struct {
			Of   wire.PreviewVersion  `json:"of"`
			From []wire.ReleaseSource `json:"from"`
		}
		var fault *core.Error
		require.ErrorAs(t, Decode([]byte(`{"of":`+version+`,"from":["draft",`+version+`]}`), &into), &fault, version)
		assert.Equal(t, core.KindInvalid, fault.Kind, version)
		found := map[string]string{}
		for _, f := range fault.Fields {
			place, inside, isInside := strings.Cut(f.Location, ".")
			if isInside {
				found[place] += " ." + inside
			}
			found[place] += " " + f.Message
		}
		if want == "" {
			assert.Equal(t, map[string]string{"of": " " + preview, "from[1]": " " + source}, found, version)
		} else {
			assert.Equal(t, map[string]string{"of": " " + want, "from[1]": " " + want}, found, version)
		}
	}
}
