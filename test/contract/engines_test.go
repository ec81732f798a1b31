package contract_test

import (
	"path/filepath"
	"testing"

	"imprimatur/adapters/memory"
	"imprimatur/adapters/sqlite"
	"imprimatur/ports"
	"imprimatur/test/contract"
	"imprimatur/test/postgrestest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	contract.Stores(t, openMemory)
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	contract.Stores(t, openSQLite)
}

func openMemory(*testing.T) (ports.Stores, ports.Tx) {
	store := memory.New()
	return store.Stores(), store
}

func openSQLite(t *testing.T) (ports.Stores, ports.Tx) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "imprimatur.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, db.Close()) })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db.Stores(), db
}

func openPostgres(t *testing.T) (ports.Stores, ports.Tx) {
	t.Helper()
	return openTraced(t, postgrestest.Migrated(t), nil)
}

func closed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("closing: %v", err)
	}
}
