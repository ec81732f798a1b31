// Package reading reads content: from a query to the bytes of a response. The main types are
//
//   - Reader, which reads published content (and drafts, for callers that may see them);
//   - Drafts, which reads content for the dashboard: drafts, trash, revisions and both versions;
//   - History, which reads what readers saw at a time in the past.
//
// A read has three steps. check.go checks a query.Query against the definitions and returns a
// query.Selection; the store returns rows; shape.go writes the rows as JSON. Transports send
// those bytes as they are, and cache whole responses.
//
// Read reader.go next.
package reading
