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

// The memory of backups and restores does not grow with the database.
func TestBoundedConnections(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bounded.db")
	write, err := writer(path, Options{Bulk: true, Bounded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close() //nolint:errcheck // of a test
	copied, err := bounded(path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close() //nolint:errcheck // of a test
	expectPragma(t, write, "mmap_size", 4<<20)
	expectPragma(t, write, "cache_size", -boundedCache)
	expectPragma(t, copied, "mmap_size", 0)
	expectPragma(t, copied, "temp_store", 1) // files
	expectPragma(t, copied, "cache_size", -smallCache)
	if err := temporaryIn(copied, ""); err != nil {
		t.Error(err)
	}
}
