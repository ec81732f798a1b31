// Package cache keeps what every request asks for: Projects, collections, tokens and the
// accounts behind sessions, and the answers of reads.
//
// A change drops what it may outdate: at once when this process made it, and as soon as
// the change feed brings it when another process did. While the feed is live, values are
// kept for seconds. While it is not, values are kept for half a second and answers of
// reads not at all, so that nothing is ever stale for more than a second.
package cache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

const (
	// maxAge bounds the effect of changes that are made to the database by hand.
	maxAge = 10 * time.Second
	// unheardAge is the age of a value while the feed is not live.
	unheardAge = 500 * time.Millisecond
	maxKeys    = 10_000
)

// fresh remembers what load returned. Requests for one key at once share one load. Errors
// are not remembered.
type fresh[K comparable, V any] struct {
	cache  *otter.Cache[versioned[K], dated[V]]
	loader otter.Loader[versioned[K], dated[V]]
	clock  otter.Clock
	live   func() bool
	epoch  atomic.Uint64
}

// dated is a value with the time at which its load began.
type dated[V any] struct {
	value V
	at    int64
}

// versioned is a key as of one epoch. A load that was under way during a drop ends up
// under a key that is not asked for any more.
type versioned[K comparable] struct {
	key   K
	epoch uint64
}

func newFresh[K comparable, V any](clock otter.Clock, live func() bool, load func(context.Context, K) (V, error)) *fresh[K, V] {
	return &fresh[K, V]{
		clock: clock,
		live:  live,
		cache: otter.Must(&otter.Options[versioned[K], dated[V]]{
			MaximumSize:      maxKeys,
			ExpiryCalculator: otter.ExpiryWriting[versioned[K], dated[V]](maxAge),
			Clock:            clock,
			Logger:           &otter.NoopLogger{},
		}),
		loader: otter.LoaderFunc[versioned[K], dated[V]](func(ctx context.Context, k versioned[K]) (dated[V], error) {
			at := clock.NowNano()
			value, err := load(ctx, k.key)
			return dated[V]{value, at}, err
		}),
	}
}

func (f *fresh[K, V]) get(ctx context.Context, key K) (V, error) {
	// The epoch comes first: a change that arrives after it makes it a past one.
	k := versioned[K]{key, f.epoch.Load()}
	found, err := f.cache.Get(ctx, k, f.loader)
	if err == nil && f.outdated(found.at) {
		f.epoch.CompareAndSwap(k.epoch, k.epoch+1) // else another request has dropped it already
		found, err = f.cache.Get(ctx, versioned[K]{key, f.epoch.Load()}, f.loader)
	}
	return found.value, err
}

func (f *fresh[K, V]) outdated(at int64) bool {
	most := maxAge
	if !f.live() {
		most = unheardAge
	}
	return f.clock.NowNano()-at > int64(most)
}

// drop forgets everything.
func (f *fresh[K, V]) drop() { f.epoch.Add(1) }

// uptime is a monotonic clock: setting the clock of the machine does not prolong an age.
// It does not tick: what is outdated makes way for what is asked for.
type uptime struct{ start time.Time }

func (u uptime) NowNano() int64                    { return int64(time.Since(u.start)) }
func (uptime) Tick(time.Duration) <-chan time.Time { return nil }
