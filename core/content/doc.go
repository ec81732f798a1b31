// Package content reads and writes entries and defines collections. Both content APIs, the
// dashboard, the importer and the commands use it. The main types are
//
//   - Reader, which reads published content (and drafts, for callers that may see them);
//   - Manager, which reads content for the dashboard: drafts, trash and both versions;
//   - Writer, which changes entries, one at a time or in batches (ports.BatchWriter);
//   - Releaser, which implements ports.Publisher for the approval workflow;
//   - Collections, which changes definitions and back-fills the index after them;
//   - Checker, which compares the index with the documents and repairs it.
//
// A read has three steps. check.go checks a core.Query against the definitions and returns a
// core.Selection; the store returns rows; shape.go writes the rows as JSON. Transports send
// those bytes as they are. reader_cache.go caches the results.
//
// A write runs in one transaction. validate.go checks the values before the transaction;
// writer_draft.go composes and checks the new draft; writer_release.go decides, with
// ports.PublishGate, how the published version changes. A write that conflicts with another
// one is retried (retry in writer.go).
//
// Read writer.go and reader.go next. app/docs/events.md describes how writes invalidate caches.
package content
