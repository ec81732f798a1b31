package sqlstore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

func TestARowBufferKeepsDocumentsApart(t *testing.T) {
	t.Parallel()
	for name, buffer := range map[string]*rowBuffer{"none": nil, "one": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var kept []core.Document
			var want []string
			raw := []byte{}
			for n := range 200 { // exceeds the initial capacity
				want = append(want, strings.Repeat(string(rune('a'+n%26)), 7*n))
				raw = append(raw[:0], want[n]...)
				kept = append(kept, keep(buffer, raw), keep(buffer, want[n]))
			}
			clear(raw)
			for n := range want {
				require.Equal(t, want[n], string(kept[2*n]))
				require.Equal(t, want[n], string(kept[2*n+1]))
				_ = append(kept[2*n], '!') // must not overwrite the next document
			}
			require.Equal(t, want[199], string(kept[399]))
		})
	}
}
