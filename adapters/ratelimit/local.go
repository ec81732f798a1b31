// Package ratelimit keeps budgets of requests.
package ratelimit

import (
	"context"
	"hash/maphash"
	"maps"
	"sync"
	"time"

	"imprimatur/ports"
)

// Local is the ports.RateLimiter of a single process. A key costs memory only
// until its budget is whole again, and no more than maxKeys are kept.
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
	sweepEvery  = time.Second // a sweep looks at every key of a shard
)

// shard keeps, per key, when its budget is whole again (the "theoretical arrival
// time" of the generic cell rate algorithm).
type shard struct {
	mu    sync.Mutex
	whole map[string]time.Time
	swept time.Time
}

// NewLocal returns a limiter whose budgets are all whole.
func NewLocal(clock ports.Clock) *Local {
	l := &Local{clock: clock, seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].whole = map[string]time.Time{}
	}
	return l
}

// Take is described at ports.RateLimiter.
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

// spend takes cost out of a budget that is whole again at the given time, and
// returns when it is whole after that.
func spend(now, whole time.Time, budget ports.Budget, cost int) (ports.Spending, time.Time) {
	if budget.Limit <= 0 || budget.Window < time.Duration(budget.Limit) {
		return ports.Spending{ResetAfter: budget.Window, RetryAfter: budget.Window}, whole
	}
	interval := budget.Window / time.Duration(budget.Limit)
	full := interval * time.Duration(budget.Limit)
	// No more than all of it can be spent, however the clock or the budget was moved.
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

// makeRoom forgets the budgets that are whole, which changes nothing; when there
// are none, the one of a few that is nearest to it, which forgives the least.
func (s *shard) makeRoom(now time.Time) {
	if since := now.Sub(s.swept); since >= sweepEvery || since < 0 {
		s.swept = now
		maps.DeleteFunc(s.whole, func(_ string, whole time.Time) bool { return !whole.After(now) })
	}
	if len(s.whole) >= shardKeys {
		delete(s.whole, s.nearestOfAFew())
	}
}

func (s *shard) nearestOfAFew() string {
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
