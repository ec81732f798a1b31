package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"imprimatur/adapters/sqlstore/migrate"
	"imprimatur/core"
	"imprimatur/core/event"
)

// DB is a database behind pools.
type DB struct {
	Dialect Dialect
	Pools   Pools
	Slow    slowReads // see ReportSlow
	texts   texts
	groups  *groups // nil: each transaction commits alone
	spans   *spans  // nil: statements have none
	last    Last

	onCommit func([]event.Event) // may be nil
}

// Last returns the statements that end a transaction of actor. It may run others before.
type Last func(ctx context.Context, c Conn, actor core.Actor) ([]Statement, error)

// New returns the database behind pools. DB.Close closes the pools.
func New(dialect Dialect, pools Pools, last Last) *DB {
	db := &DB{Dialect: dialect, Pools: pools, last: last}
	if pools.OneWriter {
		db.groups = newGroups(db)
	}
	return db
}

// Capacity returns how many requests should read and write at once. More requests would wait for
// connections and delay background work, which bypasses admission control.
func (db *DB) Capacity() (reads, writes int) { return db.Pools.Reads, db.Pools.Writes }

// Connect opens a connection of the pool that writes.
func (db *DB) Connect(ctx context.Context) error {
	return db.Fault(db.Pools.Write.PingContext(ctx), "database")
}

// Writer returns the pool that writes.
func (db *DB) Writer() *sql.DB { return db.Pools.Write }

// Ping returns an error if the database does not respond. It does not wait for writers.
func (db *DB) Ping(ctx context.Context) error {
	return db.Fault(db.Pools.Hot.Ping(ctx), "database")
}

// Migrator returns what applies the migrations of the program. Its errors are those of the driver.
func (db *DB) Migrator() *migrate.Migrator {
	return &migrate.Migrator{Engine: db.Dialect, Files: db.Dialect.Migrations(), Read: db.Pools.Read, Write: db.Pools.Write}
}

// Migrate applies every missing migration; see [migrate.Migrator.Up].
func (db *DB) Migrate(ctx context.Context) error {
	return db.Fault(db.Migrator().Up(ctx), "migration")
}

// MigrationStatus returns every migration of the program; see [migrate.Migrator.Status].
func (db *DB) MigrationStatus(ctx context.Context) ([]migrate.Migration, error) {
	status, err := db.Migrator().Status(ctx)
	return status, db.Fault(err, "migration")
}

// Migrated reports whether every migration of the program is applied. It only reads.
func (db *DB) Migrated(ctx context.Context) (bool, error) {
	status, err := db.MigrationStatus(ctx)
	return err == nil && !slices.ContainsFunc(status, func(m migrate.Migration) bool { return !m.Applied }), err
}

// Vacuum runs now the maintenance that the engine runs by itself some time after many writes.
// Until then, totals and deep pages take several times as long. Vacuum takes some seconds per
// million entries and blocks no reads or writes.
func (db *DB) Vacuum(ctx context.Context) error {
	statement := db.Dialect.Vacuum()
	if statement == "" {
		return nil
	}
	_, err := db.Pools.Write.ExecContext(ctx, statement)
	return db.Fault(err, "database")
}

// Close closes every pool.
func (db *DB) Close() error {
	return errors.Join(db.Pools.Hot.Close(), db.Pools.Read.Close(), db.Pools.Write.Close(), db.Pools.Watch.Close())
}
