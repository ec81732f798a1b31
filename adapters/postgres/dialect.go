package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"

	"imprimatur/adapters/sqlstore"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the key of the advisory lock around migrations: "impr" as a number.
const migrationLock = 0x696d7072

// dialect is PostgreSQL's own way.
type dialect struct{}

var _ sqlstore.Dialect = dialect{}

func (dialect) Bun() schema.Dialect { return pgdialect.New() }

func (dialect) Migrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	return files
}

func (dialect) CountTables() string {
	return "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1"
}

func (dialect) LockMigrations(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock))
	return err
}

// Prepared overrides the mode of the pool for what bun builds. To parse and plan them
// anew each time is most of what the statements of a write cost.
func (dialect) Prepared(args []any) []any {
	return append([]any{pgx.QueryExecModeCacheStatement}, args...)
}

// Now is when the statement began, so that an index can be searched for it, cut to
// the millisecond, so that nothing is early.
func (dialect) Now() string {
	return "floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint"
}

// ForEach keeps the table out of the planning of the join: what lies in few places of
// a table that was never vacuumed would else be read whole.
func (dialect) ForEach(outer, table, alias, condition string) string {
	return outer + " CROSS JOIN LATERAL (SELECT " + alias + ".* FROM " + table + " " + alias + " WHERE " + condition + " OFFSET 0) " + alias
}

// Tend marks the pages that everybody sees whole, which totals then need not look at, and
// counts anew what the planner goes by. What autovacuum is at is left to it. Of a table
// that is somebody else's the server only warns.
func (dialect) Tend() string {
	return "VACUUM (ANALYZE, SKIP_LOCKED, TRUNCATE FALSE) entry_counters, entry_buckets, " + strings.Join(spread, ", ")
}

// Explain runs the statement, too.
func (dialect) Explain(text string) string { return "EXPLAIN (ANALYZE, BUFFERS) " + text }

func (dialect) PlanColumn() int { return 0 }

func (dialect) LockShared() string { return "SHARE" }

// LockProject takes no row: all rows that it could take are read by writers of entries,
// who would then wait, too. The first key is "proj" as a number; Projects that are 2^31
// apart share a second one.
func (dialect) LockProject() string {
	return "SELECT pg_advisory_xact_lock(1886547818, ($1::bigint & 2147483647)::int)"
}

func (dialect) Fault(err error) sqlstore.Fault {
	var fault *pgconn.PgError
	if !errors.As(err, &fault) {
		return connectionFault(err)
	}
	switch fault.Code {
	case "23505":
		return sqlstore.FaultUnique
	case "23503", "23001":
		return sqlstore.FaultReference
	case "40001", "40P01": // serialization failure, deadlock
		return sqlstore.FaultRetry
	case "55P03", "57014", "25P03": // lock or statement timeout, a transaction that stood still
		return sqlstore.FaultUnavailable
	}
	switch fault.Code[:2] {
	case "08", "53", "58": // connection, resources (too many connections, disk full), system
		return sqlstore.FaultUnavailable
	}
	// 57P01 to 57P05: shut down, crashed, starting up, dropped, idle for too long.
	if strings.HasPrefix(fault.Code, "57P") || fault.Code == "25006" { // a standby
		return sqlstore.FaultUnavailable
	}
	return sqlstore.FaultOther
}

// connectionFault looks at errors that the server did not send.
func connectionFault(err error) sqlstore.Fault {
	var connect *pgconn.ConnectError
	var network net.Error
	if errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err) {
		return sqlstore.FaultUnavailable
	}
	return sqlstore.FaultOther
}
