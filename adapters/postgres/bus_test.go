package postgres_test

import (
	"context"
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlstore"
	"imprimatur/ports"
	"imprimatur/test/contract"
	"imprimatur/test/postgrestest"
)

func joinFeed(t *testing.T, url string) *changefeed.Relay {
	t.Helper()
	bus, err := postgres.NewBus(url, rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	feed := changefeed.NewRelay(bus, zap.NewNop())
	feed.Start(t.Context())
	t.Cleanup(func() {
		if err := feed.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return feed
}

func TestChangesOverABus(t *testing.T) {
	t.Parallel()
	contract.Changes(t, func(t *testing.T) ports.Changes { return joinFeed(t, postgrestest.New(t)) })
}

// TestFeedsOfProcesses cuts every connection of the feeds from the server's side. It
// is not parallel, so that it can see what is left running.
func TestFeedsOfProcesses(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	url := postgrestest.New(t)
	t.Run("", func(t *testing.T) {
		contract.SharedChanges(t, func(t *testing.T) ports.Changes { return joinFeed(t, url) }, func(t *testing.T) {
			execute(t.Context(), t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'imprimatur % changes' AND datname = current_database()")
		})
	})
	goleak.VerifyNone(t, leaks)
}

// TestPresent sees who is connected, by whatever connection.
func TestPresent(t *testing.T) {
	t.Parallel()
	url := postgrestest.New(t)
	open := func(process string) *sqlstore.DB {
		db, err := postgres.Open(t.Context(), url, postgres.Options{Process: process})
		if err == nil {
			err = db.Ping(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	there, going := rand.Text(), rand.Text()
	open(there)
	gone := open(going)
	bus, err := postgres.NewBus(url, rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close() //nolint:errcheck // it has no answer
	asked := []string{there, going, bus.Self(), rand.Text()}
	expect := func(want ...string) {
		t.Helper()
		var got []string
		for range 100 { // the server notices a little later
			if got, err = bus.Present(t.Context(), asked); err != nil {
				t.Fatal(err)
			}
			if slices.Sort(got); slices.Equal(got, slices.Sorted(slices.Values(want))) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%v are there, want %v", got, want)
	}
	expect(there, going, bus.Self())
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	expect(there, bus.Self())
}

func TestABusWhoseServerIsAwayIsWaitedFor(t *testing.T) {
	t.Parallel()
	f := joinFeed(t, "postgres://user@127.0.0.1:1/db?sslmode=disable")
	f.Announce(t.Context(), ports.Change{Kind: ports.ChangeRoles}) // does not wait
	if f.Live() {
		t.Error("it is live without a server")
	}
}

func TestNewBusRefusesWhatIsNoURL(t *testing.T) {
	t.Parallel()
	if _, err := postgres.NewBus("secret", "a"); err == nil {
		t.Error("no fault found")
	}
}
