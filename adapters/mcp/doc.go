// Package mcp serves the Model Context Protocol at /mcp, for assistants (core.Assistant).
//
// # A call
//
// The door (door.go) takes POST requests of the streamable HTTP transport, without sessions. It accepts the credential of
// an assistant and no other. A call of a tool becomes one or a few requests to the REST API inside of the process, with
// the same credential (request.go): the API authorizes, validates and records them. This package decides nothing. It
// finds the ids that paths need, chooses what the answer shows, and keeps answers short (answer.go).
//
// A problem of the API is the error of the tool, as the API names it, so that an assistant can mend its call.
// What entries hold is data: it is in structuredContent, and no text of this package is among it.
//
// Rich text is HTML, or Markdown if the call says so (richtext.go, package markdown).
//
// api/assistants.md is the guide for users.
package mcp
