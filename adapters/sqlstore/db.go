package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"imprimatur/adapters/sqlstore/migrate"
	"imprimatur/core"
	"imprimatur/core/event"
)

// base is a database behind pools.
type base struct {
	dialect Dialect
	pools   Pools
	slow    slowReads
	texts   texts
	groups  *groups // nil: each transaction commits alone
	spans   *spans  // nil: statements have none
	last    Last

	onCommit func([]event.Event) // may be nil
}

// Last returns the statements that end a transaction of actor. It may run others before.
type Last func(ctx context.Context, c conn, actor core.Actor) ([]Statement, error)

// newBase returns the database behind pools. base.Close closes the pools.
func newBase(dialect Dialect, pools Pools, last Last) *base {
	db := &base{dialect: dialect, pools: pools, last: last}
	if pools.OneWriter {
		db.groups = newGroups(db)
	}
	return db
}

// Capacity returns how many requests should read and write at once. More requests would wait for
// connections and delay background work, which bypasses admission control.
func (db *base) Capacity() (reads, writes int) { return db.pools.Reads, db.pools.Writes }

// Connect opens a connection of the pool that writes.
func (db *base) Connect(ctx context.Context) error {
	return db.fault(db.pools.Write.PingContext(ctx), "database")
}

// Writer returns the pool that writes.
func (db *base) Writer() *sql.DB { return db.pools.Write }

// Ping returns an error if the database does not respond. It does not wait for writers.
func (db *base) Ping(ctx context.Context) error {
	return db.fault(db.pools.Hot.Ping(ctx), "database")
}

// Migrator returns what applies the migrations of the program. Its errors are those of the driver.
func (db *base) Migrator() *migrate.Migrator {
	return &migrate.Migrator{Engine: db.dialect, Files: db.dialect.Migrations(), Read: db.pools.Read, Write: db.pools.Write}
}

// Migrate applies every missing migration; see [migrate.Migrator.Up].
func (db *base) Migrate(ctx context.Context) error {
	return db.fault(db.Migrator().Up(ctx), "migration")
}

// MigrationStatus returns every migration of the program; see [migrate.Migrator.Status].
func (db *base) MigrationStatus(ctx context.Context) ([]migrate.Migration, error) {
	status, err := db.Migrator().Status(ctx)
	return status, db.fault(err, "migration")
}

// Migrated reports whether every migration of the program is applied. It only reads.
func (db *base) Migrated(ctx context.Context) (bool, error) {
	status, err := db.MigrationStatus(ctx)
	return err == nil && !slices.ContainsFunc(status, func(m migrate.Migration) bool { return !m.Applied }), err
}

// Vacuum runs now the maintenance that the engine runs by itself some time after many writes.
// Until then, totals and deep pages take several times as long. Vacuum takes some seconds per
// million entries and blocks no reads or writes.
func (db *base) Vacuum(ctx context.Context) error {
	statement := db.dialect.Vacuum()
	if statement == "" {
		return nil
	}
	_, err := db.pools.Write.ExecContext(ctx, statement)
	return db.fault(err, "database")
}

// Close closes every pool.
func (db *base) Close() error {
	return errors.Join(db.pools.Hot.Close(), db.pools.Read.Close(), db.pools.Write.Close(), db.pools.Watch.Close())
}
