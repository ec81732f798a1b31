package ports

import (
	"context"
	"encoding/json"

	"imprimatur/core"
)

// BatchWriter writes many entries of one collection in one transaction, for imports.
type BatchWriter interface {
	// Value returns the canonical form of a value of f, nil for one that clears the
	// field, or a fault: a phrase that follows the field's name.
	Value(f *core.Field, raw json.RawMessage) (value json.RawMessage, fault string)
	// Check checks the fields of a write by themselves and hashes passwords, which takes
	// too long for a transaction. The result has the faults of the values.
	Check(ctx context.Context, c *core.Collection, fields map[string]json.RawMessage) (core.CheckedFields, error)
	// WriteBatch calls do with a Batch in one transaction, which is committed when do
	// returns nil. When another write interferes it calls do again, so do must not change
	// anything but through its Batch. core.ErrNotFound: the Project has no such
	// collection.
	WriteBatch(
		ctx context.Context, actor core.Actor, project *core.Project, collectionID int64,
		do func(ctx context.Context, batch Batch) error,
	) error
}

// Batch is one transaction of a BatchWriter. Its writes are subject to the publish
// gate as every write is. It is not safe for concurrent use.
type Batch interface {
	// Schema is the collection, with those that it points to, as the transaction has it.
	Schema() core.Schema
	// Stores are the stores of the transaction. Reads of entries include the writes of
	// the batch.
	Stores() Stores
	// Expect reads ahead, in a few statements, the data that the given writes need. created is
	// how many of them create an entry.
	Expect(ctx context.Context, writes []core.EntryWrite, created int) error
	// Create adds an entry. Its errors are those of content.Writer.
	Create(ctx context.Context, w core.EntryWrite) (core.Entry, error)
	// Revise changes e, which was read in this batch, and returns it as it is then. A
	// write that changes nothing leaves e.Version as it is.
	Revise(ctx context.Context, e core.Entry, w core.EntryWrite) (core.Entry, error)
}
