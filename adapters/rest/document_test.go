package rest_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest"
)

var update = flag.Bool("update", false, "rewrite api/openapi.yaml")

// TestDocumentIsCommitted holds api/openapi.yaml to what the routes say.
func TestDocumentIsCommitted(t *testing.T) {
	t.Parallel()
	const committed = "../../api/openapi.yaml"
	made := rest.New(rest.Deps{}).OpenAPI()
	if *update {
		require.NoError(t, os.WriteFile(committed, made, 0o644))
	}
	have, err := os.ReadFile(committed)
	require.NoError(t, err)
	require.Equal(t, string(made), string(have), "api/openapi.yaml is stale: go test ./adapters/rest -run TestDocumentIsCommitted -update")
}
