package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"

	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"imprimatur/adapters/sqlstore"
)

//go:embed migrations/*.sql
var migrations embed.FS

// dialect implements sqlstore.Dialect for SQLite.
type dialect struct{}

var _ sqlstore.Dialect = dialect{}

func (dialect) Bun() schema.Dialect { return sqlitedialect.New() }

func (dialect) Migrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	return files
}

func (dialect) CountTables() string {
	return "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = $1"
}

// BeginMigration retries while another process writes. SQLite has one writer at a time, and its
// busy timeout is shorter than a migration may take.
func (dialect) BeginMigration(ctx context.Context, pool *sql.DB) (*sql.Tx, error) {
	for {
		tx, err := pool.BeginTx(ctx, nil)
		if !busy(err) || ctx.Err() != nil {
			return tx, err
		}
	}
}

// busy reports whether err says that another process has the file locked.
func busy(err error) bool {
	fault, ok := errors.AsType[*driver.Error](err)
	return ok && fault.Code()&0xff == codes.SQLITE_BUSY && fault.Code() != codes.SQLITE_BUSY_SNAPSHOT
}

func (dialect) Now() string { return "CAST(unixepoch('subsec') * 1000 AS INTEGER)" }

// Snapshot returns a constant: with one writer at a time, ids become visible in order.
func (dialect) Snapshot(bool) string { return "SELECT 1 AS oldest, 1 AS next" }

// Mark takes the ids of events as the numbers of transactions.
func (dialect) Mark() string {
	return "SELECT s.next AS oldest, s.next, '' AS running FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) + 1 AS next) AS s"
}

// ForEach uses CROSS JOIN, whose order SQLite does not change.
func (dialect) ForEach(table, alias, condition string) string {
	return " CROSS JOIN " + table + " " + alias + " WHERE " + condition
}

// Vacuum returns no statement. Totals are read from indexes, and statements name their index, so
// that SQLite needs neither VACUUM nor statistics.
func (dialect) Vacuum() string { return "" }

func (dialect) Explain(text string) string { return "EXPLAIN QUERY PLAN " + text }

// PlanColumn is the column after the id, the parent and an unused column.
func (dialect) PlanColumn() int { return 3 }

func (dialect) HoldProject() string { return "" }

func (dialect) TryHoldProject() string { return "" }

func (dialect) LockProject() string { return "" }

func (dialect) Fault(err error) sqlstore.Fault {
	fault, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return sqlstore.FaultOther
	}
	switch fault.Code() {
	case codes.SQLITE_CONSTRAINT_UNIQUE, codes.SQLITE_CONSTRAINT_PRIMARYKEY, codes.SQLITE_CONSTRAINT_ROWID:
		return sqlstore.FaultUnique
	case codes.SQLITE_CONSTRAINT_FOREIGNKEY:
		return sqlstore.FaultReference
	case codes.SQLITE_BUSY_SNAPSHOT:
		return sqlstore.FaultRetry
	}
	switch fault.Code() & 0xff { // the primary code
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_FULL, codes.SQLITE_IOERR, codes.SQLITE_CANTOPEN, codes.SQLITE_PROTOCOL:
		return sqlstore.FaultUnavailable
	}
	return sqlstore.FaultOther
}
