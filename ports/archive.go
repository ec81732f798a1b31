package ports

import (
	"context"
	"time"
)

// ArchiveSource reads everything of an installation that is not derived from the rest.
type ArchiveSource interface {
	ArchiveTables
	// Snapshot calls do with the state of one moment. Writers do not wait for it. Some engines need
	// room for a copy of the database in the folder scratch while do runs.
	Snapshot(ctx context.Context, scratch string, do func(ArchiveSnapshot) error) error
}

// ArchiveTables has the names of the tables of an archive, in an order in which rows refer only to
// rows before them.
type ArchiveTables interface {
	ArchiveTables() []string
}

// ArchiveSnapshot is the state of a database at one moment. Its methods must not run concurrently.
type ArchiveSnapshot interface {
	State(ctx context.Context) (ArchiveState, error)
	// Rows calls each with every row of a table, as a JSON object without null members, ordered by
	// key. each must not keep the row.
	Rows(ctx context.Context, table string, each func(row []byte) error) error
	// Blobs calls each with the name of every blob that the media refer to, once, ordered by the hash
	// in the name.
	Blobs(ctx context.Context, each func(name string) error) error
}

// ArchiveState is what a database has beside its rows.
type ArchiveState struct {
	At    time.Time // by the database's clock
	Epoch string
	// LastIDs are the ids that were given last, by table, also those of rows that were deleted.
	LastIDs map[string]int64
}

// ArchiveTarget is a database that takes the rows of an archive. From BeginRestore to FinishRestore
// no other command and no service works with it.
type ArchiveTarget interface {
	ArchiveTables
	// BeginRestore marks the database. It returns a conflict that names a table with rows, unless the
	// database is marked already: then it deletes everything.
	BeginRestore(ctx context.Context) error
	// InsertRows adds rows of ArchiveSnapshot.Rows.
	InsertRows(ctx context.Context, table string, rows [][]byte) error
	// DeriveRows makes the derived rows that do not belong to an entry, and marks the index of entries
	// as that of this program, which the caller makes next.
	DeriveRows(ctx context.Context) error
	// FinishRestore removes the mark and begins an epoch after that of the state, as
	// EpochStore.BeginEpoch does.
	FinishRestore(ctx context.Context, state ArchiveState) error
}

// HoldStore has the jobs for which the bytes of blobs must stay, although no item refers to them.
type HoldStore interface {
	// Keep adds a hold that ends at a time of the database's clock, or moves the end of the hold with
	// that id.
	Keep(ctx context.Context, id string, lifetime time.Duration) error
	// End removes a hold.
	End(ctx context.Context, id string) error
	// Held reports whether a hold has not ended.
	Held(ctx context.Context) (bool, error)
}
