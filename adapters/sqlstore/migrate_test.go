package sqlstore_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/migrate"
	"imprimatur/core"
)

// with returns a migrator of the program's files and more. more replaces files of the same name; an
// empty text removes one.
func with(t *testing.T, db *sqlstore.DB, more map[string]string) *migrate.Migrator {
	t.Helper()
	m := db.Migrator()
	files := fstest.MapFS{}
	names, err := fs.Glob(m.Files, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(m.Files, name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	for name, text := range more {
		files[name] = &fstest.MapFile{Data: []byte(text)}
		if text == "" {
			delete(files, name)
		}
	}
	m.Files = files
	return m
}

// shipped returns the names of the program's migrations.
func shipped(t *testing.T, db *sqlstore.DB) []string {
	t.Helper()
	files, err := fs.Glob(db.Migrator().Files, "*.sql")
	require.NoError(t, err)
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, ".sql")
	}
	return files
}

// applied returns the names of the applied migrations.
func applied(t *testing.T, m *migrate.Migrator) (names []string) {
	t.Helper()
	status, err := m.Status(t.Context())
	require.NoError(t, err)
	for _, s := range status {
		require.Equal(t, s.Applied, !s.AppliedAt.IsZero())
		if s.Applied {
			names = append(names, s.Name)
		}
	}
	return names
}

const note = "ALTER TABLE tenants ADD COLUMN note text"

func TestMigrationsAreAppliedInOrder(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		db := open(t)
		first := db.Migrator()
		require.Empty(t, applied(t, first))
		for range 2 {
			require.NoError(t, first.Up(t.Context()))
			require.Equal(t, shipped(t, db), applied(t, first))
		}
		tenant := core.Tenant{Name: "Meridian", CreatedAt: someTime, UpdatedAt: someTime}
		require.NoError(t, db.Stores().Tenants.Insert(t.Context(), &tenant))
		second := with(t, db, map[string]string{"9001_note.sql": note, "9002_tag.sql": "CREATE TABLE tags (name text)"})
		require.Equal(t, shipped(t, db), applied(t, second))
		require.NoError(t, second.Up(t.Context()))
		require.Equal(t, append(shipped(t, db), "9001_note", "9002_tag"), applied(t, second))
		kept, err := db.Stores().Tenants.Tenants(t.Context())
		require.NoError(t, err)
		require.Len(t, kept, 1)
	})
}

// TestFailedMigrationLeavesNothing interrupts a migration after its first statement.
func TestFailedMigrationLeavesNothing(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		db := open(t)
		require.ErrorContains(t, with(t, db, map[string]string{"9001_note.sql": note + "; INSERT INTO missing VALUES (1)"}).Up(t.Context()), "9001_note: ")
		require.Equal(t, shipped(t, db), applied(t, db.Migrator()))
		require.NoError(t, with(t, db, map[string]string{"9001_note.sql": note}).Up(t.Context()))
	})
}

// TestForeignDatabasesAreRefused checks that each kind of database which this program cannot run on is
// refused by name and stays as it is.
func TestForeignDatabasesAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code, message string
		migrated      bool
		statements    string            // executed after the migrations, if any
		files         map[string]string // of the program that opens the database then
	}{
		"another program": {code: "foreign_schema", message: "such as wp_posts", statements: "CREATE TABLE wp_posts (id integer)"},
		"another program with migrations": {
			code: "foreign_schema", message: "such as migrations", statements: "CREATE TABLE migrations (id integer, migration text, batch integer)",
		},
		"before 1.0.0": {
			code: "old_schema", message: "a version before 1.0.0",
			statements: "CREATE TABLE migrations (name text PRIMARY KEY, applied_at bigint NOT NULL); INSERT INTO migrations VALUES ('0001_baseline', 1)",
		},
		"newer": {
			code: "newer_schema", message: "9009_later", migrated: true, statements: "INSERT INTO migrations VALUES ('9009_later', 'x', 1)",
		},
		"edited": {code: "changed_migration", message: "0001_baseline", migrated: true, files: map[string]string{"0001_baseline.sql": "SELECT 1"}},
		"unknown": {
			code: "unknown_migration", message: "0001_other", migrated: true, statements: "INSERT INTO migrations VALUES ('0001_other', 'x', 1)",
			files: map[string]string{"9001_note.sql": note},
		},
		"missing": {
			code: "missing_migration", message: "9002_later, but not 9001_note", migrated: true, statements: "INSERT INTO migrations VALUES ('9002_later', 'x', 1)",
			files: map[string]string{"9001_note.sql": note, "9002_later.sql": "SELECT 1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEachEngine(t, func(t *testing.T, open opener) {
				db := open(t)
				if c.migrated {
					require.NoError(t, db.Migrate(t.Context()))
				}
				if c.statements != "" {
					_, err := db.Writer().ExecContext(t.Context(), c.statements)
					require.NoError(t, err)
				}
				before := tables(t, db)
				m := with(t, db, c.files)
				_, planned := m.Plan(t.Context())
				_, asked := m.Status(t.Context())
				for _, err := range []error{m.Up(t.Context()), planned, asked} {
					fault, ok := errors.AsType[*core.Error](err)
					require.True(t, ok, "%v", err)
					require.Equal(t, c.code, fault.Code)
					require.Contains(t, fault.Message, c.message)
				}
				require.Equal(t, before, tables(t, db))
			})
		})
	}
}

