package sqlstore_test

import (
	"path/filepath"
	"testing"
	"time"

	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/sqlstore"
	"imprimatur/test/postgrestest"
)

// opener opens another handle on the same database, which is empty at first.
type opener func(t *testing.T) *sqlstore.DB

// onEachEngine runs check against an empty database of each engine.
func onEachEngine(t *testing.T, check func(t *testing.T, open opener)) {
	t.Helper()
	for name, place := range map[string]func(t *testing.T) opener{"sqlite": onSQLite, "postgres": onPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, place(t))
		})
	}
}

// setup runs check against a migrated database of each engine.
func setup(t *testing.T, check func(t *testing.T, db *sqlstore.DB)) {
	t.Helper()
	onEachEngine(t, func(t *testing.T, open opener) {
		db := open(t)
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, db)
	})
}

func onSQLite(t *testing.T) opener {
	path := filepath.Join(t.TempDir(), "content.db")
	return func(t *testing.T) *sqlstore.DB {
		t.Helper()
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		return closing(t, db, err)
	}
}

func onPostgres(t *testing.T) opener {
	url := postgrestest.New(t)
	return func(t *testing.T) *sqlstore.DB {
		t.Helper()
		db, err := postgres.Open(t.Context(), url, postgres.Options{Conns: 4})
		return closing(t, db, err)
	}
}

func closing(t *testing.T, db *sqlstore.DB, err error) *sqlstore.DB {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// someTime is the time of all changes in these tests.
var someTime = time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)
