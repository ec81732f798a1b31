package migrate

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// Engine is what differs between databases.
type Engine interface {
	// Columns is a SELECT of the names of the columns of the table with the name $1; no rows: no
	// such table.
	Columns() string
	// Tables is a SELECT of the names of all tables that belong to no extension, in order.
	Tables() string
	// Locks is a SELECT of the table, the mode and the effect of each lock that the transaction has
	// and that keeps other statements waiting. It is empty if a migration locks the whole database.
	Locks() string
	// BeginMigration begins a transaction that excludes other migrations until it ends. It waits
	// for a running migration until ctx ends, without a snapshot that an index build would wait for.
	BeginMigration(ctx context.Context, pool *sql.DB) (*sql.Tx, error)
	// LockTimeout reports whether err says that a statement did not get a lock in time.
	LockTimeout(err error) bool
	// ValidIndex is a SELECT of whether the index with the name $1 is complete; no rows: no such
	// index. It is empty for engines without concurrent migrations.
	ValidIndex() string
}

// Migration is one step of the database's tables.
type Migration struct {
	Name      string // "0001_baseline"
	Applied   bool
	AppliedAt time.Time // zero unless Applied
}

// Migrator applies the migrations in Files.
type Migrator struct {
	Engine Engine
	Files  fs.FS
	Read   *sql.DB
	Write  *sql.DB
}

// lockAttempts is how often a migration that did not get a lock is tried again, lockPause the time
// between. Statements that wait for a lock delay those behind them, so that each try is short.
const (
	lockAttempts = 60
	lockPause    = 500 * time.Millisecond
)

// Status returns every migration of the program, in order. It only reads, so that a start on an
// up-to-date database takes no lock. The error names what does not fit if the database was not made
// by this program or by an earlier version of it.
func (m *Migrator) Status(ctx context.Context) ([]Migration, error) { return m.status(ctx, m.Read) }

// Up applies every missing migration, in order. Several processes may call it at the same time: one
// applies a migration while the others wait. A migration is applied as a whole or not at all.
func (m *Migrator) Up(ctx context.Context) error {
	for {
		status, err := m.Status(ctx)
		next := slices.IndexFunc(status, func(s Migration) bool { return !s.Applied })
		if err != nil || next < 0 {
			return err
		}
		if err := m.retry(ctx, func() error { return m.apply(ctx, status[next].Name) }); err != nil {
			return fmt.Errorf("%s: %w", status[next].Name, err)
		}
	}
}

// retry calls do until it gets its locks, at most lockAttempts times.
func (m *Migrator) retry(ctx context.Context, do func() error) error {
	for attempt := 1; ; attempt++ {
		err := do()
		if err == nil || !m.Engine.LockTimeout(err) || attempt == lockAttempts {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(lockPause):
		}
	}
}

// apply applies the named migration, unless another process has applied it meanwhile.
func (m *Migrator) apply(ctx context.Context, name string) error {
	s, err := m.script(name)
	if err != nil {
		return err
	}
	tx, err := m.Engine.BeginMigration(ctx, m.Write)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing to undo after a commit, nothing to do about it before
	status, err := m.status(ctx, tx)
	if err != nil {
		return err
	}
	if next := slices.IndexFunc(status, func(s Migration) bool { return !s.Applied }); next < 0 || status[next].Name != name {
		return nil
	}
	if err := m.execute(ctx, tx, s); err != nil {
		return err
	}
	return tx.Commit()
}

// execute runs the script and records it in tx.
func (m *Migrator) execute(ctx context.Context, tx *sql.Tx, s script) error {
	// Without arguments both drivers take many statements at once.
	if s.index == "" {
		if _, err := tx.ExecContext(ctx, s.text); err != nil {
			return err
		}
	} else if err := m.build(ctx, tx, s); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)"); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO migrations (name, checksum, applied_at) VALUES ($1, $2, $3)", s.name, s.checksum, time.Now().UnixMilli())
	return err
}

// build makes the index of a concurrent script outside of tx, which has the lock of migrations, unless the index
// is complete.
func (m *Migrator) build(ctx context.Context, tx *sql.Tx, s script) error {
	// The build waits for every older snapshot. tx keeps that of its last query until another statement comes.
	if _, err := tx.ExecContext(ctx, "SAVEPOINT built"); err != nil {
		return err
	}
	valid, found, err := m.index(ctx, s.index)
	if err != nil || valid {
		return err
	}
	if found {
		if _, err := m.Write.ExecContext(ctx, "DROP INDEX CONCURRENTLY "+s.index); err != nil {
			return err
		}
	}
	_, err = m.Write.ExecContext(ctx, s.text)
	return err
}

func (m *Migrator) index(ctx context.Context, name string) (valid, found bool, err error) {
	rows, err := m.Write.QueryContext(ctx, m.Engine.ValidIndex(), name)
	if err != nil {
		return false, false, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		found = true
		if err := rows.Scan(&valid); err != nil {
			return false, false, err
		}
	}
	return valid, found, rows.Err()
}
