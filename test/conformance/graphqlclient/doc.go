// Package graphqlclient is a GraphQL client that genqlient generates from the schema and one
// operation, as users of the service would generate it.
package graphqlclient

//go:generate go tool -modfile=../../../.tools/go.mod genqlient genqlient.yaml
