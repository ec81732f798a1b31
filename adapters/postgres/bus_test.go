package postgres_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/postgres"
	"imprimatur/ports"
	"imprimatur/test/contract"
	"imprimatur/test/postgrestest"
)

func joinFeed(t *testing.T, url string) *changefeed.Relay {
	t.Helper()
	bus, err := postgres.NewBus(url)
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
			execute(t.Context(), t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'imprimatur changes' AND datname = current_database()")
		})
	})
	goleak.VerifyNone(t, leaks)
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
	if _, err := postgres.NewBus("secret"); err == nil {
		t.Error("no fault found")
	}
}
