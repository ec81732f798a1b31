package changefeed_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/adapters/changefeed"
	"imprimatur/ports"
)

// counter is a store that counts what others commit.
type counter struct {
	version atomic.Int64
	away    atomic.Bool
}

func (c *counter) read(ctx context.Context) (int64, error) {
	if c.away.Load() {
		<-ctx.Done() // it waits for a lock
		return 0, ctx.Err()
	}
	return c.version.Load(), nil
}

// polled returns a Poll that is live, and what it tells.
func polled(t *testing.T) (*changefeed.Poll, *counter, *recorder) {
	t.Helper()
	store, seen := &counter{}, &recorder{}
	store.version.Store(1)
	feed := changefeed.NewPoll(store.read)
	feed.Subscribe(seen.told)
	if feed.Live() {
		t.Error("it is live before it has looked")
	}
	feed.Start(t.Context())
	synctest.Wait()
	if !feed.Live() {
		t.Error("it has looked and is not live")
	}
	seen.take()
	return feed, store, seen
}

func TestAChangeOfSomebodyElseIsNoticed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed, store, seen := polled(t)
		defer feed.Stop()
		time.Sleep(time.Minute)
		if got := seen.take(); len(got) != 0 {
			t.Errorf("told %v although nothing changed", got)
		}
		store.version.Add(1)
		time.Sleep(time.Second)
		if got := seen.take(); !slices.Equal(got, []ports.Change{all}) {
			t.Errorf("told %v a second after a change, want %v", got, all)
		}
	})
}

func TestOwnChangesAreToldByName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed, _, seen := polled(t)
		defer feed.Stop()
		feed.Announce(t.Context(), token)
		if got := seen.take(); !slices.Equal(got, []ports.Change{token}) {
			t.Errorf("told %v, want %v", got, token)
		}
	})
}

func TestAStoreThatSaysNothingIsNotTrusted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed, store, _ := polled(t)
		var dropped atomic.Int64
		feed.Subscribe(func(ports.Change) {
			if dropped.Add(1); feed.Live() {
				t.Error("it is live before everything is dropped")
			}
		})
		store.away.Store(true)
		time.Sleep(time.Second)
		if feed.Live() {
			t.Error("it is live a second after it last knew anything")
		}
		store.away.Store(false)
		time.Sleep(time.Second)
		if !feed.Live() || dropped.Load() != 1 {
			t.Errorf("Live is %t after everything was dropped %d times, want true after 1", feed.Live(), dropped.Load())
		}
		feed.Stop()
		if feed.Live() {
			t.Error("it is live after its end")
		}
	})
}
