package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"imprimatur/adapters/sqlite"
	"imprimatur/core"
)

func TestWatchTellsOfEveryCommit(t *testing.T) {
	t.Parallel()
	db, path := setup(t)
	watch := sqlite.NewWatch("sqlite:" + path)
	defer watch.Close()
	version := func() int64 {
		t.Helper()
		v, err := watch.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	known := map[int64]bool{}
	for range 3 {
		v := version()
		if known[v] {
			t.Errorf("version %d again after a change", v)
		}
		known[v] = true
		if again := version(); again != v {
			t.Errorf("version %d, then %d although nothing changed", v, again)
		}
		if err := db.Stores().Tenants.Insert(t.Context(), &core.Tenant{Name: "Acme", CreatedAt: time.Now(), UpdatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := watch.Close(); err != nil {
		t.Fatal(err)
	}
	if v := version(); known[v] {
		t.Errorf("version %d again on another connection, where it means something else", v)
	}
}

func TestWatchOfNoFile(t *testing.T) {
	t.Parallel()
	watch := sqlite.NewWatch(filepath.Join(t.TempDir(), "none.db"))
	if v, err := watch.Version(t.Context()); err == nil {
		t.Errorf("version %d of a file that is not there", v)
	}
}
