// Package endpoint is the machinery of the REST API: it serves and documents operations,
// and knows no resource. Package rest has one file per resource, which registers operations.
//
// A Set has the operations of an API. Handle registers one, from its description (Operation)
// and a function that gets the decoded body:
//
//	endpoint.Handle(set, endpoint.Operation{
//		Method: http.MethodGet, Path: "/api/tenants/{tenantId}", ID: "getTenant", Action: access.ViewTenant, …
//	}, func(c *endpoint.Call, _ endpoint.None) (tenant, error) { … })
//
// HandleRaw is for operations that write their response themselves, HandleUpload for forms
// with a file, HandleRead for reads with cached responses.
//
// A request becomes a Call. serve (operation.go) authenticates, authorizes, reads the query
// (query.go; list.go for lists of entries) and the body (decode.go, after scan.go rejected
// ambiguous JSON), takes a place of the limiter, and calls the function: at most once per
// Idempotency-Key (idempotency.go). Its result is encoded (answer.go); its error becomes a
// problem (package httpx).
//
// Set.Document builds the OpenAPI document from the same descriptions and Go types
// (document.go, example.go, headers.go, parameters.go, problems.go).
//
// huma provides the router adapter, the schemas of Go types and the form of the document. Its
// own request parsing is not used: it reads the body before authentication, accepts
// duplicate members and returns the text of unknown errors.
//
// Read operation.go next.
package endpoint
