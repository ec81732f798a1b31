package contract_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/password"
	"imprimatur/adapters/postgres"
	"imprimatur/adapters/ratelimit"
	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core/event"
	"imprimatur/ports"
	"imprimatur/test/contract"
	"imprimatur/test/postgrestest"

	"go.uber.org/zap"
)

func TestChangesOnSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "imprimatur.db")
	contract.Changes(t, func(t *testing.T) contract.Process {
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return process(t, db, false)
	}, nil)
}

func TestChangesOnPostgres(t *testing.T) {
	t.Parallel()
	server := postgrestest.NewServer(t)
	contract.Changes(t, func(t *testing.T) contract.Process {
		db, err := postgres.Open(t.Context(), server.URL(), postgres.Options{Conns: 4})
		if err != nil {
			t.Fatal(err)
		}
		return process(t, db, true)
	}, func(t *testing.T) func() {
		server.Stop(t)
		return func() { server.Start(t) }
	})
}

// TestLateCommitOnPostgres commits a transaction that has written an event long before. Another
// transaction, which began earlier, has meanwhile committed an event with a higher id.
func TestLateCommitOnPostgres(t *testing.T) {
	t.Parallel()
	url := postgrestest.NewServer(t).URL()
	db, err := postgres.Open(t.Context(), url, postgres.Options{Conns: 4})
	if err != nil {
		t.Fatal(err)
	}
	received := make(chan ports.Change, 100)
	process(t, db, true).Changes.Subscribe(func(c ports.Change) { received <- c })
	var first, second *pgx.Conn
	for _, conn := range []**pgx.Conn{&first, &second} {
		if *conn, err = pgx.Connect(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		defer (*conn).Close(context.Background()) //nolint:errcheck // the test is over
		run(t, *conn, "BEGIN")
		run(t, *conn, "SELECT pg_current_xact_id()")
	}
	const insert = "INSERT INTO events (at, type, project_id, actor_kind, actor_id, actor_name, tenant_id, subject_id, collection, entry_id, locale, content_hash, release_number, request_id)" +
		" VALUES (0, $1, 7, '', 0, '', 0, 0, '', 0, '', '', '', '')"
	run(t, second, insert, event.EntryUpdated)
	run(t, first, insert, event.SessionCreated)
	run(t, first, "COMMIT")
	time.Sleep(time.Second) // several polls, of which none may pass the event that is not committed
	run(t, second, "COMMIT")
	for deadline := time.After(5 * time.Second); ; {
		select {
		case c := <-received:
			if c == (ports.Change{Kind: ports.ChangeContent, ID: 7}) {
				return
			}
		case <-deadline:
			t.Fatal("the change of the late transaction is not delivered")
		}
	}
}

func run(t *testing.T, conn *pgx.Conn, statement string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// process returns a process that follows the change feed of db.
func process(t *testing.T, db *sqlstore.DB, concurrent bool) contract.Process {
	t.Helper()
	t.Cleanup(func() { closed(t, db.Close()) })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	feed := changefeed.New(db, zap.NewNop())
	feed.Start(t.Context())
	t.Cleanup(feed.Stop)
	return contract.Process{Stores: db.Stores(), Tx: db, Changes: feed, Concurrent: concurrent}
}

func TestLocalRateLimiter(t *testing.T) {
	t.Parallel()
	contract.RateLimiter(t, func(*testing.T) (ports.RateLimiter, func(time.Duration)) {
		c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
		return ratelimit.NewLocal(c), c.pass
	})
}

func TestPasswordHasher(t *testing.T) {
	t.Parallel()
	contract.PasswordHasher(t, func(*testing.T) ports.PasswordHasher {
		return password.New(password.Options{Memory: 64, Iterations: 1, Parallelism: 1})
	})
}

// clock is a manual clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
