package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/jackc/pgx/v5/pgconn"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/migrate"
)

// migrations has the migrations. Those that are released and long are compressed; their texts are in the folder released.
//
//go:embed migrations/*.sql migrations/*.sql.gz
var migrations embed.FS

// migrationLock is the key of the advisory lock around migrations: "impr" as a number.
const migrationLock = 0x696d7072

// dialect implements sqlstore.Dialect for PostgreSQL.
type dialect struct{}

var _ sqldb.Dialect = dialect{}

func (dialect) Name() string { return "postgresql" }

func (dialect) PlanForValues() string { return "SET LOCAL plan_cache_mode = force_custom_plan" }

func (dialect) Migrations() fs.FS {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	return migrate.Unpack(files, sqlstore.CommonMigrations())
}

func (dialect) Columns() string {
	return "SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1"
}

func (dialect) Tables() string {
	return "SELECT relname::text FROM pg_class c WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'f')" +
		" AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e') ORDER BY relname"
}

// Locks has the modes that conflict with the locks of statements: SHARE and stronger ones keep writes
// waiting, only ACCESS EXCLUSIVE keeps reads waiting.
func (dialect) Locks() string {
	return "SELECT relname::text, mode, CASE mode WHEN 'AccessExclusiveLock' THEN 'reads and writes' ELSE 'writes' END" +
		" FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE pid = pg_backend_pid() AND relkind IN ('r', 'p')" +
		" AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') ORDER BY relname, mode"
}

const (
	// lockTimeout is how long a statement of a migration waits for a lock. Statements that come after
	// it wait behind it.
	lockTimeout = 2 * time.Second
	// migrationPoll is the time between two looks for the end of another process' migration.
	migrationPoll = 100 * time.Millisecond
)

// BeginMigration polls for the advisory lock, because a process that waits for it in a statement has
// a snapshot, for whose end the build of an index would wait. The transaction may be idle while an
// index is built on another connection.
func (d dialect) BeginMigration(ctx context.Context, pool *sql.DB) (*sql.Tx, error) {
	for {
		tx, err := pool.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		locked, err := d.lockMigrations(ctx, tx)
		if locked {
			return tx, nil
		}
		if err := errors.Join(err, tx.Rollback()); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(migrationPoll):
		}
	}
}

func (dialect) lockMigrations(ctx context.Context, tx *sql.Tx) (locked bool, err error) {
	if err := tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", int64(migrationLock)).Scan(&locked); err != nil || !locked {
		return false, err
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = 0", lockTimeout.Milliseconds()))
	return err == nil, err
}

// LockTimeout implements migrate.Engine.
func (dialect) LockTimeout(err error) bool {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	return ok && fault.Code == "55P03"
}

func (dialect) ValidIndex() string {
	return "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)"
}

// Now is the start of the statement. It is constant during a statement, so that comparisons with
// it can use an index. It is rounded down to milliseconds, so that no work is due early.
func (dialect) Now() string {
	return "floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint"
}

// Snapshot takes a new transaction id as Next. pg_snapshot_xmax would be wrong: it is one more than
// the last id whose transaction has ended, and transactions from there on may be running.
func (dialect) Snapshot(next bool) string {
	id := "0"
	if next {
		id = "pg_current_xact_id()::text::bigint"
	}
	return "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest, " + id + " AS next"
}

// Mark is the snapshot of the statement: transactions from its xmax on are not visible to it.
func (dialect) Mark() string {
	return "SELECT pg_snapshot_xmin(s.now)::text::bigint AS oldest, pg_snapshot_xmax(s.now)::text::bigint AS next," +
		" coalesce((SELECT string_agg(x::text, ',' ORDER BY x) FROM pg_snapshot_xip(s.now) x), '') AS running FROM (SELECT pg_current_snapshot() AS now) AS s"
}

// ForEach uses OFFSET 0, which keeps the planner from merging the subquery into the join.
// Otherwise it may read a whole table that has not been vacuumed yet.
func (dialect) ForEach(table, alias, condition string) string {
	return " CROSS JOIN LATERAL (SELECT " + alias + ".* FROM " + table + " " + alias + " WHERE " + condition + " OFFSET 0) " + alias
}

