// Package rest serves the content API of applications (/public/v2), the dashboard API (/api)
// and their documentation (/docs, /openapi.json, /openapi.yaml).
//
// One file per resource registers the operations of the resource, each with its policy
// action, its request and response types and its text for the OpenAPI document; the handler
// calls one use case. approval_story.go has the examples of approval. internal/endpoint
// serves the operations and builds the document; openapi.go has what the document says of the
// whole API. `imprimatur openapi` writes the document to api/openapi.yaml.
//
// Read tenants.go, the smallest resource, and then package endpoint.
package rest
