package ratelimit

import (
	"context"
	"hash/maphash"
	"maps"
	"sync"
	"time"

	"imprimatur/ports"
)

// Local is the ports.RateLimiter of a single process. A key uses memory only until its budget is
// full again, at most 600 bytes, and at most maxKeys are kept. It is safe for concurrent use.
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

// shard stores what was spent of each key.
type shard struct {
	mu    sync.Mutex
	spent map[string]*spent
	swept time.Time
}

// NewLocal returns a Local with full budgets.
func NewLocal(clock ports.Clock) *Local {
	l := &Local{clock: clock, seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].spent = map[string]*spent{}
	}
	return l
}

// Take implements ports.RateLimiter.
func (l *Local) Take(_ context.Context, key string, budget ports.Budget, cost int) (ports.Spending, error) {
	if budget.Limit <= 0 || budget.Window <= 0 {
		return ports.Spending{ResetAfter: budget.Window, RetryAfter: budget.Window}, nil
	}
	now := l.clock.Now()
	s := &l.shards[maphash.String(l.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.spent[key]
	if kept == nil {
		kept = &spent{}
		if 0 < cost && cost <= budget.Limit {
			s.keep(key, kept, now)
		}
	}
	return kept.take(now.UnixNano(), budget, cost), nil
}

// groups is the number of groups of operations in a window. Operations of one group return to the
// budget together, up to a groups-th of the window late.
const groups = 30

// spent has the operations of the last window, oldest first. Times are nanoseconds since the Unix
// epoch.
type spent struct {
	groups []group
	count  int   // of the operations in groups
	start  int64 // of the newest group
	fullAt int64 // when the budget is full again
}

// group is some operations in at most a groups-th of the window.
type group struct {
	last  int64 // when the latest of them was allowed
	count int
}

// take takes cost from the budget at the time now.
func (s *spent) take(now int64, budget ports.Budget, cost int) ports.Spending {
	window := int64(budget.Window)
	s.expire(now, window)
	free, price := budget.Limit-s.count, max(cost, 1)
	if price > free {
		return ports.Spending{
			Remaining: max(free, 0), ResetAfter: time.Duration(s.fullAt - now), RetryAfter: time.Duration(s.retryAfter(now, window, price-free)),
		}
	}
	if cost > 0 {
		s.add(now, window, cost)
		free -= cost
	}
	return ports.Spending{Allowed: true, Remaining: free, ResetAfter: time.Duration(s.fullAt - now)}
}

// expire removes the operations that are a window old. After the clock was set back, operations of
// the future count as of now, so that they expire after at most a window.
func (s *spent) expire(now, window int64) {
	s.start, s.fullAt = min(s.start, now), now
	old := 0
	for i := range s.groups {
		g := &s.groups[i]
		g.last = min(g.last, now)
		if now-g.last >= window {
			s.count -= g.count
			old++
			continue
		}
		s.fullAt = g.last + window
	}
	s.groups = s.groups[:copy(s.groups, s.groups[old:])]
}

// add adds operations to the newest group, or to a new one.
func (s *spent) add(now, window int64, cost int) {
	if len(s.groups) == 0 || now-s.start >= window/groups {
		s.groups, s.start = append(s.groups, group{}), now
	}
	newest := &s.groups[len(s.groups)-1]
	newest.last = now
	newest.count += cost
	s.count += cost
	s.fullAt = now + window
}

// retryAfter returns the time until the missing operations are free. A price above the limit is
// never allowed; the result is then the window.
func (s *spent) retryAfter(now, window int64, missing int) int64 {
	for _, g := range s.groups {
		if missing -= g.count; missing <= 0 {
			return g.last + window - now
		}
	}
	return window
}

func (s *shard) keep(key string, kept *spent, now time.Time) {
	if len(s.spent) >= shardKeys {
		s.makeRoom(now)
	}
	s.spent[key] = kept
}

// makeRoom deletes the keys with full budgets, which loses no state. If the shard still has
// too many keys, it deletes one: of a small sample, the key whose budget is full first.
func (s *shard) makeRoom(now time.Time) {
	if since := now.Sub(s.swept); since >= sweepEvery || since < 0 {
		s.swept = now
		maps.DeleteFunc(s.spent, func(_ string, kept *spent) bool { return kept.fullAt <= now.UnixNano() })
	}
	if len(s.spent) >= shardKeys {
		delete(s.spent, s.nearestOfSample())
	}
}

func (s *shard) nearestOfSample() string {
	nearest, seen := "", 0
	for key, kept := range s.spent { // in random order
		if seen == 0 || kept.fullAt < s.spent[nearest].fullAt {
			nearest = key
		}
		if seen++; seen == evictSample {
			break
		}
	}
	return nearest
}
