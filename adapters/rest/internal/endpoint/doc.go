// Package endpoint serves and documents the operations of the REST API. It does not depend on any
// resource. Package rest has one file per resource, which registers operations.
//
// A Set has the operations of an API. To add a route, call Handle in the file of its resource
// in package rest, with a description (Operation) and a function that receives the decoded
// body and returns the response body:
//
//	endpoint.Handle(set, endpoint.Operation{
//		Method: http.MethodGet, Path: "/api/tenants/{tenantId}", ID: "getTenant", Action: access.ViewTenant, …
//	}, func(c *endpoint.Call, _ endpoint.None) (tenant, error) { … })
//
// The action of the operation must be in the policy of package access. The parameters of the
// path must be in pathParams (parameters.go). Afterwards update api/openapi.yaml:
//
//	go test ./adapters/rest -run TestDocumentIsCommitted -update
//
// HandleUpload is for forms with a file, HandleRead for reads with cached responses (cached.go),
// Register for operations that write their response themselves.
//
// A request becomes a Call. serve (operation.go) authenticates, authorizes, reads the query
// (query.go; list.go for lists of entries) and the body (decode.go, after scan.go rejected
// ambiguous JSON), acquires a slot of the limiter, and calls the function, at most once per
// Idempotency-Key (idempotency.go). The result is encoded as JSON (response.go); an error
// becomes an RFC 9457 problem (package httpx).
//
// Set.Document builds the OpenAPI document from the same descriptions and Go types
// (document.go, parameters.go, problems.go).
//
// huma provides the router adapter, the schemas of Go types and the types of the document. Its
// request parsing is not used, because it reads the body before authentication, accepts
// duplicate members and returns the text of unknown errors to clients.
//
// Read operation.go next.
package endpoint
