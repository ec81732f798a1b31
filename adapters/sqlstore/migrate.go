package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Migration is one step of the database's schema.
type Migration struct {
	Name      string // "0001_baseline"
	Applied   bool
	AppliedAt time.Time // zero unless Applied
}

const (
	upSuffix   = ".up.sql"
	downSuffix = ".down.sql"
)

// Migrate applies every missing migration, in the order of their names, each in a
// transaction of its own. Several processes may call it at the same time: one applies a
// migration while the others wait.
func (db *DB) Migrate(ctx context.Context) error {
	for {
		status, err := db.MigrationStatus(ctx)
		next := slices.IndexFunc(status, func(m Migration) bool { return !m.Applied })
		if err != nil || next < 0 {
			return err
		}
		if err := db.migrate(ctx, db.stepUp(status[next].Name)); err != nil {
			return err
		}
	}
}

// MigrateDown reverts the last applied migration and deletes the data in its tables. It does
// nothing when no migration is applied.
func (db *DB) MigrateDown(ctx context.Context) error {
	return db.migrate(ctx, db.stepDown)
}

// MigrationStatus returns every migration that this program knows, in order. It only reads, so
// that a start on an up-to-date database takes no lock.
func (db *DB) MigrationStatus(ctx context.Context) ([]Migration, error) {
	status, err := db.migrations(ctx, db.pools.Read)
	return status, db.fault(err, "migration")
}

// Migrated reports whether every migration that this program knows is applied. It only
// reads, as MigrationStatus does.
func (db *DB) Migrated(ctx context.Context) (bool, error) {
	status, err := db.MigrationStatus(ctx)
	return err == nil && !slices.ContainsFunc(status, func(m Migration) bool { return !m.Applied }), err
}

// migrate runs step while no other process migrates.
func (db *DB) migrate(ctx context.Context, step func(context.Context, *sql.Tx) error) error {
	tx, err := db.dialect.BeginMigration(ctx, db.pools.Write)
	if err != nil {
		return db.fault(err, "migration")
	}
	defer tx.Rollback() //nolint:errcheck // nothing to undo after a commit, nothing to do about it before
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at bigint NOT NULL)"); err != nil {
		return db.fault(err, "migration")
	}
	if err := step(ctx, tx); err != nil {
		return db.fault(err, "migration")
	}
	return db.fault(tx.Commit(), "migration")
}

// stepUp returns the step that applies the named migration. It does nothing when another process
// has applied the migration meanwhile.
func (db *DB) stepUp(name string) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		status, err := db.migrations(ctx, tx)
		if err != nil {
			return err
		}
		next := slices.IndexFunc(status, func(m Migration) bool { return !m.Applied })
		if next < 0 || status[next].Name != name {
			return nil
		}
		if err := db.run(ctx, tx, name, upSuffix); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO migrations (name, applied_at) VALUES ($1, $2)", name, time.Now().UnixMilli())
		return err
	}
}

func (db *DB) stepDown(ctx context.Context, tx *sql.Tx) error {
	status, err := db.migrations(ctx, tx)
	if err != nil {
		return err
	}
	for _, m := range slices.Backward(status) {
		if !m.Applied {
			continue
		}
		if err := db.run(ctx, tx, m.Name, downSuffix); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM migrations WHERE name = $1", m.Name)
		return err
	}
	return nil
}

// run executes one file of a migration. Without arguments both drivers take many statements at once.
func (db *DB) run(ctx context.Context, tx *sql.Tx, name, suffix string) error {
	file := name + suffix
	script, err := fs.ReadFile(db.dialect.Migrations(), file)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(script)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// reader is a pool or a transaction.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// migrations returns the migrations of this program, and whether each is applied.
func (db *DB) migrations(ctx context.Context, from reader) ([]Migration, error) {
	applied, err := db.applied(ctx, from)
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(db.dialect.Migrations(), "*"+upSuffix) // sorted by name
	if err != nil {
		return nil, err
	}
	status := make([]Migration, len(files))
	for i, file := range files {
		name := strings.TrimSuffix(file, upSuffix)
		at, done := applied[name]
		status[i] = Migration{Name: name, Applied: done, AppliedAt: at}
	}
	return status, nil
}

// applied returns the time of each applied migration, by name.
func (db *DB) applied(ctx context.Context, from reader) (map[string]time.Time, error) {
	var tables int
	if err := from.QueryRowContext(ctx, db.dialect.CountTables(), "migrations").Scan(&tables); err != nil || tables == 0 {
		return nil, err
	}
	rows, err := from.QueryContext(ctx, "SELECT name, applied_at FROM migrations")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	applied := map[string]time.Time{}
	for rows.Next() {
		var name string
		var at int64
		if err := rows.Scan(&name, &at); err != nil {
			return nil, err
		}
		applied[name] = time.UnixMilli(at).UTC()
	}
	return applied, rows.Err()
}
