// Package cache keeps what every request asks for: Projects, collections, tokens
// and the people behind sessions, and what reads answered. Nothing is kept past a change
// that is announced. Where the changes of other processes are announced too, things are
// kept for some seconds; while they are not, for half a second, so that they are seen in
// time, and answers not at all.
package cache

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

const (
	// maxAge bounds what a fault in what is announced could do, or somebody who
	// changes the database by hand.
	maxAge = 10 * time.Second
	// unheardAge is for while changes may go unheard.
	unheardAge = 500 * time.Millisecond
	maxKeys    = 10_000
	pastEpochs = 8 // after so many drops nothing is known of what nobody asked for
)

// fresh remembers what load returned. Errors are not remembered.
//
// When what was known is outdated, all who ask for it wait for the one who looks it up,
// and so that one is not to stand in a line for it: it is done on nobody's behalf. What
// was not known before is looked up on behalf of who asks, so that strangers who make
// credentials up stand in line with everybody else.
type fresh[K comparable, V any] struct {
	cache  *otter.Cache[versioned[K], dated[V]]
	loader otter.Loader[versioned[K], dated[V]]
	clock  otter.Clock
	live   func() bool
	epoch  atomic.Uint64
}

// dated is a value with when the look for it began, by the clock.
type dated[V any] struct {
	value V
	at    int64
}

// versioned is a key as it was asked for between two drops. A load that was under
// way during a drop ends up under a key that nobody asks for any more.
type versioned[K comparable] struct {
	key   K
	epoch uint64
}

// newFresh returns a fresh that keeps values for unheardAge alone while live is false.
func newFresh[K comparable, V any](clock otter.Clock, live func() bool, load func(context.Context, K) (V, error)) *fresh[K, V] {
	f := &fresh[K, V]{
		clock: clock,
		live:  live,
		cache: otter.Must(&otter.Options[versioned[K], dated[V]]{
			MaximumSize:      maxKeys,
			ExpiryCalculator: otter.ExpiryWriting[versioned[K], dated[V]](2 * maxAge), // it is known for as long again
			Clock:            clock,
			Logger:           &otter.NoopLogger{},
		}),
	}
	f.loader = otter.LoaderFunc[versioned[K], dated[V]](func(ctx context.Context, k versioned[K]) (dated[V], error) {
		if f.known(k) {
			ctx = nobodys{ctx}
		}
		at := clock.NowNano()
		value, err := load(ctx, k.key)
		return dated[V]{value, at}, err
	})
	return f
}

// known reports whether k was known a moment ago. Several drops may have come since.
func (f *fresh[K, V]) known(k versioned[K]) bool {
	for range pastEpochs {
		k.epoch--
		if _, known := f.cache.GetIfPresent(k); known {
			return true
		}
	}
	return false
}

func (f *fresh[K, V]) get(ctx context.Context, key K) (V, error) {
	// The epoch comes first: what is announced after it makes it a past one.
	k := versioned[K]{key, f.epoch.Load()}
	found, err := f.cache.Get(ctx, k, f.loader)
	if err == nil && f.outdated(found.at) {
		f.epoch.CompareAndSwap(k.epoch, k.epoch+1) // else somebody has dropped it already
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

// uptime is a clock that nobody can set back, so that nothing outlives its age.
// It does not tick: what is outdated makes way for what is asked for.
type uptime struct{ start time.Time }

func (u uptime) NowNano() int64                    { return int64(time.Since(u.start)) }
func (uptime) Tick(time.Duration) <-chan time.Time { return nil }

// nobodys is the context of somebody without what it says of them: what is done in it
// ends with them, but no gate takes it for a part of their request.
type nobodys struct {
	context.Context //nolint:containedctx // it is one
}

// Value returns nil.
func (nobodys) Value(any) any { return nil }
