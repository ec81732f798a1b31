package graphql_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"imprimatur/adapters/graphql"
)

// The schema equals the published interface, except for the order of types and descriptions.
func TestSchemaIsTheInterface(t *testing.T) {
	t.Parallel()
	const promised = `
		scalar DateTime
		scalar JSONObject
		type Entry { id: ID! locale: String createdAt: DateTime updatedAt: DateTime publishedAt: DateTime data: JSONObject! }
		type EntryConnection { items: [Entry!]! totalCount: Int }
		type CollectionMeta { slug: String! name: String! description: String fields: [CollectionFieldMeta!]! }
		type CollectionFieldMeta { name: String! label: String! type: String! }
		type MediaView {
			id: ID! fileName: String! fullUrl: String! thumbUrl: String thumbWebpUrl: String fullWebpUrl: String
			caption: String tags: [String!]! size: Int width: Int height: Int
		}
		input WhereClauseInput { field: String! op: String value: JSONObject }
		type Query {
			collection(slug: String!): CollectionMeta
			collections: [CollectionMeta!]!
			entry(collection: String!, id: Int!, timestamps: Boolean = false): Entry
			entries(collection: String!, where: [WhereClauseInput!], sort: String, locale: String, state: String,
				offset: Int, limit: Int, timestamps: Boolean = false): EntryConnection!
			media(id: Int!): MediaView
		}`
	require.Equal(t, canonical(t, promised), canonical(t, graphql.SDL()))
}

func canonical(t *testing.T, sdl string) string {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: sdl})
	require.NoError(t, err)
	var out strings.Builder
	formatter.NewFormatter(&out, formatter.WithoutDescription()).FormatSchema(schema)
	return strings.ReplaceAll(out.String(), ",", "") // the formatter's commas depend on descriptions
}

func TestSDLIsThePublishedFile(t *testing.T) {
	t.Parallel()
	published, err := os.ReadFile("../../api/schema.graphqls")
	require.NoError(t, err)
	require.Equal(t, string(published), graphql.SDL())
}
