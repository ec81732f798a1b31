package core_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

func TestEventTypesAreComplete(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("eventtype.go")
	require.NoError(t, err)
	var declared []core.EventType
	for _, match := range regexp.MustCompile(`(?m)^\tEvent\w+\s+EventType = "([^"]+)"`).FindAllSubmatch(source, -1) {
		declared = append(declared, core.EventType(match[1]))
	}
	require.Equal(t, declared, core.EventTypes())
}
