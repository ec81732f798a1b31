// Package rest serves the content API for tokens under /public/v2, the dashboard API for
// sessions under /api, and the OpenAPI document of both with its reader.
//
// Every route is registered as an operation, which names the access.Action that its
// caller needs. The function register wraps the handler of an operation with these steps,
// in this order: authenticate, take from the rate limit, authorize, read the query and
// the body strictly, respond. A resource file such as tenants.go is a good first read;
// then operation.go, call.go and decode.go.
//
// huma provides the router adapter, the schemas of Go types and the OpenAPI document. Its
// own request parsing is not used: it reads the body before authentication, accepts
// duplicate members and returns the text of unknown errors.
package rest