func (dialect) ForEachOrNone(table, alias, condition string) string {
	return " LEFT JOIN LATERAL (SELECT " + alias + ".* FROM " + table + " " + alias + " WHERE " + condition + " OFFSET 0) " + alias + " ON true"
}

// Vacuum updates the visibility map, so that counts need only index scans, and the statistics of
// the planner. It skips tables that autovacuum is processing. For a table of another owner, the
// server only warns.
func (dialect) Vacuum() string {
	return "VACUUM (ANALYZE, SKIP_LOCKED, TRUNCATE FALSE) entry_counters, entry_buckets, entries, entry_index, entry_values, entry_texts, entry_words, entry_claims"
}

// Explain runs the statement.
func (dialect) Explain(text string) string { return "EXPLAIN (ANALYZE, BUFFERS) " + text }

func (dialect) PlanColumn() int { return 0 }

// CheckWrite needs the permission to write and a transaction that may, and locks no row.
func (dialect) CheckWrite() string { return "SELECT FROM events WHERE false FOR UPDATE" }

func (dialect) Unwritable(err error) string {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return ""
	}
	switch fault.Code {
	case "25006":
		return "the server is read-only: a standby, or default_transaction_read_only is set"
	case "42501":
		return "the role may not write"
	case "53100":
		return "the disk of the server is full"
	}
	return ""
}

// projectKeys are the keys of a Project's advisory lock: "proj" as a number, and the id. Projects
// whose ids differ by a multiple of 2^31 share a lock.
//
// It is not a lock of the Project's row, because shared row locks are written to disk, and a
// continuous stream of them starves a transaction that needs the exclusive lock.
const projectKeys = "(1886547818, (@project::bigint & 2147483647)::int)"

// DeleteSome finds rows by their places, in the one partition of the Project: places are those of a partition.
func (dialect) DeleteSome(table, key, where string) string {
	return "DELETE FROM " + table + " WHERE project_id = @project AND ctid = ANY (ARRAY(SELECT ctid FROM " + table + " WHERE " + where +
		" ORDER BY " + key + " LIMIT ?))"
}

func (dialect) HoldProject() string { return "SELECT pg_advisory_xact_lock_shared" + projectKeys }

func (dialect) TryHoldProject() string {
	return "SELECT pg_try_advisory_xact_lock_shared" + projectKeys
}

func (dialect) LockProject() string { return "SELECT pg_advisory_xact_lock" + projectKeys }

func (dialect) Fault(err error) sqldb.Fault {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return connectionFault(err)
	}
	switch fault.Code {
	case "23505":
		return sqldb.FaultUnique
	case "23503", "23001":
		return sqldb.FaultReference
	case "40001", "40P01", "25P03": // serialization failure, deadlock, idle transaction timeout
		return sqldb.FaultRetry
	case "55P03", "57014": // lock timeout, statement timeout
		return sqldb.FaultUnavailable
	}
	switch fault.Code[:2] {
	case "08", "53", "58": // connection, resources (too many connections, disk full), system
		return sqldb.FaultUnavailable
	}
	// 57P01 to 57P05: shut down, crashed, starting up, dropped, idle for too long.
	if strings.HasPrefix(fault.Code, "57P") || fault.Code == "25006" { // a standby
		return sqldb.FaultUnavailable
	}
	return sqldb.FaultOther
}

// connectionFault classifies errors that the server did not send.
func connectionFault(err error) sqldb.Fault {
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect):
		return sqldb.FaultUnavailable
	case errors.Is(err, syscall.EPIPE), errors.Is(err, driver.ErrBadConn):
		// The server closed the connection before the statement, which did not run, even if it is a
		// COMMIT. This happens to a process that gets no processor time for stallTime.
		return sqldb.FaultRetry
	case errors.As(err, &network), errors.Is(err, sql.ErrConnDone), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrUnexpectedEOF), pgconn.SafeToRetry(err):
		return sqldb.FaultUnavailable
	}
	return sqldb.FaultOther
}
