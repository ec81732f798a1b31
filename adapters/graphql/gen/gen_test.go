package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// The generated files match the model. The test changes the working directory, so it does
// not run in parallel.
func TestNothingIsStale(t *testing.T) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	files, err := generate(root)
	require.NoError(t, err)
	require.Len(t, files, 2)
	for name, content := range files {
		require.NoError(t, compare(filepath.Join(root, name), content))
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "schema")
	require.ErrorIs(t, compare(name, []byte("new")), os.ErrNotExist)
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))
	require.ErrorContains(t, compare(name, []byte("new")), "not up to date")
	require.NoError(t, compare(name, []byte("old")))
}

func TestFieldName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ID": "id", "Slug": "slug", "TotalCount": "totalCount", "FullURL": "fullUrl",
		"ThumbWebpURL": "thumbWebpUrl", "URLOfIt": "urlOfIt", "A": "a", "CreatedAt": "createdAt",
	} {
		require.Equal(t, want, fieldName(name), name)
	}
}

// load turns Go types into definitions, and names unsupported types.
func TestLoad(t *testing.T) {
	for name, c := range map[string]struct{ source, schema, fault string }{
		"nullability, defaults and inputs": {
			source: `
				// Query asks.
				type Query interface {
					// One
					// thing.
					//
					//graphql:arg limit=25 How many.
					Thing(ctx context.Context, limit *int32, in []Clause, must bool) (*Thing, error)
				}
				type Thing struct {
					ID ID
					// Other names.
					Names []string
					hidden string
				}
				type Clause struct { Field string; Value *Any }
				type ID string
				func (ID) MarshalGQL(io.Writer) {}
				// Any value.
				type Any struct{}
				func (*Any) MarshalGQL(io.Writer) {}
			`,
			schema: "type Query {\n\tthing(limit: Int = 25 in: [Clause!], must: Boolean!): Thing\n}\n" +
				"type Thing {\n\tid: ID!\n\tnames: [String!]!\n}\n" +
				"input Clause {\n\tfield: String!\n\tvalue: Any\n}\nscalar Any\n",
		},
		"no query":                      {source: `type Root interface{}; var _ io.Writer; var _ context.Context`, fault: "no type Query"},
		"a type without a name":         {source: `type Query interface { A(ctx context.Context) (map[string]int32, error) }; var _ io.Writer`, fault: "Query.A: map[string]int32 has no GraphQL type"},
		"a number of 64 bits":           {source: `type Query interface { A(ctx context.Context) (int64, error) }; var _ io.Writer`, fault: "int64 has no GraphQL type"},
		"no error":                      {source: `type Query interface { A(ctx context.Context) string }; var _ io.Writer`, fault: "Query.A"},
		"a note on an unknown argument": {source: "type Query interface {\n//graphql:arg b=1 Text.\nA(ctx context.Context) (string, error) }; var _ io.Writer", fault: "unknown argument b"},
		"a malformed default":           {source: "type Query interface {\n//graphql:arg b=} Text.\nA(ctx context.Context, b int32) (string, error) }; var _ io.Writer", fault: "default of b"},
		"does not compile":              {source: `type Query interface { A(ctx context.Context) (Nowhere, error) }; var _ io.Writer`, fault: "Nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example\n\ngo 1.26\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "model.go"), []byte("package model\n\nimport (\"context\"; \"io\")\n"+c.source), 0o600))
			t.Chdir(dir)
			document, err := load("example")
			if c.fault != "" {
				require.ErrorContains(t, err, c.fault)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.schema, plain(document))
			require.Equal(t, "One thing.", document.Definitions.ForName("Query").Fields[0].Description)
			require.Equal(t, "How many.", document.Definitions.ForName("Query").Fields[0].Arguments[0].Description)
			require.Equal(t, "Other names.", document.Definitions.ForName("Thing").Fields[1].Description)
		})
	}
}

func plain(document *ast.SchemaDocument) string {
	var out strings.Builder
	formatter.NewFormatter(&out, formatter.WithoutDescription()).FormatSchemaDocument(document)
	return out.String()
}
