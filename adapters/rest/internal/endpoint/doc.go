// Package endpoint serves and documents the operations of the REST API. It does not depend on any
// resource. Package rest has one file per resource, which registers operations.
//
// # A route
//
// A Set has the operations of an API. To add a route, call Handle in the file of its resource
// in package rest, with a description (Operation) and a function that receives the decoded
// body and returns the response body:
//
//	endpoint.Handle(set, endpoint.Operation{
//		Method: http.MethodPatch, Path: "/api/tenants/{tenantId}", ID: "updateTenant", Action: access.UpdateTenant, …
//	}, func(c *endpoint.Call, in wire.TenantChange) (wire.Tenant, error) { … })
//
// The action of the operation must be in the policy of package access. The parameters of the
// path must be in pathParams (document_parameters.go). Afterwards update api/openapi.yaml:
//
//	go test ./adapters/rest -run TestDocumentIsCommitted -update
//
// HandleUpload is for forms with a file, HandleRead for reads with cached responses, Register for
// operations that write their response themselves.
//
// # A request
//
// PATCH /api/tenants/7 with the body {"name":"Meridian"} takes these steps. The first error ends
// it, as an RFC 9457 problem (httpx.WriteProblem).
//
//  1. httpx.Wrap gives the request an id. The router finds the operation, and the handler that
//     Register made (operation.go) creates a Call and passes it to serve (request.go).
//  2. authenticate finds the session, or the token under /public: 401.
//  3. authorize asks the policy whether the caller may perform the action on what the path names
//     (request_path.go): 403, or 404 if the caller may not see it. If the body names the target
//     (Operation.Target), this step follows step 5.
//  4. readQuery accepts the documented parameters only: 400. request_query.go reads them one by
//     one, request_list.go the conditions of lists of entries.
//  5. readBody reads at most 4 MB. jsonbody.Decode rejects ambiguous JSON with 400, fills the Go type,
//     and reports unknown members, null and wrong types together with 422. A form is read by its
//     operation (request_form.go).
//  6. acquire waits for a slot of the limiter: 503.
//  7. For a POST with an Idempotency-Key, Once claims the key or replays the stored response
//     (response_once.go). A request that failed before has not used the key.
//  8. The function of the operation calls one use case, which checks values and reports its
//     faults together: 422, 409, 412.
//  9. WriteJSON encodes the result, a type of package wire (response.go).
//
// A read of entries takes steps 2 and 3, and step 4 and the use case only if the response is not
// in the cache (response_read.go).
//
// # The document
//
// Set.Document builds the OpenAPI document from the same descriptions and Go types: document.go
// describes operations and bodies, document_parameters.go parameters, document_problems.go errors.
// Package wire describes the members of bodies.
//
// huma provides the router adapter, the schemas of Go types and the types of the document.
// app/docs/decisions/rest-on-huma.md says why it does not parse the requests.
package endpoint
