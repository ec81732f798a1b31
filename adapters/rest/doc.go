// Package rest serves the REST side: the content API of tokens under /public/v2,
// the dashboard API of sessions under /api, and the OpenAPI document that is made
// from the same registrations, with its reader.
//
// Every route is registered as an operation, which names the access.Action that
// its caller must be allowed. The one helper behind all of them, register, does in
// this order: learn the caller, spend the rate limit, authorize, read the query
// and the body strictly, answer. huma contributes the router adapter, the schemas
// of Go types and the OpenAPI document. Its own reading of requests is not used:
// it would read a body before anybody asked who is calling, takes duplicate
// members, and shows the text of errors it does not know.
package rest
