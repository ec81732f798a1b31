package contract_test

import (
	"sync"
	"testing"
	"time"

	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/password"
	"imprimatur/adapters/ratelimit"
	"imprimatur/ports"
	"imprimatur/test/contract"
)

func TestLocalChanges(t *testing.T) {
	t.Parallel()
	contract.Changes(t, func(*testing.T) ports.Changes { return changefeed.NewLocal() })
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

// clock stands still until it is told to pass.
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
