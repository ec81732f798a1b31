package query_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
)

func TestWindowsAreLimited(t *testing.T) {
	t.Parallel()
	const last = 92233720368547758
	for page, want := range map[int64]string{
		-1: "must be from 1 to 92233720368547758", 0: "", 1: "", last: "", last + 1: "must be from 1 to 92233720368547758",
	} {
		w := query.Window{Page: page}
		err := w.Check(query.MaxPerPage)
		if want == "" {
			require.NoError(t, err)
			require.GreaterOrEqual(t, w.Offset(), int64(0))
			continue
		}
		var fault *core.Error
		require.ErrorAs(t, err, &fault)
		require.Equal(t, want, fault.Fields[0].Message)
	}
}
