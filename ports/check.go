package ports

import (
	"context"

	"imprimatur/core"
)

// IndexChecker compares the data derived from entries with their documents. Data that a
// back-fill has not written yet is not a difference.
type IndexChecker interface {
	// CheckEntries checks up to limit entries of the collection with an id greater than
	// after, in a transaction that has called ProjectStore.Hold. It returns the differences,
	// ordered by entry id, and the last id that it checked, or 0 when no entry was left.
	// EntryStore.Reindex with the same arguments repairs what can be repaired.
	CheckEntries(ctx context.Context, schema core.Schema, after int64, limit int) (last int64, found []core.Difference, err error)
	// CheckStrays finds derived data of entries that do not exist in the Project, and calls
	// report with each difference. Call it outside a transaction.
	CheckStrays(ctx context.Context, projectID int64, report func(core.Difference)) error
	// RepairStrays removes the data that CheckStrays reports, in a transaction that has called
	// ProjectStore.Lock.
	RepairStrays(ctx context.Context, projectID int64) error
	// CheckTotals compares the counters of the Project with the rows that they count, and
	// calls report with each difference. Call it outside a transaction.
	CheckTotals(ctx context.Context, projectID int64, report func(core.Difference)) error
	// RepairTotals recounts the counters, in a transaction that has called ProjectStore.Lock.
	RepairTotals(ctx context.Context, projectID int64) error
	// RecordRepair records an event of the repair in the transaction, so that every process
	// drops its cached results of the Project.
	RecordRepair(ctx context.Context, projectID int64) error
}

// BlobChecker compares the BlobLedger with the media items that refer to its blobs.
type BlobChecker interface {
	// CheckHolders calls report for each blob whose count in the ledger (held) differs from
	// the number of media items of the Project that need it. Call it outside a transaction.
	CheckHolders(ctx context.Context, projectID int64, report func(name string, needed, held int64)) error
	// RepairHolders sets the count of the blob to the number of media items that need it, in
	// a transaction.
	RepairHolders(ctx context.Context, projectID int64, name string) error
	// Held returns up to limit names greater than after that the Project references, in
	// ascending order.
	Held(ctx context.Context, projectID int64, after string, limit int) ([]string, error)
}
