package endpoint

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

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
