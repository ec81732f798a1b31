package contract

import (
	"slices"
	"sync"
	"testing"
	"time"

	"imprimatur/ports"
)

// named leaves out ChangeAll, which any subscriber may be told at any time.
func named(told func(ports.Change)) func(ports.Change) {
	return func(c ports.Change) {
		if c.Kind != ports.ChangeAll {
			told(c)
		}
	}
}

// Changes checks a ports.Changes. open returns one that nobody else announces to.
func Changes(t *testing.T, open func(t *testing.T) ports.Changes) {
	content, token := ports.Change{Kind: ports.ChangeContent, ID: 7}, ports.Change{Kind: ports.ChangeToken, ID: 9}
	t.Run("tells every subscriber before it returns", func(t *testing.T) {
		t.Parallel()
		feed := open(t)
		var first, second []ports.Change
		defer feed.Subscribe(named(func(c ports.Change) { first = append(first, c) }))()
		feed.Announce(t.Context(), content)
		defer feed.Subscribe(named(func(c ports.Change) { second = append(second, c) }))()
		feed.Announce(t.Context(), token, content)
		feed.Announce(t.Context())
		same(t, first, []ports.Change{content, token, content})
		same(t, second, []ports.Change{token, content})
	})
	t.Run("tells nobody who stopped", func(t *testing.T) {
		t.Parallel()
		feed := open(t)
		var stopped, stayed int
		stop := feed.Subscribe(named(func(ports.Change) { stopped++ }))
		defer feed.Subscribe(named(func(ports.Change) { stayed++ }))()
		feed.Announce(t.Context(), content)
		stop()
		feed.Announce(t.Context(), content)
		same(t, []int{stopped, stayed}, []int{1, 2})
	})
	t.Run("loses nothing of many at once", func(t *testing.T) {
		t.Parallel()
		feed := open(t)
		var mu sync.Mutex
		seen := map[ports.Change]int{}
		defer feed.Subscribe(func(c ports.Change) {
			mu.Lock()
			defer mu.Unlock()
			seen[c]++
		})()
		race(8, func(n int) error {
			stop := feed.Subscribe(func(ports.Change) {})
			for range 50 {
				feed.Announce(t.Context(), ports.Change{Kind: ports.ChangeUser, ID: int64(n)})
			}
			stop()
			return nil
		})
		mu.Lock() // a feed may still be telling something of its own
		defer mu.Unlock()
		for n := range 8 {
			same(t, seen[ports.Change{Kind: ports.ChangeUser, ID: int64(n)}], 50)
		}
	})
}

// SharedChanges checks a ports.Changes of several processes. join returns that of
// one more, all on the same feed and with nobody else; lose cuts the feed of all of
// them for a moment.
func SharedChanges(t *testing.T, join func(t *testing.T) ports.Changes, lose func(t *testing.T)) {
	a, b := listen(t, join), listen(t, join)
	for turn := range int64(3) {
		await(t, "both feeds are live", func() bool { return a.feed.Live() && b.feed.Live() })
		fromA := ports.Change{Kind: ports.ChangeToken, ID: turn}
		fromB := ports.Change{Kind: ports.ChangeContent, ID: turn}
		a.feed.Announce(t.Context(), fromA, ports.Change{Kind: ports.ChangeRoles})
		b.feed.Announce(t.Context(), fromB)
		await(t, "b is told of a's change", func() bool { return b.told(fromA) })
		await(t, "a is told of b's change", func() bool { return a.told(fromB) })
		a.forget()
		b.forget()
		lose(t)
		await(t, "a is told to drop everything", func() bool { return a.told(ports.Change{Kind: ports.ChangeAll}) })
		await(t, "b is told to drop everything", func() bool { return b.told(ports.Change{Kind: ports.ChangeAll}) })
	}
}

// audience is a process that listens to a feed.
type audience struct {
	feed ports.Changes
	mu   sync.Mutex
	seen []ports.Change
}

func listen(t *testing.T, join func(t *testing.T) ports.Changes) *audience {
	t.Helper()
	a := &audience{feed: join(t)}
	t.Cleanup(a.feed.Subscribe(func(c ports.Change) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.seen = append(a.seen, c)
	}))
	return a
}

func (a *audience) told(c ports.Change) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(a.seen, c)
}

func (a *audience) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = nil
}

// await polls until done. It gives up after a time that only a fault takes.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waiting in vain: %s", what)
		}
	}
}
