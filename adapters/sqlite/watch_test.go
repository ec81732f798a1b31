package sqlite_test

import (
	"database/sql/driver"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
)

// TestWatch tells of what others commit, whatever this process commits beside it, and not
// of that alone.
func TestWatch(t *testing.T) {
	t.Parallel()
	db, other, watch := watched(t)
	version := versions(t, watch)
	before := version()
	for _, step := range []struct {
		what string
		do   func()
		told bool
	}{
		{"nothing", func() {}, false},
		{"its own commit", func() { commit(t, db) }, false},
		{"another's commit", func() { commit(t, other) }, true},
		{"nothing since", func() {}, false},
		{"another's commit between two of its own", func() { commit(t, db); commit(t, other); commit(t, db) }, true},
		{"its own commits", func() { commit(t, db); commit(t, db) }, false},
		{"another's commit and a new connection to write", func() { renewWriter(t, db); commit(t, other) }, true},
		{"its own commit after that", func() { commit(t, db) }, false},
		{"a new connection to write, which does", func() { renewWriter(t, db); commit(t, db) }, true},
		{"another way to look", func() { _ = watch.Close() }, true},
		{"its own commit, seen that way", func() { commit(t, db) }, false},
	} {
		step.do()
		after := version()
		if (after != before) != step.told {
			t.Errorf("after %s: version %d, before %d", step.what, after, before)
		}
		before = after
	}
}

// TestWatchOfABusyWriter cannot know whose a commit was.
func TestWatchOfABusyWriter(t *testing.T) {
	t.Parallel()
	db, other, watch := watched(t)
	version := versions(t, watch)
	before := version()
	writing, err := db.Writer().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commit(t, other)
	after := version()
	if after == before {
		t.Error("a commit of another's went by")
	}
	if again := version(); again != after {
		t.Errorf("version %d, then %d, with nothing between", after, again)
	}
	if err := writing.Close(); err != nil {
		t.Fatal(err)
	}
}

// watched returns a database that is open twice, and a watch of the first for the second.
func watched(t *testing.T) (db, other *sqlstore.DB, watch *sqlite.Watch) {
	t.Helper()
	db, path := setup(t)
	other, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	watch = sqlite.NewWatch("sqlite:"+path, db)
	t.Cleanup(func() {
		if err := errors.Join(watch.Close(), other.Close()); err != nil {
			t.Error(err)
		}
	})
	return db, other, watch
}

func versions(t *testing.T, watch *sqlite.Watch) func() int64 {
	return func() int64 {
		t.Helper()
		v, err := watch.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func commit(t *testing.T, db *sqlstore.DB) {
	t.Helper()
	if err := db.Stores().Tenants.Insert(t.Context(), &core.Tenant{Name: "Acme", CreatedAt: time.Now(), UpdatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
}

// renewWriter makes db's next write one of a new connection.
func renewWriter(t *testing.T, db *sqlstore.DB) {
	t.Helper()
	conn, err := db.Writer().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Raw(func(any) error { return driver.ErrBadConn }); !errors.Is(err, driver.ErrBadConn) {
		t.Fatal(err)
	}
}

func TestWatchOfNoFile(t *testing.T) {
	t.Parallel()
	db, _ := setup(t)
	watch := sqlite.NewWatch(filepath.Join(t.TempDir(), "none.db"), db)
	if v, err := watch.Version(t.Context()); err == nil {
		t.Errorf("version %d of a file that is not there", v)
	}
}
