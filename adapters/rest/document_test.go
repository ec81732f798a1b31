package rest_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest"
)

var update = flag.Bool("update", false, "rewrite api/openapi.yaml")

// TestDocumentIsCommitted checks that api/openapi.yaml is the document of the present routes.
func TestDocumentIsCommitted(t *testing.T) {
	t.Parallel()
	const committed = "../../api/openapi.yaml"
	generated := rest.New(rest.Deps{}).OpenAPI()
	if *update {
		require.NoError(t, os.WriteFile(committed, generated, 0o644))
	}
	present, err := os.ReadFile(committed)
	require.NoError(t, err)
	require.Equal(t, string(generated), string(present), "api/openapi.yaml is stale: go test ./adapters/rest -run TestDocumentIsCommitted -update")
}
