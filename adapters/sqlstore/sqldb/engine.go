package sqldb

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// Pools are the connections to one database. The same pool may be in several fields.
type Pools struct {
	Write *sql.DB // transactions, and writes outside one; the driver's connections are Sessions
	Read  *sql.DB // reads of migrations and archives
	Hot   Hot     // reads outside a transaction, as prepared statements
	Watch *sql.DB // reads of the latest events, which must not wait for other reads
	Place Place

	Reads, Writes int // see DB.Capacity

	// OneWriter is set if transactions exclude each other. Waiting ones then share a commit, and
	// rows need no locks.
	OneWriter bool
}

// Hot runs reads outside a transaction. Like a Session, it keeps their texts prepared.
type Hot interface {
	Query(ctx context.Context, text string, args []any, read func(Rows) error) error
	Ping(ctx context.Context) error
	Stats() PoolStats
	Close() error
}

// Session is a connection that runs one transaction after another. Texts stay prepared on the
// connection, so that they must not contain values; arguments are $1, $2 …. Outside its transactions, each
// statement commits by itself.
//
// A Session is not safe for concurrent use. read must not use the connection.
type Session interface {
	// Start begins a transaction. It may send nothing before the first statement. One that runs alone may be idle for
	// longer between its statements, because it computes more.
	Start(ctx context.Context, alone bool) error
	// Query runs a statement that returns rows and calls read with them.
	Query(ctx context.Context, text string, args []any, read func(Rows) error) error
	// Exec runs a statement and returns the number of rows that it affected.
	Exec(ctx context.Context, text string, args []any) (affected int64, err error)
	// Batch runs statements in order, in one round trip to a server, and returns the number of
	// rows that each affected. It stops at the first error.
	Batch(ctx context.Context, statements []Statement) (affected []int64, err error)
	// Commit runs statements as Batch does and then commits, in the same round trip.
	Commit(ctx context.Context, statements []Statement) error
	// Rollback ends a transaction that is not committed. It does nothing after a commit.
	Rollback(ctx context.Context) error
}

// Rows is the result of a read. It works like sql.Rows.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
}

// Statement is one statement of a batch: a text with arguments, or an Insert.
type Statement struct {
	Text string
	Args []any
	// Read reads the rows that Text returns; nil for other statements.
	Read func(Rows) error
	// Insert takes the place of Text and Args.
	Insert *Insert
}

// Insert adds rows to a table. The engine chooses how: row by row, in one statement or as a copy.
type Insert struct {
	Table Table
	Rows  [][]any // at least one
	// OnConflict is an ON CONFLICT clause with a leading space, or empty. Rows that it skips do
	// not count as affected.
	OnConflict string
	// Given is set if the rows have values for columns that the database otherwise gives ids.
	Given bool
}

// Into returns the INSERT up to its rows.
func (in *Insert) Into() string {
	return "INSERT INTO " + in.Table.Name + " (" + strings.Join(in.Table.Columns, ", ") + ") "
}

// Table is a database table with some of its columns and their types in Postgres.
type Table struct {
	Name           string
	Columns, Types []string
}

// Place is where the rows of a database are. It shows that other tools restored them: rows that come from
// another place name that one, and rows of an earlier time lack the event that was noted last.
type Place interface {
	// Here returns what is noted here. known is false if the place has no name that can be read.
	Here(ctx context.Context) (n Note, known bool, err error)
	// Settle returns the name of the place for rows that no place has had, and forgets what was noted.
	Settle(ctx context.Context) (name string, err error)
	// Note notes an event of the rows. It does nothing if rows name another place after each restore.
	Note(n Note) error
}

// Note is what a place says of its rows.
type Note struct {
	Name string `json:"name"` // of the place; empty: nothing is noted
	// Event is an event that the rows have, 0 if none is noted, At its time and Digest its Event.Digest.
	Event  int64     `json:"event"`
	At     time.Time `json:"at"`
	Digest string    `json:"digest"`
}
