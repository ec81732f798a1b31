package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"strings"

	"imprimatur/adapters/sqlstore/sqldb"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/migrate"
)

// migrations has the migrations. Those that are released and long are compressed; their texts are in the folder released.
//
//go:embed migrations/*.sql migrations/*.sql.gz
var migrations embed.FS

// dialect implements sqlstore.Dialect for SQLite.
type dialect struct{}

var _ sqldb.Dialect = dialect{}

func (dialect) Name() string { return "sqlite" }

func (dialect) PlanForValues() string { return "" }

func (dialect) Migrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	return migrate.Unpack(files, sqlstore.CommonMigrations())
}

// Schema returns the name of the last migration of the program, "0001_baseline". Those of Postgres have
// the same names.
func Schema() string {
	names, err := fs.Glob(dialect{}.Migrations(), "*.sql") // sorted
	if err != nil || len(names) == 0 {
		panic("no migrations are embedded")
	}
	return strings.TrimSuffix(names[len(names)-1], ".sql")
}

func (dialect) Columns() string { return "SELECT name FROM pragma_table_info($1)" }

// Tables leaves out the tables behind virtual ones, which the virtual one stands for.
func (dialect) Tables() string {
	return "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
}

// Locks is empty: SQLite has one writer at a time.
func (dialect) Locks() string { return "" }

// LockTimeout implements migrate.Engine. BeginMigration waits for the only lock.
func (dialect) LockTimeout(error) bool { return false }

// ValidIndex is empty: SQLite builds no index beside writers.
func (dialect) ValidIndex() string { return "" }

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

// ForEachOrNone uses LEFT JOIN, whose order SQLite cannot change.
func (dialect) ForEachOrNone(table, alias, condition string) string {
	return " LEFT JOIN " + table + " " + alias + " ON " + condition
}

// Vacuum returns no statement. Totals are read from indexes, and statements name their index, so
// that SQLite needs neither VACUUM nor statistics.
func (dialect) Vacuum() string { return "" }

func (dialect) Explain(text string) string { return "EXPLAIN QUERY PLAN " + text }

// PlanColumn is the column after the id, the parent and an unused column.
func (dialect) PlanColumn() int { return 3 }

// CheckWrite writes a number that the program does not use. The commit appends a page to the log, which
// is what every write needs.
func (dialect) CheckWrite() string { return "PRAGMA user_version = 0" }

func (dialect) Unwritable(err error) string {
	fault, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return ""
	}
	switch fault.Code() & 0xff { // the primary code
	case codes.SQLITE_FULL:
		return "the disk is full"
	case codes.SQLITE_READONLY, codes.SQLITE_PERM:
		return "the file is read-only"
	case codes.SQLITE_IOERR, codes.SQLITE_CANTOPEN:
		return "the file system reports a fault"
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB:
		return "the file is damaged"
	}
	return ""
}

// DeleteSome finds rows by their keys: many tables have no other place.
func (dialect) DeleteSome(table, key, where string) string {
	return "DELETE FROM " + table + " WHERE " + where + " AND (" + key + ") IN (SELECT " + key + " FROM " + table + " WHERE " + where +
		" ORDER BY " + key + " LIMIT ?)"
}

func (dialect) HoldProject() string { return "" }

func (dialect) TryHoldProject() string { return "" }

func (dialect) LockProject() string { return "" }

func (dialect) Fault(err error) sqldb.Fault {
	fault, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return sqldb.FaultOther
	}
	switch fault.Code() {
	case codes.SQLITE_CONSTRAINT_UNIQUE, codes.SQLITE_CONSTRAINT_PRIMARYKEY, codes.SQLITE_CONSTRAINT_ROWID:
		return sqldb.FaultUnique
	case codes.SQLITE_CONSTRAINT_FOREIGNKEY:
		return sqldb.FaultReference
	case codes.SQLITE_BUSY_SNAPSHOT:
		return sqldb.FaultRetry
	}
	switch fault.Code() & 0xff { // the primary code
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED, codes.SQLITE_FULL, codes.SQLITE_IOERR, codes.SQLITE_CANTOPEN, codes.SQLITE_PROTOCOL:
		return sqldb.FaultUnavailable
	}
	return sqldb.FaultOther
}
