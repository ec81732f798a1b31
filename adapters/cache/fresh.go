// Package cache keeps what every request asks for: Projects, collections, tokens
// and the people behind sessions. Nothing is kept for longer than half a second,
// so that another replica's change is seen in time, and nothing at all past a
// change that this process announced.
package cache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

const (
	maxAge  = 500 * time.Millisecond
	maxKeys = 10_000
)

// fresh remembers what load returned. Errors are not remembered.
type fresh[K comparable, V any] struct {
	cache  *otter.Cache[versioned[K], V]
	loader otter.Loader[versioned[K], V]
	epoch  atomic.Uint64
}

// versioned is a key as it was asked for between two drops. A load that was under
// way during a drop ends up under a key that nobody asks for any more.
type versioned[K comparable] struct {
	key   K
	epoch uint64
}

func newFresh[K comparable, V any](clock otter.Clock, load func(context.Context, K) (V, error)) *fresh[K, V] {
	return &fresh[K, V]{
		cache: otter.Must(&otter.Options[versioned[K], V]{
			MaximumSize:      maxKeys,
			ExpiryCalculator: otter.ExpiryWriting[versioned[K], V](maxAge),
			Clock:            clock,
			Logger:           &otter.NoopLogger{},
		}),
		loader: otter.LoaderFunc[versioned[K], V](func(ctx context.Context, k versioned[K]) (V, error) {
			return load(ctx, k.key)
		}),
	}
}

func (f *fresh[K, V]) get(ctx context.Context, key K) (V, error) {
	return f.cache.Get(ctx, versioned[K]{key, f.epoch.Load()}, f.loader)
}

// drop forgets everything.
func (f *fresh[K, V]) drop() { f.epoch.Add(1) }

// uptime is a clock that nobody can set back, so that nothing outlives its age.
// It does not tick: what is outdated makes way for what is asked for.
type uptime struct{ start time.Time }

func (u uptime) NowNano() int64                    { return int64(time.Since(u.start)) }
func (uptime) Tick(time.Duration) <-chan time.Time { return nil }
