// Package writing changes entries: from an input to a stored entry and its effects. Its main type is
// Writer, which changes entries, one at a time or in batches (ports.BatchWriter).
//
// A write runs in one transaction (transaction.go). Values are checked before it (draft.go, prepare);
// draft.go composes and checks the new draft; release.go decides how the published version changes. Where
// the entry is not governed, the write changes it with publishing.Versions; otherwise it asks
// ports.Approval for a request (effects.go). publishing.Versions also records the revision. A write that
// conflicts with another one is retried (ports.Retry).
//
// Read writer.go and operations.go next.
package writing
