package contract_test

import (
	"os"
	"path/filepath"
	"regexp"
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

// TestMemoryNeedsLocks is for the tests of use cases, which would not notice a missing lock otherwise.
func TestMemoryNeedsLocks(t *testing.T) {
	t.Parallel()
	contract.NeedLocks(t, func(*testing.T) (ports.Stores, ports.Tx) {
		store := memory.New()
		return store.Stores(), store
	})
}

func openMemory(*testing.T) (ports.Stores, ports.Tx) {
	store := memory.New().Trust()
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

// TestConstraintsKnowAllTables fails for a new table until contract.Constraints has a row of it, or says why not.
func TestConstraintsKnowAllTables(t *testing.T) {
	t.Parallel()
	migrations, err := filepath.Glob("../../adapters/sqlite/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for _, file := range append(migrations, "../../adapters/sqlite/migrations/released/0001_baseline.sql") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`).FindAllStringSubmatch(string(text), -1) {
			tables = append(tables, found[1])
		}
	}
	contract.TablesOfConstraints(t, tables)
}
