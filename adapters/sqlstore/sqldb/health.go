package sqldb

import (
	"context"
	"database/sql"
	"time"
)

// Health is what differs in finding out whether a database can be written.
type Health interface {
	// CheckWrite is a statement that fails while the database cannot be written. It changes no data.
	CheckWrite() string
	// Unwritable returns why err says that the database cannot be written, in words for the operator,
	// or "" if err says something else: that the database is busy or away.
	Unwritable(err error) string
}

// Unwritable returns why the database cannot be written, in words for the operator: "the disk is full";
// "" if it can. It returns an error if that is unknown: the database is away, or busy with other writes
// until ctx ends.
func (db *DB) Unwritable(ctx context.Context) (reason string, err error) {
	_, err = db.Pools.Write.ExecContext(ctx, db.Dialect.CheckWrite())
	if err == nil {
		return "", nil
	}
	if reason = db.Dialect.Unwritable(err); reason == "" {
		return "", db.Fault(err, "check of writes")
	}
	return reason, nil
}

// PoolStats are the connections of a pool.
type PoolStats struct {
	Max, InUse, Idle int
	Waits            int64         // how often a caller waited for a connection, since the start
	Waited           time.Duration // how long all callers waited, since the start
}

// StatsOf returns the statistics of a pool of database/sql.
func StatsOf(pool *sql.DB) PoolStats {
	s := pool.Stats()
	return PoolStats{Max: s.MaxOpenConnections, InUse: s.InUse, Idle: s.Idle, Waits: s.WaitCount, Waited: s.WaitDuration}
}

// PoolStats returns the statistics of the pools by name: write, read and watch.
func (db *DB) PoolStats() map[string]PoolStats {
	return map[string]PoolStats{"write": StatsOf(db.Pools.Write), "read": db.Pools.Hot.Stats(), "watch": StatsOf(db.Pools.Watch)}
}
