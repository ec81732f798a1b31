package fieldtype_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core/fieldtype"
)

func TestExactNumber(t *testing.T) {
	t.Parallel()
	for _, exact := range []string{
		"0", "-0", "0.0", "0e5", "1", "1.10", "1e2", "1E+2", "100e-2", "0.1", "0.30000000000000004", "123456789012345", "1234567890123.45", "9007199254740991", "9007199254740992",
		"-9007199254740992", "18014398509481984", "1e20", "100000000000000000000", "1e23", "5e-324", "1.7976931348623157e308", "-1.5e-7", "0.000001000", "1" + "0000000000000000000000",
	} {
		n, ok := fieldtype.ExactNumber(exact)
		require.True(t, ok, exact)
		want, err := strconv.ParseFloat(exact, 64)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	for _, inexact := range []string{
		"9007199254740993", "-9007199254740993", "18014398509481985", "123456789123456.12345", "1e-400", "-1e-400", "4.9e-324", "1e400", "0.1000000000000000055511151231257827",
		"0.30000000000000001", "99999999999999991611392", "1.0000000000000000000000001", "1e-99999999999999999999", "123456789012345678", "3.14159265358979323846",
	} {
		_, ok := fieldtype.ExactNumber(inexact)
		require.False(t, ok, inexact)
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := math.Float64frombits(rapid.Uint64().Draw(rt, "bits"))
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return
		}
		for _, format := range []byte{'e', 'f', 'g'} {
			if got, ok := fieldtype.ExactNumber(strconv.FormatFloat(n, format, -1, 64)); !ok || got != n {
				rt.Fatalf("%c form of %v: %v, %v", format, n, got, ok)
			}
		}
		if got, ok := fieldtype.ExactNumber(fieldtype.FormatNumber(n)); !ok || got != n {
			rt.Fatalf("%s gives %v, %v", fieldtype.FormatNumber(n), got, ok)
		}
	})
}
