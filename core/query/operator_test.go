package query_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/query"
)

func TestOperatorsAreComplete(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("operator.go")
	require.NoError(t, err)
	var declared, listed []string
	for _, match := range regexp.MustCompile(`(?m)^\tOp\w+\s+Op = "([^"]*)"`).FindAllSubmatch(source, -1) {
		declared = append(declared, string(match[1]))
	}
	for _, o := range query.Operators {
		listed = append(listed, string(o.Op))
	}
	require.Equal(t, declared, listed)

	guide, err := os.ReadFile("../../api/README.md")
	require.NoError(t, err)
	require.Contains(t, string(guide), "| operators | `"+strings.TrimSpace(strings.Join(listed, " "))+"`;")
}
