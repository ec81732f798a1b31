package cache

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"imprimatur/ports"
)

const (
	// maxResponse is the size in bytes of the largest cached response. A larger one would
	// evict many responses that are read more often.
	maxResponse = 1 << 20
	// readOverhead is the approximate memory in bytes of a cache entry besides its key
	// and response.
	readOverhead = 256
	// counters is the number of change counters. A change of a Project also invalidates
	// the responses of Projects with the same counter.
	counters = 1 << 12
)

// Reads is a ports.ReadCache of limited size. It is safe for concurrent use.
type Reads struct {
	cache   *otter.Cache[ports.ReadKey, ports.Sized]
	live    func() bool
	changes [counters]atomic.Uint64 // by Project id modulo counters
	missed  atomic.Uint64           // changes that may affect all Projects

	hits, misses atomic.Uint64
}

// NewReads returns a cache of up to size bytes. changes invalidate its responses. A size of
// 0 disables the cache. Caches of definitions must subscribe to changes before this call, so
// that a new epoch never contains responses made from old definitions.
func NewReads(size int64, changes ports.Changes) *Reads {
	return newReads(size, changes, uptime{time.Now()})
}

func newReads(size int64, changes ports.Changes, clock otter.Clock) *Reads {
	r := &Reads{
		live: func() bool { return size > 0 && changes.Live() },
		cache: otter.Must(&otter.Options[ports.ReadKey, ports.Sized]{
			MaximumWeight:    uint64(max(size, 1)),
			Weigher:          weigh,
			ExpiryCalculator: otter.ExpiryWriting[ports.ReadKey, ports.Sized](maxAge),
			Clock:            clock,
			Logger:           &otter.NoopLogger{},
		}),
	}
	changes.Subscribe(func(change ports.Change) {
		switch change.Kind {
		case ports.ChangeContent, ports.ChangeSchema:
			r.counter(change.ID).Add(1)
		case ports.ChangeAll:
			r.missed.Add(1)
		}
	})
	return r
}

func (r *Reads) counter(projectID int64) *atomic.Uint64 {
	return &r.changes[uint64(projectID)%counters]
}

func weigh(key ports.ReadKey, response ports.Sized) uint32 {
	return uint32(min(uint64(len(key.Query)+response.Size()+readOverhead), math.MaxUint32))
}

// Epoch implements ports.ReadCache. An epoch never repeats: it is the sum of counters that
// only grow.
func (r *Reads) Epoch(projectID int64) uint64 {
	epoch := 1 + r.counter(projectID).Load() + r.missed.Load()
	// Check live after reading the counters: if the feed was lost and restored in between,
	// missed has grown and epoch is already out of date.
	if !r.live() {
		return 0
	}
	return epoch
}

// Read implements ports.ReadCache.
func (r *Reads) Read(ctx context.Context, key ports.ReadKey, load func(context.Context) (ports.Sized, error)) (ports.Sized, error) {
	if found, ok := r.cache.GetIfPresent(key); ok {
		r.hits.Add(1)
		return found, nil
	}
	r.misses.Add(1)
	found, err := r.cache.Get(ctx, key, otter.LoaderFunc[ports.ReadKey, ports.Sized](
		func(ctx context.Context, _ ports.ReadKey) (ports.Sized, error) {
			response, err := load(ctx)
			if err == nil && (response.Size() > maxResponse || key.Epoch != r.Epoch(key.ProjectID)) {
				return nil, &uncached{response}
			}
			return response, err
		}))
	var direct *uncached
	if errors.As(err, &direct) {
		return direct.response, nil
	}
	return found, err
}

// uncached passes a response through the cache as an error, because errors are not cached.
type uncached struct{ response ports.Sized }

func (*uncached) Error() string { return "cache: response not cacheable" }

// Hits returns the number of reads that the cache answered.
func (r *Reads) Hits() uint64 { return r.hits.Load() }

// Misses returns the number of all other reads. Reads that waited for the load of an equal
// request are misses.
func (r *Reads) Misses() uint64 { return r.misses.Load() }

// Size returns the approximate memory of the cached responses in bytes.
func (r *Reads) Size() uint64 { return r.cache.WeightedSize() }
