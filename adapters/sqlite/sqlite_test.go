package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/ports"
)

func TestOpenAcceptsEveryFormOfAPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for form, file := range map[string]string{
		filepath.Join(dir, "bare.db"):                 "bare.db",
		"sqlite:" + filepath.Join(dir, "prefixed.db"): "prefixed.db",
		"sqlite://" + filepath.Join(dir, "url.db"):    "url.db",
		filepath.Join(dir, "made", "on the way.db"):   "made/on the way.db",
		filepath.Join(dir, "what?%20#is+this&x=1.db"): "what?%20#is+this&x=1.db",
	} {
		db, err := sqlite.Open(t.Context(), form, sqlite.Options{})
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		if err := db.Close(); err != nil {
			t.Errorf("%s: %v", form, err)
		}
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "a text file")
	if err := os.WriteFile(text, []byte("this text file is longer than the header of a database, and is not a database"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, text, filepath.Join(text, "below.db")} {
		if db, err := sqlite.Open(t.Context(), path, sqlite.Options{}); err == nil {
			t.Errorf("%s was opened", path)
			db.Close() //nolint:errcheck // the test has failed
		}
	}
}

func TestOnlyTheOwnerCanReadFiles(t *testing.T) {
	t.Parallel()
	_, path := setup(t)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		file, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if file.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v", file.Name(), file.Mode())
		}
	}
}

func TestPragmas(t *testing.T) {
	t.Parallel()
	db, path := setup(t)
	if mode := pragma(t, path, "journal_mode"); mode != "wal" {
		t.Errorf("journal mode %s", mode)
	}
	// SQLite enforces foreign keys only on connections that enable them.
	err := db.Stores().Tokens.Insert(t.Context(), &core.Token{ProjectID: 1 << 40, CreatedAt: someTime})
	if !errors.Is(err, core.ErrNotFound) {
		t.Errorf("a token of no project: %v", err)
	}
}

// TestAnotherProcessHoldsTheLock writes while another process keeps the write lock.
func TestAnotherProcessHoldsTheLock(t *testing.T) {
	t.Parallel()
	db, path := setup(t)
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // the other process goes away
	lock, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	tenant := core.Tenant{Name: "Meridian", CreatedAt: someTime, UpdatedAt: someTime}
	for name, write := range map[string]func() error{
		"in a transaction": func() error {
			return db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error { return stores.Tenants.Insert(ctx, &tenant) })
		},
		"outside one": func() error { return db.Stores().Tenants.Insert(t.Context(), &tenant) },
	} {
		start := time.Now()
		err := write()
		if waited := time.Since(start); !errors.Is(err, core.ErrUnavailable) || waited > 5*time.Second {
			t.Errorf("%s: after %v: %v", name, waited, err)
		}
	}
	if _, err := db.Stores().Tenants.Tenants(t.Context()); err != nil {
		t.Errorf("a read meanwhile: %v", err)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := db.Stores().Tenants.Insert(t.Context(), &tenant); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Writers succeed beside a process that has the lock most of the time, such as an import.
func TestWritersUseThePausesOfAnotherProcess(t *testing.T) {
	t.Parallel()
	db, path := setup(t)
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close() //nolint:errcheck // the other process goes away
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			lock, err := other.Begin()
			if err == nil {
				time.Sleep(250 * time.Millisecond) // the other process writes
				err = lock.Rollback()
			}
			select {
			case <-done:
				ended <- err
				return
			case <-time.After(40 * time.Millisecond):
			}
		}
	}()
	for n := range 8 {
		tenant := core.Tenant{Name: "Meridian " + strconv.Itoa(n), CreatedAt: someTime, UpdatedAt: someTime}
		time.Sleep(70 * time.Millisecond) // to begin at different times of the other process
		if err := db.Stores().Tenants.Insert(t.Context(), &tenant); err != nil {
			t.Errorf("write %d: %v", n, err)
		}
	}
	close(done)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

var someTime = time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)

// TestALostGroupRunsAgain rolls back a transaction that several callers share: a failed statement
// of one caller ends the whole transaction. The others run again and are committed.
func TestALostGroupRunsAgain(t *testing.T) {
	t.Parallel()
	db, path := setup(t)
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("CREATE TRIGGER lose BEFORE INSERT ON tenants WHEN new.name = 'loser' BEGIN SELECT RAISE(ROLLBACK, 'lost'); END"); err != nil {
		t.Fatal(err)
	}
	insert := func(name string, runs *atomic.Int64) error {
		return db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			runs.Add(1)
			time.Sleep(time.Millisecond) // lets the others queue
			return stores.Tenants.Insert(ctx, &core.Tenant{Name: name, CreatedAt: time.Now(), UpdatedAt: time.Now()})
		})
	}
	var kept, runs, lost atomic.Int64
	for runs.Load() == 0 || runs.Load() == kept.Load() && !t.Failed() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := insert("kept", &runs); err != nil {
					t.Error(err)
				}
				kept.Add(1)
			})
		}
		all.Go(func() {
			if err := insert("loser", &lost); err == nil {
				t.Error("a refused row was committed")
			}
		})
		all.Wait()
	}
	var committed int64
	if err := raw.QueryRow("SELECT count(*) FROM tenants WHERE name = 'kept'").Scan(&committed); err != nil || committed != kept.Load() {
		t.Errorf("%d of %d rows are committed, %v", committed, kept.Load(), err)
	}
}

func setup(t *testing.T) (*sqlstore.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "content.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db, path
}

func pragma(t *testing.T, path, name string) (value string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read from
	if err := db.QueryRow("PRAGMA " + name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// A process that begins to follow the events reads one of them, however many the table has.
func TestFirstPollReadsTheLatestEvent(t *testing.T) {
	t.Parallel()
	db, _ := setup(t)
	for range 5 {
		if err := db.Stores().Tenants.Insert(t.Context(), &core.Tenant{Name: "Meridian", CreatedAt: time.Now(), UpdatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := db.Poll(t.Context(), 0, nil)
	if err != nil || len(all.Events) != 5 {
		t.Fatalf("%d events, want 5: %v", len(all.Events), err)
	}
	first, err := db.Poll(t.Context(), -1, nil)
	if err != nil || len(first.Events) != 1 || first.Events[0] != all.Events[4] {
		t.Errorf("the first poll reads %v, want the last of %v: %v", first.Events, all.Events, err)
	}
}
