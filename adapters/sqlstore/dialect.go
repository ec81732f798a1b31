package sqlstore

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/uptrace/bun/schema"
)

// Dialect is what an engine does its own way.
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
	// It waits for another one as long as ctx allows.
	BeginMigration(ctx context.Context, pool *sql.DB) (*sql.Tx, error)
	// Explain returns the statement that tells how another one goes.
	Explain(text string) string
	// PlanColumn is how many columns, all of them numbers, come before each line of that.
	PlanColumn() int
	// LockShared is the strength of the lock on rows that must stay as they are
	// until the transaction ends: "SHARE", or nothing where a transaction that
	// writes is alone anyway.
	LockShared() string
	// Tend is a statement, run outside any transaction, that brings up to date what the
	// engine knows of the tables of content after much of it was written; empty where reads
	// go by nothing of the kind. It keeps nobody from reading or writing.
	Tend() string
	// HoldProject is a statement that takes a shared lock on the definitions of the
	// Project with the id $1 until the transaction ends, TryHoldProject one that selects
	// whether it got that lock without waiting, and LockProject one that takes an
	// exclusive lock on them. Waiting transactions get their turn in the order in which
	// they came. All are empty where a transaction that writes is alone anyway.
	HoldProject() string
	TryHoldProject() string
	LockProject() string
	// Prepared returns the arguments of a statement in a transaction whose text is one
	// of a few, with what makes the driver keep it prepared on its connection.
	Prepared(args []any) []any
	// Run runs statements in order, in one round trip where there are round trips, and returns
	// the number of rows that each affected. It stops at the first error.
	Run(ctx context.Context, tx *sql.Tx, statements []Statement) (affected []int64, err error)
	// Now is an expression for the database's clock: milliseconds since 1970.
	Now() string
	// Snapshot is a SELECT of the numbers of ports.EventSnapshot, Oldest and Next; where
	// one writer excludes the others, Next is never over Oldest.
	Snapshot() string
	// ForEach is what follows FROM to read, for every row of outer, the rows of table,
	// with its alias, that meet a condition on both: one after the other, whatever the
	// planner believes of either.
	ForEach(outer, table, alias, condition string) string
	// MediaSearch is the condition that m.search, of the table media, contains a text
	// to the letter, as a bun condition with its one argument.
	MediaSearch(text string) (condition string, argument any)

	EntryDialect
}

// Fault is what a driver's error means to the store.
type Fault uint8

// The faults.
const (
	FaultOther       Fault = iota // a bug, or a damaged database
	FaultUnique                   // a unique key is taken
	FaultReference                // a row that is pointed to is missing, or one is still pointed to
	FaultRetry                    // the transaction lost a race and would pass when run again
	FaultUnavailable              // the database is away, busy, full or shutting down
)
