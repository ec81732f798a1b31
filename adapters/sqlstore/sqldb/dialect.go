package sqldb

import (
	"context"
	"database/sql"
	"io/fs"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/adapters/sqlstore/migrate"
	"imprimatur/core"
)

// Dialect is the SQL that differs between engines, and the classification of their errors. How an
// engine runs statements is in [Session] and [Hot].
type Dialect interface {
	// Name is the name of the engine in OpenTelemetry.
	Name() string
	// Fault classifies the driver error in err's chain.
	Fault(err error) Fault

	Migrations
	ProjectLocks
	Clock
	Tuning
	Health
	Values
	Archives
	entryquery.Syntax
}

// Migrations is what differs in migrations.
type Migrations interface {
	// Migrations returns the engine's files <number>_<name>.sql, and those of sqlstore.CommonMigrations.
	Migrations() fs.FS
	migrate.Engine
}

// ProjectLocks are statements that lock the definitions of the Project with the id @project until the
// transaction ends. Waiting transactions get the lock in the order of their requests. All are empty
// on engines that run one write transaction at a time.
type ProjectLocks interface {
	// DeleteSome returns a DELETE of the rows of one Project, @project, that meet where, up to a limit, the last
	// argument. key are the columns that identify a row within where; an index orders them by key.
	DeleteSome(table, key, where string) string
	// HoldProject takes a shared lock.
	HoldProject() string
	// TryHoldProject does not wait and selects whether it took the shared lock.
	TryHoldProject() string
	// LockProject takes an exclusive lock.
	LockProject() string
}

// Clock is what differs in the order of events.
type Clock interface {
	// Now is an expression for the database's clock: milliseconds since 1970.
	Now() string
	// Snapshot is a SELECT of Oldest and Next of ports.EventSnapshot. Next may be 0 unless next
	// is set. On engines that run one write transaction at a time, Next is at most Oldest.
	Snapshot(next bool) string
	// Mark is a SELECT of oldest, next and running of event.Mark, the last as text with commas. Numbers
	// of transactions are those in events.xact.
	Mark() string
}

// Tuning is what operators need to keep statements fast.
type Tuning interface {
	// Vacuum is a statement that updates the statistics and the visibility map of the content
	// tables after many writes. It runs outside a transaction and blocks no reads or writes. It
	// is empty on engines whose reads do not depend on them.
	Vacuum() string
	// PlanForValues is a statement after which the plans of a transaction are those for the arguments of its statements. It
	// is empty on engines whose plans do not depend on arguments.
	PlanForValues() string
	// Explain returns the statement that shows the plan of text.
	Explain(text string) string
	// PlanColumn is the number of columns before the text of each line of the plan.
	PlanColumn() int
}

// Archives is what differs in backups and restores.
type Archives interface {
	// Freeze returns a transaction that only reads and sees the state of one moment, and a function
	// that ends it. It may need room for a copy of the database in the folder scratch.
	Freeze(ctx context.Context, pools Pools, scratch string) (tx *sql.Tx, end func() error, err error)
	// LastID is a SELECT of the id that a table, or entry_ids, gave last; no rows or 0: none yet.
	LastID(of string) string
	// SetLastID are statements after which a table, or entry_ids, gives ids greater than last.
	SetLastID(of string, last int64) []Statement
	// PastTransactions are statements after which no event has the number of a transaction that the
	// database did not have yet: rows that come from another server bring its numbers.
	PastTransactions() []string
	// MaxID is the largest id that entries may have.
	MaxID() int64
	// Truncate are statements that delete all rows of tables, which refer to no others.
	Truncate(tables []string) []Statement
}

// Values is what differs in lists of rows and in ids and texts of rows.
type Values interface {
	// AmongSize returns a class of lists of n values, at most 250: those of one class have the same text of Among.
	AmongSize(n int) uint8
	// AmongArgs returns the arguments of Among.
	AmongArgs(values []any) []any
	// Values returns a SELECT of rows, of which there must be at least one, and its arguments,
	// numbered from $first. Its columns are column1, column2 … with the given types.
	Values(first int, types []string, rows [][]any) (text string, args []any)
	// AddedWords is the table into which rows of entry_words are inserted.
	AddedWords() string
	// AnyWords returns the argument of NewestWords for the results of any of several searches.
	AnyWords(queries []entryquery.WordsQuery) string
	// NewestWords returns a SELECT of entry_id of up to limit rows of entry_words that match pattern, the
	// latest moments first, and whose Project meets a condition, as Search. It may leave out rows if very
	// many match.
	NewestWords(ofProject, pattern, limit string) string
	// Lexemes returns the value of the column words of a row of entry_words with that scope and moment.
	Lexemes(l entryindex.Lexemes, scope, moment int64, w *core.Words) string
	// NewEntryIDs returns a statement that allocates @count new entry ids. It selects ranges of
	// ids (first, last) in ascending order.
	NewEntryIDs() string
	// TitlePattern returns the argument of Titles for a folded text.
	TitlePattern(text string) string
	// Titles returns a FROM clause as entryquery.Texts.Search does: of the texts that match pattern, or whose
	// folded form does.
	Titles(ofProject, pattern string) string
	// NewestTexts returns the ORDER BY clause of the rows of Titles, the newest first, if it is free.
	NewestTexts() string
	// MediaSearch returns a condition with a place and its argument: the column m.search of the table
	// media contains text.
	MediaSearch(text string) (condition string, argument any)
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
