package postgres_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/schedule"
	"imprimatur/ports"
	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
)

func TestOpenDoesNotRepeatAnInvalidURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://user:secret@host:port/db", "postgres://user:secret@host/db?connect_timeout=x", "secret"} {
		_, err := postgres.Open(t.Context(), url, postgres.Options{})
		if core.KindOf(err) != core.KindBadRequest || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "postgres://user@" + listener.Addr().String() + "/db?sslmode=disable"
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	expectUnavailable(t, open(t, refused))
}

// TestServerDoesNotRespond dials a server that accepts connections and sends nothing.
func TestServerDoesNotRespond(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // it never accepted
	expectUnavailable(t, open(t, "postgres://user@"+listener.Addr().String()+"/db?sslmode=disable"))
}

// TestServerClosesConnections closes all connections on the server, as a restart does. The open
// transaction runs again; the next statement succeeds.
func TestServerClosesConnections(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	db := open(t, url)
	runs := 0
	err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if _, err := stores.Tenants.Tenants(ctx); err != nil {
			t.Fatal(err)
		}
		if runs++; runs == 1 {
			execute(ctx, t, url, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		}
		_, err := stores.Tenants.Tenants(ctx)
		return err
	})
	if err != nil || runs != 2 {
		t.Errorf("under way: run %d times: %v", runs, err)
	}
	if _, err := db.Stores().Tenants.Tenants(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestDueSkipsLockedPublications locks a due publication in one transaction. Another transaction
// gets the others without waiting. When the first has been idle for too long, the server ends
// it: its lock is released, and it runs again.
func TestDueSkipsLockedPublications(t *testing.T) {
	t.Parallel()
	db := open(t, postgrestest.Migrated(t))
	stores := db.Stores()
	project := newProject(t, stores)
	for entry := range int64(3) {
		p := schedule.Schedule{ProjectID: project.ID, EntryID: entry + 1, DueAt: time.UnixMilli(1000 + entry)}
		if err := stores.Schedules.Schedule(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	due := func() (entries []int64) {
		if err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			found, err := stores.Schedules.Due(ctx, 9)
			for _, p := range found {
				entries = append(entries, p.EntryID)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		return entries
	}
	runs := 0
	err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if runs++; runs > 1 {
			return nil
		}
		if held, err := stores.Schedules.Due(ctx, 1); err != nil || len(held) != 1 || held[0].EntryID != 1 {
			t.Errorf("the first takes %v, %v", held, err)
		}
		if rest := due(); !slices.Equal(rest, []int64{2, 3}) {
			t.Errorf("beside the first, %v are due", rest)
		}
		await.Until(t, "the lock of an idle transaction", func() bool { return len(due()) == 3 })
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("the idle transaction ran %d times: %v", runs, err)
	}
}

// TestStalledTransactionRunsAgain lets a transaction do nothing until the server ends it. It runs
// again, and what it did before is done once.
func TestStalledTransactionRunsAgain(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]func(ctx context.Context, stores ports.Stores) error{
		"before a write": func(ctx context.Context, stores ports.Stores) error {
			return stores.Tenants.Insert(ctx, &core.Tenant{Name: "second", CreatedAt: someTime, UpdatedAt: someTime})
		},
		"before a pipeline of writes": func(ctx context.Context, stores ports.Stores) error {
			schema := core.Schema{Project: &core.Project{ID: 1, Locales: []string{"en"}}, Collection: &core.Collection{ID: 1, ProjectID: 1}}
			return stores.Entries.Save(ctx, schema, []*core.Entry{{
				ID: 1, Group: 1, ProjectID: 1, CollectionID: 1, Locale: "en", Draft: core.Document("{}"), CreatedAt: someTime, UpdatedAt: someTime,
			}}, nil)
		},
		"before a read": func(ctx context.Context, stores ports.Stores) error {
			_, err := stores.Entries.Entry(ctx, 1, 1)
			if errors.Is(err, core.ErrNotFound) {
				err = nil
			}
			return err
		},
		"before the events": func(context.Context, ports.Stores) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.Migrated(t)
			db := open(t, url)
			runs := 0
			err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
				if err := stores.Tenants.Insert(ctx, &core.Tenant{Name: "first", CreatedAt: someTime, UpdatedAt: someTime}); err != nil {
					return err
				}
				if runs++; runs == 1 {
					awaitNoTransaction(t, url)
				}
				return last(ctx, stores)
			})
			if err != nil || runs != 2 {
				t.Fatalf("it ran %d times: %v", runs, err)
			}
			var first int
			if queryInto(t, url, &first, "SELECT count(*) FROM tenants WHERE name = 'first'"); first != 1 {
				t.Errorf("the insert was done %d times", first)
			}
		})
	}
}

