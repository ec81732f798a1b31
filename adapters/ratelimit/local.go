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
	mu     sync.Mutex
	fullAt map[string]time.Time
	swept  time.Time
}

// NewLocal returns a Local with full budgets.
func NewLocal(clock ports.Clock) *Local {
	l := &Local{clock: clock, seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].fullAt = map[string]time.Time{}
	}
	return l
}

// Take implements ports.RateLimiter.
func (l *Local) Take(_ context.Context, key string, budget ports.Budget, cost int) (ports.Spending, error) {
	now := l.clock.Now()
	s := &l.shards[maphash.String(l.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	spending, fullAt := spend(now, s.fullAt[key], budget, cost)
	if spending.Allowed && cost > 0 {
		s.keep(key, fullAt, now)
	}
	return spending, nil
}

// spend takes cost from a budget that is full again at fullAt. It returns the new fullAt.
func spend(now, fullAt time.Time, budget ports.Budget, cost int) (ports.Spending, time.Time) {
	if budget.Limit <= 0 || budget.Window < time.Duration(budget.Limit) {
		return ports.Spending{ResetAfter: budget.Window, RetryAfter: budget.Window}, fullAt
	}
	interval := budget.Window / time.Duration(budget.Limit)
	full := interval * time.Duration(budget.Limit)
	// At most the full budget is spent, even after a change of the clock or the limit.
	spent := min(max(fullAt.Sub(now), 0), full)
	price := interval * time.Duration(max(cost, 1))
	if spent+price > full {
		return ports.Spending{Remaining: int((full - spent) / interval), ResetAfter: spent, RetryAfter: spent + price - full}, fullAt
	}
	if cost > 0 {
		spent += price
	}
	return ports.Spending{Allowed: true, Remaining: int((full - spent) / interval), ResetAfter: spent}, now.Add(spent)
}

func (s *shard) keep(key string, fullAt, now time.Time) {
	if _, kept := s.fullAt[key]; !kept && len(s.fullAt) >= shardKeys {
		s.makeRoom(now)
	}
	s.fullAt[key] = fullAt
}

// makeRoom deletes the keys with full budgets, which loses no state. If the shard still has
// too many keys, it deletes one: of a small sample, the key whose budget is closest to full.
func (s *shard) makeRoom(now time.Time) {
	if since := now.Sub(s.swept); since >= sweepEvery || since < 0 {
		s.swept = now
		maps.DeleteFunc(s.fullAt, func(_ string, fullAt time.Time) bool { return !fullAt.After(now) })
	}
	if len(s.fullAt) >= shardKeys {
		delete(s.fullAt, s.nearestOfSample())
	}
}

func (s *shard) nearestOfSample() string {
	nearest, seen := "", 0
	for key, fullAt := range s.fullAt { // in random order
		if seen == 0 || fullAt.Before(s.fullAt[nearest]) {
			nearest = key
		}
		if seen++; seen == evictSample {
			break
		}
	}
	return nearest
}
