package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"
)

func TestBulkOptionsEnlargeCacheAndLog(t *testing.T) {
	t.Parallel()
	for bulk, want := range map[bool]int{false: -smallCache, true: -bulkCache} {
		db := bulkDatabase(t, bulk)
		expectPragma(t, db, "cache_size", want)
		expectPragma(t, db, "synchronous", 2)
		expectPragma(t, db, "wal_autocheckpoint", map[bool]int{false: smallCheckpoint, true: bulkCheckpoint}[bulk])
	}
}

// bulkDatabase returns a new database.
func bulkDatabase(t *testing.T, bulk bool) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	if err := prepare(path); err != nil {
		t.Fatal(err)
	}
	db, err := writer(path, Options{Bulk: bulk})
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

func expectPragma(t *testing.T, db *sql.DB, name string, want int) {
	t.Helper()
	var is int
	if err := db.QueryRow("PRAGMA " + name).Scan(&is); err != nil || is != want {
		t.Errorf("%s is %d, %v, want %d", name, is, err, want)
	}
}
