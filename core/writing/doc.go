// Package writing changes entries: from an input to a stored entry and its effects. The main types
// are
//
//   - Writer, which changes entries, one at a time or in batches (ports.BatchWriter);
//   - Releaser, which implements ports.Publisher for the approval workflow.
//
// A write runs in one transaction (work.go). Values are checked before it (draft.go, prepare);
// draft.go composes and checks the new draft; release.go decides, with ports.PublishGate, how the
// published version changes; record.go keeps the revision. A write that conflicts with another one
// is retried (ports.Retry).
//
// Read writer.go and operations.go next.
package writing
