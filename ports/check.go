package ports

import (
	"context"

	"imprimatur/core"
)

// IndexChecker compares the data derived from entries with their documents. Data that a
// back-fill has not filled in yet is no difference.
type IndexChecker interface {
	// CheckEntries looks at up to limit entries of the collection with an id over after,
	// inside a transaction that holds the Project. It returns what differs, in the order
	// of ids, and the last id it came to, or 0 when none was left.
	// EntryStore.Reindex, with the same arguments, repairs what can be repaired.
	CheckEntries(ctx context.Context, schema core.Schema, after int64, limit int) (last int64, found []core.Difference, err error)
	// CheckStrays looks for derived data of entries that do not exist in the Project, and calls
	// tell with each difference. It is for use outside a transaction.
	CheckStrays(ctx context.Context, projectID int64, tell func(core.Difference)) error
	// MendStrays removes what CheckStrays looks for, inside a transaction that has locked
	// the Project.
	MendStrays(ctx context.Context, projectID int64) error
	// CheckTotals compares the counters of the Project with what they count, and calls
	// tell with each difference. It is for use outside a transaction.
	CheckTotals(ctx context.Context, projectID int64, tell func(core.Difference)) error
	// MendTotals counts again, inside a transaction that has locked the Project.
	MendTotals(ctx context.Context, projectID int64) error
}

// BlobChecker compares the ledger of bytes with the media that need them.
type BlobChecker interface {
	// CheckHolders compares, for each name, how many media items of the Project need it
	// with how many the ledger says, and calls tell where they differ. It is for use
	// outside a transaction.
	CheckHolders(ctx context.Context, projectID int64, tell func(name string, needed, held int64)) error
	// MendHolders has the ledger say how many items need the name, inside a transaction.
	MendHolders(ctx context.Context, projectID int64, name string) error
	// Held returns up to limit names after the given one that something in the Project
	// needs, in their order.
	Held(ctx context.Context, projectID int64, after string, limit int) ([]string, error)
}