// tables returns the names of all tables.
func tables(t *testing.T, db *sqlstore.DB) (names []string) {
	t.Helper()
	rows, err := db.Writer().QueryContext(t.Context(), db.Migrator().Engine.Tables())
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, rows.Err())
	return names
}

// TestPlanAppliesNothing checks what a plan says about a database that is up to date but for one
// migration.
func TestPlanAppliesNothing(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		db := open(t)
		plans, err := db.Migrator().Plan(t.Context())
		require.NoError(t, err)
		require.Len(t, plans, len(shipped(t, db)))
		require.Empty(t, plans[0].Locks, "no table existed")
		require.Empty(t, tables(t, db))
		require.NoError(t, db.Migrate(t.Context()))
		m := with(t, db, map[string]string{"9001_note.sql": note, "9002_index.sql": "CREATE INDEX users_note ON users (created_at)"})
		plans, err = m.Plan(t.Context())
		require.NoError(t, err)
		require.Len(t, plans, 2)
		require.Equal(t, note, plans[0].Text)
		if !plans[0].WholeDatabase {
			require.Equal(t, []migrate.Lock{{Table: "tenants", Mode: "AccessExclusiveLock", Blocks: "reads and writes"}}, plans[0].Locks)
			require.Equal(t, []migrate.Lock{{Table: "users", Mode: "ShareLock", Blocks: "writes"}}, plans[1].Locks)
		}
		require.Equal(t, shipped(t, db), applied(t, m))
	})
}

// TestConcurrentMigrations starts several replicas on an empty database.
func TestConcurrentMigrations(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		replicas := make([]*sqlstore.DB, 6)
		for i := range replicas {
			replicas[i] = open(t)
		}
		require.Empty(t, together(replicas, func(db *sqlstore.DB) error { return db.Migrate(t.Context()) }))
		require.Equal(t, shipped(t, replicas[0]), applied(t, replicas[0].Migrator()))
	})
}

// together calls do for each database at the same time and joins the errors.
func together(all []*sqlstore.DB, do func(*sqlstore.DB) error) (faults []error) {
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i, db := range all {
		group.Go(func() { errs[i] = do(db) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

const concurrentIndex = "-- concurrent\nCREATE INDEX CONCURRENTLY users_active_name ON users (active, name);\n"

// TestConcurrentIndex lets several replicas build an index that an interrupted build left invalid,
// beside a transaction that has the table locked for a time.
func TestConcurrentIndex(t *testing.T) {
	t.Parallel()
	open := onPostgres(t)
	db := open(t)
	require.NoError(t, db.Migrate(t.Context()))
	interrupt(t, db)
	replicas := []*sqlstore.DB{db, open(t), open(t)}
	more := map[string]string{"9001_index.sql": concurrentIndex}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // one that waits for itself never ends
	defer cancel()
	require.Empty(t, together(replicas, func(db *sqlstore.DB) error { return with(t, db, more).Up(ctx) }))
	m := with(t, db, more)
	require.Equal(t, append(shipped(t, db), "9001_index"), applied(t, m))
	var valid bool
	require.NoError(t, db.Writer().QueryRowContext(t.Context(), "SELECT indisvalid FROM pg_index WHERE indexrelid = 'users_active_name'::regclass").Scan(&valid))
	require.True(t, valid)

	// A process that was killed between the build and its record finds a complete index.
	_, err := db.Writer().ExecContext(t.Context(), "DELETE FROM migrations WHERE name = '9001_index'")
	require.NoError(t, err)
	require.NoError(t, m.Up(t.Context()))
	require.Equal(t, append(shipped(t, db), "9001_index"), applied(t, m))
}

// interrupt leaves an invalid index as a build does whose process is killed while it waits for a writer.
func interrupt(t *testing.T, db *sqlstore.DB) {
	t.Helper()
	writer, err := db.Writer().BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer writer.Rollback() //nolint:errcheck // the writer wrote nothing
	_, err = writer.ExecContext(t.Context(), "SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE users IN ROW EXCLUSIVE MODE")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	built := make(chan error, 1)
	go func() {
		_, err := db.Writer().ExecContext(ctx, strings.TrimPrefix(concurrentIndex, "-- concurrent\n"))
		built <- err
	}()
	require.Eventually(t, func() bool {
		var found int
		return db.Writer().QueryRowContext(t.Context(), "SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass('users_active_name')").Scan(&found) == nil && found == 1
	}, 30*time.Second, 20*time.Millisecond)
	cancel()
	require.Error(t, <-built)
}
