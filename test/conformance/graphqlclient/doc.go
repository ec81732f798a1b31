// Package graphqlclient is a GraphQL client that genqlient makes from the schema
// and one operation, as a user of the service would.
package graphqlclient

//go:generate go tool -modfile=../../../.tools/go.mod genqlient genqlient.yaml
