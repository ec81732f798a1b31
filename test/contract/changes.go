package contract

import (
	"sync"
	"testing"

	"imprimatur/ports"
)

// Changes checks a ports.Changes. open returns one that nobody else announces to.
func Changes(t *testing.T, open func(t *testing.T) ports.Changes) {
	content, token := ports.Change{Kind: ports.ChangeContent, ID: 7}, ports.Change{Kind: ports.ChangeToken, ID: 9}
	t.Run("tells every subscriber before it returns", func(t *testing.T) {
		t.Parallel()
		feed := open(t)
		var first, second []ports.Change
		defer feed.Subscribe(func(c ports.Change) { first = append(first, c) })()
		feed.Announce(t.Context(), content)
		defer feed.Subscribe(func(c ports.Change) { second = append(second, c) })()
		feed.Announce(t.Context(), token, content)
		feed.Announce(t.Context())
		same(t, first, []ports.Change{content, token, content})
		same(t, second, []ports.Change{token, content})
	})
	t.Run("tells nobody who stopped", func(t *testing.T) {
		t.Parallel()
		feed := open(t)
		var stopped, stayed int
		stop := feed.Subscribe(func(ports.Change) { stopped++ })
		defer feed.Subscribe(func(ports.Change) { stayed++ })()
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
		for n := range 8 {
			same(t, seen[ports.Change{Kind: ports.ChangeUser, ID: int64(n)}], 50)
		}
	})
}
