package sqlite

import (
	"database/sql"
	"path/filepath"
	"testing"
)

func TestABulkProcessHoldsMorePages(t *testing.T) {
	t.Parallel()
	for bulk, want := range map[bool]int{false: -smallCache, true: -bulkCache} {
		db, _ := bulkDatabase(t, bulk)
		expectPragma(t, db, "cache_size", want)
		expectPragma(t, db, "synchronous", 2)
	}
}

func TestTheLogOfABulkProcessGrowsWhileThereAreNoOthers(t *testing.T) {
	t.Parallel()
	db, others := bulkDatabase(t, true)
	for _, c := range []struct {
		others bool
		want   int
	}{{true, smallCheckpoint}, {false, bulkCheckpoint}, {true, smallCheckpoint}, {false, bulkCheckpoint}} {
		*others = c.others
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		expectPragma(t, db, "wal_autocheckpoint", c.want)
	}
}

// bulkDatabase returns a new database, and what says whether others have it open.
func bulkDatabase(t *testing.T, bulk bool) (db *sql.DB, others *bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	if err := prepare(path); err != nil {
		t.Fatal(err)
	}
	others = new(bool)
	c, err := writer(path, Options{Bulk: bulk})
	if err != nil {
		t.Fatal(err)
	}
	if (c.others != nil) != bulk {
		t.Errorf("bulk %v: whether there are others is asked: %v", bulk, c.others != nil)
	}
	if bulk {
		c.others = func() bool { return *others }
	}
	db = pool(c, 1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, others
}

func expectPragma(t *testing.T, db *sql.DB, name string, want int) {
	t.Helper()
	var is int
	if err := db.QueryRow("PRAGMA " + name).Scan(&is); err != nil || is != want {
		t.Errorf("%s is %d, %v, want %d", name, is, err, want)
	}
}