// awaitNoTransaction waits until no other connection to the database has a transaction.
func awaitNoTransaction(t *testing.T, url string) {
	t.Helper()
	await.Until(t, "the end of idle transactions", func() bool {
		var open int
		queryInto(t, url, &open, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'")
		return open == 0
	})
}

// someTime is the time of all changes in these tests.
var someTime = time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)

func newProject(t *testing.T, stores ports.Stores) *core.Project {
	t.Helper()
	now := time.Now()
	tenant := core.Tenant{Name: "Meridian", CreatedAt: now, UpdatedAt: now}
	if err := stores.Tenants.Insert(t.Context(), &tenant); err != nil {
		t.Fatal(err)
	}
	project := &core.Project{
		UUID: "u", TenantID: tenant.ID, Name: "World Desk", DefaultLocale: "en", Locales: []string{"en"}, CreatedAt: now, UpdatedAt: now,
	}
	if err := stores.Projects.Insert(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	return project
}

func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	db := open(t, url)
	execute(t.Context(), t, url, "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' CONNECTION LIMIT 0'; END $$")
	execute(t.Context(), t, url, "CREATE ROLE "+roleOf(url)+" LOGIN")
	limited := open(t, strings.Replace(url, "postgres://postgres@", "postgres://"+roleOf(url)+"@", 1))
	expectUnavailable(t, limited)
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("a superuser is not limited: %v", err)
	}
}

// TestPoolSizeOfTheURL runs more transactions than the pool has connections, and checks that all
// connections and no more are used.
func TestPoolSizeOfTheURL(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	and := "?"
	if strings.Contains(url, "?") {
		and = "&"
	}
	db, err := postgres.Open(t.Context(), url+and+"pool_max_conns=3", postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the test is over
	var inside atomic.Int64
	met := make(chan struct{})
	meet := sync.OnceFunc(func() { close(met) })
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			err := db.Do(t.Context(), core.SystemActor, func(ctx context.Context, _ ports.Stores) error {
				defer inside.Add(-1)
				switch n := inside.Add(1); {
				case n == 3:
					meet()
				case n > 3:
					t.Errorf("%d transactions at once", n)
				}
				select {
				case <-met:
				case <-ctx.Done():
				}
				return errors.New("done")
			})
			if err == nil || err.Error() != "done" {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestTextsCompareByCodePoint checks that no column uses the default collation of the database.
func TestTextsCompareByCodePoint(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	var columns int
	queryInto(t, url, &columns, `SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'migrations'
		AND a.attcollation <> 0 AND a.attcollation <> '"C"'::regcollation`)
	if columns != 0 {
		t.Errorf("%d columns compare in the language of the server", columns)
	}
}

func open(t *testing.T, url string) *sqlstore.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{Conns: 4})
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

// expectUnavailable checks that reads and writes fail within 2.5 seconds.
func expectUnavailable(t *testing.T, db *sqlstore.DB) {
	t.Helper()
	nothing := func(context.Context, ports.Stores) error { return nil }
	read := func() error { _, err := db.Stores().Tenants.Tenants(t.Context()); return err }
	for name, attempt := range map[string]func() error{
		"ping":        func() error { return db.Ping(t.Context()) },
		"transaction": func() error { return db.Do(t.Context(), core.SystemActor, nothing) },
		"read":        read,
		"migration":   func() error { return db.Migrate(t.Context()) },
	} {
		start := time.Now()
		err := attempt()
		if waited := time.Since(start); !errors.Is(err, core.ErrUnavailable) || waited > 2500*time.Millisecond {
			t.Errorf("%s: after %v: %v", name, waited, err)
		}
	}
}

// roleOf returns a role name that is unique to the test's database.
func roleOf(url string) string {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		panic(err)
	}
	return "guest_of_" + config.Database
}

func execute(ctx context.Context, t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx) //nolint:errcheck // the statement has been answered
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}

func queryInto(t *testing.T, url string, into any, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the statement has been answered
	if err := conn.QueryRow(t.Context(), statement).Scan(into); err != nil {
		t.Fatal(err)
	}
}
