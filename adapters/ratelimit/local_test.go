package ratelimit

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/ports"
)

// manualClock is a clock that the test sets.
type manualClock struct{ now time.Time }

func (c *manualClock) Now() time.Time { return c.now }

func setup() (*Local, *manualClock) {
	clock := &manualClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return NewLocal(clock), clock
}

func take(t *testing.T, limiter ports.RateLimiter, key string, budget ports.Budget, cost int) ports.Spending {
	t.Helper()
	spending, err := limiter.Take(t.Context(), key, budget, cost)
	if err != nil {
		t.Fatal(err)
	}
	return spending
}

func TestTake(t *testing.T) {
	t.Parallel()
	budget := ports.Budget{Limit: 3, Window: 30 * time.Second}
	s := time.Second
	type step struct {
		wait time.Duration
		cost int
		want ports.Spending
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"a whole budget may be spent in one burst", []step{
			{0, 1, ports.Spending{Allowed: true, Remaining: 2, ResetAfter: 30 * s}},
			{0, 1, ports.Spending{Allowed: true, Remaining: 1, ResetAfter: 30 * s}},
			{0, 1, ports.Spending{Allowed: true, Remaining: 0, ResetAfter: 30 * s}},
			{0, 1, ports.Spending{ResetAfter: 30 * s, RetryAfter: 30 * s}},
		}},
		{"each operation returns after the window", []step{
			{0, 1, ports.Spending{Allowed: true, Remaining: 2, ResetAfter: 30 * s}},
			{10 * s, 2, ports.Spending{Allowed: true, Remaining: 0, ResetAfter: 30 * s}},
			{19 * s, 1, ports.Spending{ResetAfter: 11 * s, RetryAfter: 1 * s}},
			{1 * s, 0, ports.Spending{Allowed: true, Remaining: 1, ResetAfter: 10 * s}},
			{0, 2, ports.Spending{Remaining: 1, ResetAfter: 10 * s, RetryAfter: 10 * s}},
		}},
		{"operations of one group return together", []step{
			{0, 2, ports.Spending{Allowed: true, Remaining: 1, ResetAfter: 30 * s}},
			{900 * time.Millisecond, 1, ports.Spending{Allowed: true, Remaining: 0, ResetAfter: 30 * s}},
			{29500 * time.Millisecond, 1, ports.Spending{ResetAfter: 500 * time.Millisecond, RetryAfter: 500 * time.Millisecond}},
			{500 * time.Millisecond, 3, ports.Spending{Allowed: true, Remaining: 0, ResetAfter: 30 * s}},
		}},
		{"cost 0 spends nothing", []step{
			{0, 0, ports.Spending{Allowed: true, Remaining: 3}},
			{0, 3, ports.Spending{Allowed: true, Remaining: 0, ResetAfter: 30 * s}},
			{0, 0, ports.Spending{ResetAfter: 30 * s, RetryAfter: 30 * s}},
		}},
		{"a refused request spends nothing", []step{
			{0, 2, ports.Spending{Allowed: true, Remaining: 1, ResetAfter: 30 * s}},
			{0, 2, ports.Spending{Remaining: 1, ResetAfter: 30 * s, RetryAfter: 30 * s}},
			{0, 1, ports.Spending{Allowed: true, Remaining: 0, ResetAfter: 30 * s}},
		}},
		{"a clock set back refuses for at most the window", []step{
			{0, 3, ports.Spending{Allowed: true, Remaining: 0, ResetAfter: 30 * s}},
			{-time.Hour, 1, ports.Spending{ResetAfter: 30 * s, RetryAfter: 30 * s}},
			{30 * s, 3, ports.Spending{Allowed: true, Remaining: 0, ResetAfter: 30 * s}},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limiter, clock := setup()
			for i, step := range test.steps {
				clock.now = clock.now.Add(step.wait)
				if got := take(t, limiter, "key", budget, step.cost); got != step.want {
					t.Fatalf("step %d: %+v, want %+v", i+1, got, step.want)
				}
			}
		})
	}
}

func TestEmptyBudgetAllowsNothing(t *testing.T) {
	t.Parallel()
	limiter, _ := setup()
	for _, cost := range []int{0, 1} {
		if got := take(t, limiter, "key", ports.Budget{Limit: 0, Window: time.Minute}, cost); got.Allowed {
			t.Errorf("cost %d: %+v", cost, got)
		}
	}
}

func TestKeysHaveBudgetsOfTheirOwn(t *testing.T) {
	t.Parallel()
	limiter, _ := setup()
	budget := ports.Budget{Limit: 1, Window: time.Minute}
	for _, key := range []string{"a", "b", ""} {
		if !take(t, limiter, key, budget, 1).Allowed {
			t.Errorf("%q is refused because of another key", key)
		}
		if take(t, limiter, key, budget, 1).Allowed {
			t.Errorf("%q may spend twice", key)
		}
	}
}

func TestConcurrentTakersShareOneBudget(t *testing.T) {
	t.Parallel()
	limiter, _ := setup()
	budget := ports.Budget{Limit: 70, Window: time.Minute}
	var allowed atomic.Int64
	var done sync.WaitGroup
	for range 10 {
		done.Go(func() {
			for range 20 {
				if take(t, limiter, "key", budget, 1).Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	done.Wait()
	if allowed.Load() != 70 {
		t.Errorf("allowed %d of 200, want 70", allowed.Load())
	}
}

func kept(l *Local) int {
	n := 0
	for i := range l.shards {
		n += len(l.shards[i].spent)
	}
	return n
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	limiter, clock := setup()
	spent := ports.Budget{Limit: 1, Window: time.Hour}
	take(t, limiter, "victim", ports.Budget{Limit: 1, Window: 24 * time.Hour}, 1)
	for i := range maxKeys * 5 / 4 {
		take(t, limiter, fmt.Sprint("key ", i), spent, 1)
	}
	if n := kept(limiter); n > maxKeys {
		t.Errorf("%d keys are kept, more than %d", n, maxKeys)
	}
	if take(t, limiter, "victim", ports.Budget{Limit: 1, Window: 24 * time.Hour}, 1).Allowed {
		t.Error("many keys evicted the most depleted budget")
	}

	clock.now = clock.now.Add(2 * time.Hour)
	for i := range shardCount * 200 { // enough for every shard
		take(t, limiter, fmt.Sprint("later ", i), spent, 1)
	}
	if n := kept(limiter); n > maxKeys/2 {
		t.Errorf("%d keys are kept although their budgets are full", n)
	}
}

// A key keeps no more than one group for each groups-th of the window, and one more.
func TestMemoryOfAKeyIsBounded(t *testing.T) {
	t.Parallel()
	limiter, clock := setup()
	budget := ports.Budget{Limit: 1_000_000, Window: time.Minute}
	for i := range 100_000 {
		take(t, limiter, "key", budget, 1)
		clock.now = clock.now.Add(time.Duration(i%7) * time.Millisecond)
	}
	for i := range limiter.shards {
		for _, kept := range limiter.shards[i].spent {
			if cap(kept.groups) > groups+2 {
				t.Errorf("%d groups are kept", cap(kept.groups))
			}
		}
	}
}

func BenchmarkTake(b *testing.B) {
	limiter, _ := setup()
	budget := ports.Budget{Limit: 600, Window: time.Minute}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := limiter.Take(b.Context(), "token 1", budget, 1); err != nil {
			b.Fatal(err)
		}
	}
}
