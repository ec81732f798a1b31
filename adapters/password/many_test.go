package password

import (
	"fmt"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/adapters/memory"
	"imprimatur/adapters/systemclock"
	"imprimatur/adapters/webauthn"
	"imprimatur/core"
	"imprimatur/core/identity"
	"imprimatur/core/secret"
)

// However many sign in at once, two passwords are hashed at a time: each hash takes 64 MiB. The others
// wait, and are refused after ten seconds.
func TestTenThousandSignInsAtOnce(t *testing.T) {
	t.Parallel()
	const attempts, hashTime = 10_000, 100 * time.Millisecond
	for name, address := range map[string]func(n int) string{
		"from everywhere":  func(n int) string { return fmt.Sprintf("10.%d.%d.1", n/250, n%250) },
		"from one address": func(int) string { return "192.0.2.1" },
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // measures memory
			synctest.Test(t, func(t *testing.T) {
				hasher := New(Options{})
				var running, most, hashes atomic.Int64
				hasher.compare = func(string, string) (bool, error) {
					hashes.Add(1)
					now := running.Add(1)
					for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
					}
					time.Sleep(hashTime)
					running.Add(-1)
					return false, nil
				}
				store := memory.New()
				sessions := identity.NewSessions(store.Stores(), store, hasher, systemclock.New(), secret.Key{}, webauthn.New(&url.URL{Scheme: "https", Host: "cms.example"}))
				before := memoryInUse()
				var all sync.WaitGroup
				var outcomes [3]atomic.Int64
				for n := range attempts {
					all.Go(func() {
						_, err := sessions.SignIn(t.Context(), identity.SignIn{Email: fmt.Sprintf("user%d@example.org", n), Password: "x", Client: identity.Client{Address: address(n)}})
						switch core.KindOf(err) {
						case core.KindUnauthenticated:
							outcomes[0].Add(1)
						case core.KindUnavailable:
							outcomes[1].Add(1)
						case core.KindTooManyRequests:
							outcomes[2].Add(1)
						default:
							t.Errorf("error %v", err)
						}
					})
				}
				time.Sleep(hashTime / 2)
				synctest.Wait() // all wait
				used := memoryInUse() - before
				if used > attempts*32<<10 {
					t.Errorf("%d waiting sign-ins take %d MiB", attempts, used>>20)
				}
				all.Wait()
				t.Logf("%d wrong, %d refused as too many, %d after too many failures; %d hashes, %d at once; those that wait take %d MiB", outcomes[0].Load(), outcomes[1].Load(), outcomes[2].Load(), hashes.Load(), most.Load(), used>>20)
				if most.Load() != 2 {
					t.Errorf("%d hashes at once, want 2", most.Load())
				}
				if want := 2 * int64(hasher.wait/hashTime); hashes.Load() > want+2 {
					t.Errorf("%d hashes in %s, want at most %d", hashes.Load(), hasher.wait, want)
				}
				if total := outcomes[0].Load() + outcomes[1].Load() + outcomes[2].Load(); total != attempts || outcomes[1].Load() == 0 {
					t.Errorf("%d outcomes, %d refused", total, outcomes[1].Load())
				}
			})
		})
	}
}

// memoryInUse returns the bytes of the heap and of the stacks of goroutines.
func memoryInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse) //nolint:gosec // not that many
}
