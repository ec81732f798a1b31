package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"imprimatur/ports"
)

// Pools are the connections to one database. One pool may serve several ends.
type Pools struct {
	Write *sql.DB // transactions, and writes outside one
	Read  *sql.DB // reads outside a transaction whose text bun builds anew each time
	Hot   Hot     // reads outside a transaction whose text is one of a few
}

// DB is a database with all the stores in it. It implements ports.Tx.
type DB struct {
	dialect Dialect
	pools   Pools
	write   *bun.DB
	read    *bun.DB
	hints   hints
}

var _ ports.Tx = (*DB)(nil)

// New returns the database behind pools, which it closes in the end.
func New(dialect Dialect, pools Pools) *DB {
	db := &DB{dialect: dialect, pools: pools}
	db.write = bun.NewDB(pools.Write, dialect.Bun()).WithQueryHook(statementCounter{})
	db.read = db.write
	if pools.Read != pools.Write {
		db.read = bun.NewDB(pools.Read, dialect.Bun()).WithQueryHook(statementCounter{})
	}
	return db
}

// Stores returns the stores on the database as it is, outside any transaction.
func (db *DB) Stores() ports.Stores {
	return conn{db: db, read: db.read, write: db.write}.stores()
}

// Connect opens the connection that writes, and reports whether that can be done.
func (db *DB) Connect(ctx context.Context) error {
	return db.fault(db.pools.Write.PingContext(ctx), "database")
}

// Ping reports whether the database answers. It takes no turn among the writers.
func (db *DB) Ping(ctx context.Context) error {
	return db.fault(db.pools.Hot.Ping(ctx), "database")
}

// Close closes every pool.
func (db *DB) Close() error {
	return errors.Join(db.pools.Hot.Close(), db.pools.Read.Close(), db.pools.Write.Close())
}
