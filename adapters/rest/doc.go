// Package rest serves the content API of applications (/public/v2), the dashboard API (/api)
// and their documentation (/docs, /openapi.json, /openapi.yaml).
//
// Each resource has one file. It registers the operations of the resource, each with its policy
// action, its request and response types, which are in package wire, and its description for the
// OpenAPI document. Each handler calls one use case. approval_story.go has the examples of approval. Package
// internal/endpoint serves the operations and builds the document; openapi.go has the parts of
// the document that belong to the whole API. The file api/openapi.yaml is the document;
// TestDocumentIsCommitted checks it and rewrites it with -update.
//
// Read tenants.go, the smallest resource, and then the documentation of package endpoint, which
// follows a request.
package rest
