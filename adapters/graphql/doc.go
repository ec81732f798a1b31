// Package graphql serves the GraphQL content API.
//
// The Go types in model are the schema; gen makes api/schema.graphqls and the
// executor in exec of them. A request passes, in this order: the token, the right
// to read, the token's budget, the limits of size, parsing, complexity, validation,
// the variables — and only then the resolvers, which read through content.Reader
// like the REST API does.
package graphql
