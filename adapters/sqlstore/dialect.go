package sqlstore

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/uptrace/bun/schema"

	"imprimatur/adapters/sqlstore/entryquery"
)

// Dialect has what differs between engines.
type Dialect interface {
	// Bun returns a fresh dialect for a bun database.
	Bun() schema.Dialect
	// Fault classifies the driver error in err's chain.
	Fault(err error) Fault
	// Migrations returns the engine's files <number>_<name>.up.sql and .down.sql.
	Migrations() fs.FS
	// CountTables is a SELECT of the number of tables with the name $1.
	CountTables() string
	// BeginMigration begins a transaction that excludes other migrations until it ends. It
	// waits for a running migration until ctx ends.
	BeginMigration(ctx context.Context, pool *sql.DB) (*sql.Tx, error)
	// Explain returns the statement that shows the plan of text.
	Explain(text string) string
	// PlanColumn is the number of columns before the text of each line of the plan.
	PlanColumn() int
	// LockShared is the strength of the lock on rows that must not change until the
	// transaction ends: "SHARE", or empty on engines that run one write transaction at a time.
	LockShared() string
	// Vacuum is a statement that updates the statistics and the visibility map of the content
	// tables after many writes. It runs outside a transaction and blocks no reads or writes. It
	// is empty on engines whose reads do not depend on them.
	Vacuum() string
	// HoldProject is a statement that takes a shared lock on the definitions of the Project
	// with the id $1 until the transaction ends. TryHoldProject does not wait and selects
	// whether it took the lock. LockProject takes an exclusive lock. Waiting transactions get
	// the lock in the order of their requests. All are empty on engines that run one write
	// transaction at a time.
	HoldProject() string
	TryHoldProject() string
	LockProject() string
	// Stripe is ", stripe", the last key column of entry_counters and entry_buckets, if concurrent
	// transactions change a count in different rows, whose sum is the count. It is empty on
	// engines that run one write transaction at a time.
	Stripe() string
	// Prepared returns args with the options that make the driver keep a statement prepared on
	// the connection of its transaction. The text must not depend on values.
	Prepared(args []any) []any
	// Run runs statements in order, in one round trip to a server, and returns the number of
	// rows that each affected. It stops at the first error.
	Run(ctx context.Context, tx *sql.Tx, statements []Statement) (affected []int64, err error)
	// Commit runs statements as Run does and then commits, in the same round trip.
	Commit(ctx context.Context, tx *sql.Tx, statements []Statement) error
	// Now is an expression for the database's clock: milliseconds since 1970.
	Now() string
	// Snapshot is a SELECT of Oldest and Next of ports.EventSnapshot. Next may be 0 unless next
	// is set. On engines that run one write transaction at a time, Next is at most Oldest.
	Snapshot(next bool) string
	// MediaSearch returns a bun condition and its argument: the column m.search of the table
	// media contains text.
	MediaSearch(text string) (condition string, argument any)

	// Syntax is what differs in queries of entries.
	entryquery.Syntax
	// NewEntryIDs returns a statement that allocates $1 new entry ids. It selects ranges of
	// ids (first, last) in ascending order.
	NewEntryIDs() string
	// Values returns a SELECT of rows, of which there must be at least one, and its arguments,
	// numbered from $first. Its columns are column1, column2 … with the given types.
	Values(first int, types []string, rows [][]any) (text string, args []any)
	// Rows is like Values, for the part of an INSERT after the column list. The engine may
	// insert the rows one by one, so the statement must not depend on other rows.
	Rows(table string, types []string, rows [][]any) (text string, args []any)
	// LockUpdate returns the end of a SELECT that locks its rows for a change. It is empty on
	// engines that run one write transaction at a time.
	LockUpdate() string
}

// Fault is a class of driver errors.
type Fault uint8

// The faults.
const (
	FaultOther       Fault = iota // a bug, or a damaged database
	FaultUnique                   // a unique key is taken
	FaultReference                // a referenced row is missing, or a row is still referenced
	FaultRetry                    // the transaction lost a race, or ended before its COMMIT was sent: it may run again
	FaultUnavailable              // the database is unreachable, busy, full or shutting down
)
