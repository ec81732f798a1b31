package ports

import (
	"context"
	"encoding/json"

	"imprimatur/core"
)

// BatchWriter writes many entries of one collection in one transaction, for imports.
type BatchWriter interface {
	// Value returns the canonical form of a value of f, or nil for a value that clears the
	// field. For an invalid value it returns a fault: a phrase that follows the field's name.
	Value(f *core.Field, raw json.RawMessage) (value json.RawMessage, fault string)
	// Check checks each field of a write alone, and hashes passwords. Call it outside the
	// transaction, because hashing is slow. The result contains the faults of the values.
	Check(ctx context.Context, c *core.Collection, fields map[string]json.RawMessage) (core.WrittenFields, error)
	// WriteBatch calls do with a Batch in one transaction, and commits when do returns nil. The
	// store may call do again, so do must change state only through its Batch. WriteBatch returns
	// core.ErrNotFound when the Project has no such collection. It returns
	// core.ErrChangedMeanwhile when another transaction has changed what do has read; nothing is
	// then written, and the caller can repeat the call.
	WriteBatch(
		ctx context.Context, actor core.Actor, project *core.Project, collectionID int64,
		do func(ctx context.Context, batch Batch) error,
	) error
}

// Batch is one transaction of a BatchWriter. Its writes need approval like all other
// writes. It is not safe for concurrent use.
type Batch interface {
	// Schema returns the definition of the collection, with the collections that its relations
	// point to, as of this transaction.
	Schema() core.Schema
	// Stores returns the stores of the transaction. Reads of entries include the writes of
	// the batch.
	Stores() Stores
	// Expect prefetches, in a few statements, the data that the given writes need. created is
	// the number of writes that create an entry.
	Expect(ctx context.Context, writes []core.EntryWrite, created int) error
	// Promise makes ids, from EntryStore.NewIDs, valid in the relations of the writes that follow:
	// each is the id of an entry of the collection that a later write creates and that founds its
	// group. The caller must create all of them, or roll back.
	Promise(ids ...int64)
	// Create adds an entry. It returns the errors of writing.Writer.
	Create(ctx context.Context, w core.EntryWrite) (core.Entry, error)
	// Revise changes e, which was read in this batch, and returns the changed entry. A write
	// that changes nothing does not increase the Version.
	Revise(ctx context.Context, e core.Entry, w core.EntryWrite) (core.Entry, error)
}
