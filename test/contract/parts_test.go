package contract_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/password"
	"imprimatur/adapters/postgres"
	"imprimatur/adapters/ratelimit"
	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/sqlstore"
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
