package changefeed_test

import (
	"slices"
	"sync"
	"testing"

	"imprimatur/adapters/changefeed"
	"imprimatur/ports"
)

// recorder is a subscriber that records changes.
type recorder struct {
	mu   sync.Mutex
	seen []ports.Change
}

func (r *recorder) receive(c ports.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, c)
}

func TestEverySubscriberReceivesChangesInOrder(t *testing.T) {
	t.Parallel()
	feed := changefeed.NewLocal()
	var first, second recorder
	feed.Subscribe(first.receive)
	feed.Subscribe(second.receive)

	want := []ports.Change{{Kind: ports.ChangeSchema, ID: 3}, {Kind: ports.ChangeAccount}}
	feed.Publish(want...)

	for name, r := range map[string]*recorder{"first": &first, "second": &second} {
		if !slices.Equal(r.seen, want) {
			t.Errorf("%s received %v, want %v", name, r.seen, want)
		}
	}
}

func TestStopEndsOneSubscription(t *testing.T) {
	t.Parallel()
	feed := changefeed.NewLocal()
	var gone, stays recorder
	stop := feed.Subscribe(gone.receive)
	feed.Subscribe(stays.receive)
	stop()
	stop() // a second call has no effect

	feed.Publish(ports.Change{Kind: ports.ChangeAccount, ID: 1})

	if len(gone.seen) != 0 || len(stays.seen) != 1 {
		t.Errorf("received %d and %d changes, want 0 and 1", len(gone.seen), len(stays.seen))
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	feed := changefeed.NewLocal()
	var always recorder
	feed.Subscribe(always.receive)
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for range 100 {
				stop := feed.Subscribe(func(ports.Change) {})
				feed.Publish(ports.Change{Kind: ports.ChangeToken, ID: 1})
				stop()
			}
		})
	}
	done.Wait()
	if len(always.seen) != 800 {
		t.Errorf("received %d changes, want 800", len(always.seen))
	}
}
