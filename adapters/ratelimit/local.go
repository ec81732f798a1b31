package ratelimit

import (
	"context"
	"hash/maphash"
	"maps"
	"sync"
	"time"

	"imprimatur/ports"
)

// Local is the ports.RateLimiter of a single process. A key uses memory only until its
// budget is full again, and at most maxKeys are kept. It is safe for concurrent use.
type Local struct {
	clock  ports.Clock
	seed   maphash.Seed
	shards [shardCount]shard
}

const (
	shardCount  = 32
	maxKeys     = 1 << 17
	shardKeys   = maxKeys / shardCount
	evictSample = 16
	sweepEvery  = time.Second // a sweep visits every key of a shard
)

// shard stores for each key the time at which its budget is full again (the theoretical
// arrival time of the generic cell rate algorithm, GCRA).
type shard struct {
	mu    sync.Mutex
	whole map[string]time.Time
	swept time.Time
}

// NewLocal returns a Local with full budgets.
func NewLocal(clock ports.Clock) *Local {
	l := &Local{clock: clock, seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].whole = map[string]time.Time{}
	}
	return l
}

// Take implements ports.RateLimiter.
func (l *Local) Take(_ context.Context, key string, budget ports.Budget, cost int) (ports.Spending, error) {
	now := l.clock.Now()
	s := &l.shards[maphash.String(l.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	spending, whole := spend(now, s.whole[key], budget, cost)
	if spending.Allowed && cost > 0 {
		s.keep(key, whole, now)
	}
	return spending, nil
}

// spend takes cost from a budget that is full at whole. It returns the time at which the
// budget is full after that.
func spend(now, whole time.Time, budget ports.Budget, cost int) (ports.Spending, time.Time) {
	if budget.Limit <= 0 || budget.Window < time.Duration(budget.Limit) {
		return ports.Spending{ResetAfter: budget.Window, RetryAfter: budget.Window}, whole
	}
	interval := budget.Window / time.Duration(budget.Limit)
	full := interval * time.Duration(budget.Limit)
	// At most the full budget is spent, even after a change of the clock or the limit.
	spent := min(max(whole.Sub(now), 0), full)
	price := interval * time.Duration(max(cost, 1))
	if spent+price > full {
		return ports.Spending{Remaining: int((full - spent) / interval), ResetAfter: spent, RetryAfter: spent + price - full}, whole
	}
	if cost > 0 {
		spent += price
	}
	return ports.Spending{Allowed: true, Remaining: int((full - spent) / interval), ResetAfter: spent}, now.Add(spent)
}

func (s *shard) keep(key string, whole, now time.Time) {
	if _, kept := s.whole[key]; !kept && len(s.whole) >= shardKeys {
		s.makeRoom(now)
	}
	s.whole[key] = whole
}

// makeRoom deletes the keys with full budgets, which loses no state. When the shard is
// still full, it deletes the key of a small sample that is closest to full.
func (s *shard) makeRoom(now time.Time) {
	if since := now.Sub(s.swept); since >= sweepEvery || since < 0 {
		s.swept = now
		maps.DeleteFunc(s.whole, func(_ string, whole time.Time) bool { return !whole.After(now) })
	}
	if len(s.whole) >= shardKeys {
		delete(s.whole, s.nearestOfSample())
	}
}

func (s *shard) nearestOfSample() string {
	nearest, seen := "", 0
	for key, whole := range s.whole { // in random order
		if seen == 0 || whole.Before(s.whole[nearest]) {
			nearest = key
		}
		if seen++; seen == evictSample {
			break
		}
	}
	return nearest
}
