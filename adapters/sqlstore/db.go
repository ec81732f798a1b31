package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/ports"
)

// Pools are the connections to one database. One pool may serve several ends.
type Pools struct {
	Write *sql.DB // transactions, and writes outside one
	Read  *sql.DB // reads outside a transaction, with texts that bun builds for each
	Hot   Hot     // reads outside a transaction, with texts that stay prepared
	Watch *sql.DB // reads of the latest events, which must not wait for other reads

	Reads, Writes int // how many requests should read, and write, at once

	// OneWriter says that transactions exclude each other. Those that wait then commit together.
	OneWriter bool
}

// DB is a database with all the stores in it. It implements ports.Tx.
type DB struct {
	dialect Dialect
	pools   Pools
	write   *bun.DB
	read    *bun.DB
	slow    slowReads
	groups  *groups // nil: each transaction commits alone

	onCommit func([]core.Event) // nil: nothing follows
}

var _ ports.Tx = (*DB)(nil)

// New returns the database behind pools, which it closes in the end.
func New(dialect Dialect, pools Pools) *DB {
	db := &DB{dialect: dialect, pools: pools, read: build(dialect, pools.Read)}
	db.write = db.read
	if pools.Read != pools.Write {
		db.write = build(dialect, pools.Write)
	}
	if pools.OneWriter {
		db.groups = newGroups(db)
	}
	return db
}

func build(dialect Dialect, pool *sql.DB) *bun.DB {
	return bun.NewDB(pool, dialect.Bun()).WithQueryHook(statementCounter{})
}

// Capacity returns how many requests should read and write at once. More would wait for
// connections, and with them the background work, which passes no limiter.
func (db *DB) Capacity() (reads, writes int) { return db.pools.Reads, db.pools.Writes }

// Stores returns the stores on the database as it is, outside any transaction.
func (db *DB) Stores() ports.Stores {
	return conn{db: db, read: db.read, write: db.write}.stores()
}

// Connect opens the connection that writes, and reports whether that can be done.
func (db *DB) Connect(ctx context.Context) error {
	return db.fault(db.pools.Write.PingContext(ctx), "database")
}

// Writer returns the connections that write.
func (db *DB) Writer() *sql.DB { return db.pools.Write }

// Ping reports whether the database answers. It does not wait for writers.
func (db *DB) Ping(ctx context.Context) error {
	return db.fault(db.pools.Hot.Ping(ctx), "database")
}

// Vacuum does at once what the engine would do by itself some time after many writes. Until then,
// totals and deep pages take several times as long. It takes some seconds per million entries and
// blocks no reads and writes.
func (db *DB) Vacuum(ctx context.Context) error {
	statement := db.dialect.Vacuum()
	if statement == "" {
		return nil
	}
	_, err := db.pools.Write.ExecContext(ctx, statement)
	return db.fault(err, "database")
}

// Close closes every pool.
func (db *DB) Close() error {
	return errors.Join(db.pools.Hot.Close(), db.pools.Read.Close(), db.pools.Write.Close(), db.pools.Watch.Close())
}
