package changefeed_test

import (
	"slices"
	"sync"
	"testing"

	"imprimatur/adapters/changefeed"
	"imprimatur/ports"
)

// recorder is a subscriber that keeps what it was told.
type recorder struct {
	mu   sync.Mutex
	seen []ports.Change
}

func (r *recorder) told(c ports.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, c)
}

func TestAnnounceTellsEverySubscriberInOrder(t *testing.T) {
	t.Parallel()
	var feed ports.Changes = changefeed.NewLocal()
	var first, second recorder
	feed.Subscribe(first.told)
	feed.Subscribe(second.told)

	want := []ports.Change{{Kind: ports.ChangeSchema, ID: 3}, {Kind: ports.ChangeRoles}}
	feed.Announce(t.Context(), want...)

	for name, r := range map[string]*recorder{"first": &first, "second": &second} {
		if !slices.Equal(r.seen, want) {
			t.Errorf("%s was told %v, want %v", name, r.seen, want)
		}
	}
}

func TestStopEndsOneSubscription(t *testing.T) {
	t.Parallel()
	feed := changefeed.NewLocal()
	var gone, stays recorder
	stop := feed.Subscribe(gone.told)
	feed.Subscribe(stays.told)
	stop()
	stop() // once more does no harm

	feed.Announce(t.Context(), ports.Change{Kind: ports.ChangeUser, ID: 1})

	if len(gone.seen) != 0 || len(stays.seen) != 1 {
		t.Errorf("told %d and %d changes, want 0 and 1", len(gone.seen), len(stays.seen))
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	feed := changefeed.NewLocal()
	var always recorder
	feed.Subscribe(always.told)
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for range 100 {
				stop := feed.Subscribe(func(ports.Change) {})
				feed.Announce(t.Context(), ports.Change{Kind: ports.ChangeToken, ID: 1})
				stop()
			}
		})
	}
	done.Wait()
	if len(always.seen) != 800 {
		t.Errorf("told %d changes, want 800", len(always.seen))
	}
}
