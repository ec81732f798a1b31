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
// Errors are not cached. Values are pointers and keys have one type, so that all caches share
// one instance of otter's code: 250 kB of the program each.
type lookups[V any] struct {
	cache  *otter.Cache[epochKey, *timedValue[V]]
	loader otter.Loader[epochKey, *timedValue[V]]
	clock  otter.Clock
	live   func() bool
	epoch  atomic.Uint64
}

// timedValue is a value with the time at which its load began.
type timedValue[V any] struct {
	value V
	at    int64
}

// key is an id, the hash of a credential, or a UUID.
type key struct {
	id   int64
	text [uuidLength]byte
}

const uuidLength = 36

func idKey(id int64) key { return key{id: id} }

func hashKey(hash [32]byte) (k key) {
	copy(k.text[:], hash[:])
	return k
}

func (k key) hash() [32]byte { return [32]byte(k.text[:32]) }

// epochKey is a key in one epoch. If clear is called during a load, the result is stored
// under the key of a past epoch, which is never read again.
type epochKey struct {
	key
	epoch uint64
}

func newLookups[V any](clock otter.Clock, live func() bool, load func(context.Context, key) (V, error)) *lookups[V] {
	return &lookups[V]{
		clock: clock,
		live:  live,
		cache: otter.Must(&otter.Options[epochKey, *timedValue[V]]{
			MaximumSize:      maxKeys,
			ExpiryCalculator: otter.ExpiryWriting[epochKey, *timedValue[V]](maxAge),
			Clock:            clock,
			Logger:           &otter.NoopLogger{},
		}),
		loader: otter.LoaderFunc[epochKey, *timedValue[V]](func(ctx context.Context, k epochKey) (*timedValue[V], error) {
			at := clock.NowNano()
			value, err := load(ctx, k.key)
			return &timedValue[V]{value, at}, err
		}),
	}
}

func (l *lookups[V]) get(ctx context.Context, key key) (V, error) {
	// Read the epoch before the value: a change between the two reads then ends that epoch.
	k := epochKey{key, l.epoch.Load()}
	found, err := l.cache.Get(ctx, k, l.loader)
	if err == nil && l.expired(found.at) {
		l.epoch.CompareAndSwap(k.epoch, k.epoch+1) // fails if another request was faster
		found, err = l.cache.Get(ctx, epochKey{key, l.epoch.Load()}, l.loader)
	}
	if err != nil {
		var none V
		return none, err
	}
	return found.value, nil
}

func (l *lookups[V]) expired(at int64) bool {
	limit := maxAge
	if !l.live() {
		limit = maxAgeOffline
	}
	return l.clock.NowNano()-at > int64(limit)
}

// clear removes all values.
func (l *lookups[V]) clear() { l.epoch.Add(1) }

// uptime is a monotonic otter.Clock, so that setting the clock of the machine does not
// extend the life of a value. It never ticks: expired values are replaced on access.
type uptime struct{ start time.Time }

func (u uptime) NowNano() int64                    { return int64(time.Since(u.start)) }
func (uptime) Tick(time.Duration) <-chan time.Time { return nil }
