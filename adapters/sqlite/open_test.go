package sqlite

import (
	"path/filepath"
	"testing"
)

func TestABulkProcessHoldsMorePagesAndCheckpointsLessOften(t *testing.T) {
	t.Parallel()
	for bulk, want := range map[bool]map[string]int{
		false: {"cache_size": -smallCache, "wal_autocheckpoint": smallCheckpoint, "synchronous": 2},
		true:  {"cache_size": -bulkCache, "wal_autocheckpoint": bulkCheckpoint, "synchronous": 2},
	} {
		db, err := writing(filepath.Join(t.TempDir(), "a.db"), Options{Bulk: bulk})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close() //nolint:errcheck // a temporary file
		for pragma, want := range want {
			var is int
			if err := db.QueryRow("PRAGMA " + pragma).Scan(&is); err != nil || is != want {
				t.Errorf("bulk %v: %s is %d, %v, want %d", bulk, pragma, is, err, want)
			}
		}
	}
}
