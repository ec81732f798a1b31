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
	// Fault says what an error of the driver means, wherever it is in err's chain.
	Fault(err error) Fault
	// Migrations holds the engine's files <number>_<name>.up.sql and .down.sql.
	Migrations() fs.FS
	// CountTables is a SELECT of how many tables have the name $1.
	CountTables() string
	// BeginMigration begins a transaction that is the only one to migrate until it ends.
	// It waits for another migration until ctx ends.
	BeginMigration(ctx context.Context, pool *sql.DB) (*sql.Tx, error)
	// Explain returns the statement that shows the plan of another one.
	Explain(text string) string
	// PlanColumn is the number of columns before the text of each line of the plan.
	PlanColumn() int
	// LockShared is the strength of the lock on rows that must not change until the
	// transaction ends: "SHARE", or nothing where writing transactions exclude each other.
	LockShared() string
	// Vacuum is a statement, run outside any transaction, that updates the statistics and the
	// visibility of the tables of content after many writes; empty where reads do not depend on
	// them. It blocks no reads and writes.
	Vacuum() string
	// HoldProject is a statement that takes a shared lock on the definitions of the
	// Project with the id $1 until the transaction ends, TryHoldProject one that selects
	// whether it got that lock without waiting, and LockProject one that takes an
	// exclusive lock on them. Waiting transactions get the lock in the order in which they
	// asked for it. All are empty where writing transactions exclude each other.
	HoldProject() string
	TryHoldProject() string
	LockProject() string
	// Stripe continues the keys of entry_counters and entry_buckets: ", stripe" where
	// transactions that change the same count at the same time do so in rows of their own, or
	// nothing where writing transactions exclude each other. The sum of the rows is the count.
	Stripe() string
	// Prepared returns the arguments of a statement in a transaction, with those that make the
	// driver keep it prepared on its connection. The text must not depend on values.
	Prepared(args []any) []any
	// Run runs statements in order, in one round trip where there are round trips, and returns
	// the number of rows that each affected. It stops at the first error.
	Run(ctx context.Context, tx *sql.Tx, statements []Statement) (affected []int64, err error)
	// Commit runs statements as Run does and then commits, in the same round trip.
	Commit(ctx context.Context, tx *sql.Tx, statements []Statement) error
	// Now is an expression for the database's clock: milliseconds since 1970.
	Now() string
	// Snapshot is a SELECT of the numbers of ports.EventSnapshot, Oldest and Next; where
	// one writer excludes the others, Next is never over Oldest.
	Snapshot() string
	// MediaSearch is the condition that m.search, of the table media, contains a text exactly, as a
	// bun condition with its one argument.
	MediaSearch(text string) (condition string, argument any)

	// Syntax is what differs in queries of entries.
	entryquery.Syntax
	// NewEntryIDs returns a statement that allocates $1 new entry ids. It selects ranges of
	// ids (first, last) in ascending order.
	NewEntryIDs() string
	// Values returns a SELECT of the rows, one or more, and its arguments, numbered from
	// $first. Its columns are column1, column2 … of the types.
	Values(first int, types []string, rows [][]any) (text string, args []any)
	// Rows is like Values, for an INSERT into a table: it follows the column list. The engine
	// may insert the rows one by one, so the statement must not depend on other rows.
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
	FaultReference                // a row that is pointed to is missing, or one is still pointed to
	FaultRetry                    // the transaction lost a race, or ended before its COMMIT was sent: it may run again
	FaultUnavailable              // the database is away, busy, full or shutting down
)
