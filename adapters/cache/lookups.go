package cache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

const (
	maxAge        = 10 * time.Second       // also limits the effect of manual changes to the database
	maxAgeOffline = 500 * time.Millisecond // while the change feed is not live
	maxKeys       = 10_000
)

// lookups caches the results of load. Concurrent requests for one key share one load.
// Errors are not cached. Values are pointers, so that caches with keys of one type share one
// instance of otter's code: 100 kB of the program each.
type lookups[K comparable, V any] struct {
	cache  *otter.Cache[epochKey[K], *timedValue[V]]
	loader otter.Loader[epochKey[K], *timedValue[V]]
	clock  otter.Clock
	live   func() bool
	epoch  atomic.Uint64
}

// timedValue is a value with the time at which its load began.
type timedValue[V any] struct {
	value V
	at    int64
}

// epochKey is a key in one epoch. If clear is called during a load, the result is stored
// under the key of a past epoch, which is never read again.
type epochKey[K comparable] struct {
	key   K
	epoch uint64
}

func newLookups[K comparable, V any](clock otter.Clock, live func() bool, load func(context.Context, K) (V, error)) *lookups[K, V] {
	return &lookups[K, V]{
		clock: clock,
		live:  live,
		cache: otter.Must(&otter.Options[epochKey[K], *timedValue[V]]{
			MaximumSize:      maxKeys,
			ExpiryCalculator: otter.ExpiryWriting[epochKey[K], *timedValue[V]](maxAge),
			Clock:            clock,
			Logger:           &otter.NoopLogger{},
		}),
		loader: otter.LoaderFunc[epochKey[K], *timedValue[V]](func(ctx context.Context, k epochKey[K]) (*timedValue[V], error) {
			at := clock.NowNano()
			value, err := load(ctx, k.key)
			return &timedValue[V]{value, at}, err
		}),
	}
}

func (l *lookups[K, V]) get(ctx context.Context, key K) (V, error) {
	// Read the epoch before the value: a change between the two reads then ends that epoch.
	k := epochKey[K]{key, l.epoch.Load()}
	found, err := l.cache.Get(ctx, k, l.loader)
	if err == nil && l.expired(found.at) {
		l.epoch.CompareAndSwap(k.epoch, k.epoch+1) // fails if another request was faster
		found, err = l.cache.Get(ctx, epochKey[K]{key, l.epoch.Load()}, l.loader)
	}
	if err != nil {
		var none V
		return none, err
	}
	return found.value, nil
}

func (l *lookups[K, V]) expired(at int64) bool {
	limit := maxAge
	if !l.live() {
		limit = maxAgeOffline
	}
	return l.clock.NowNano()-at > int64(limit)
}

// clear removes all values.
func (l *lookups[K, V]) clear() { l.epoch.Add(1) }

// uptime is a monotonic otter.Clock, so that setting the clock of the machine does not
// extend the life of a value. It never ticks: expired values are replaced on access.
type uptime struct{ start time.Time }

func (u uptime) NowNano() int64                    { return int64(time.Since(u.start)) }
func (uptime) Tick(time.Duration) <-chan time.Time { return nil }
