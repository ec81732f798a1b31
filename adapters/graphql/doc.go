// Package graphql serves the GraphQL content API.
//
// The schema is generated from the Go types in model; gen writes api/schema.graphqls and
// the executor in exec. A request passes these steps in order: authentication,
// authorization, rate limit, size limits, parsing, complexity, validation, variables,
// resolvers. The resolvers read through reading.Reader, like the REST API. Start with
// Handler.ServeHTTP.
package graphql
