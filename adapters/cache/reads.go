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
	// largestAnswer is how many bytes an answer may have that is remembered: a large
	// one would drive out many that are asked for more often.
	largestAnswer = 1 << 20
	// readOverhead is about what the cache itself needs for an answer and its key.
	readOverhead = 256
	// counters is how many counters of changes there are. Projects that share one
	// forget each other's answers, too.
	counters = 1 << 12
)

// Reads is a ports.ReadCache within a bound of bytes.
type Reads struct {
	cache   *otter.Cache[ports.ReadKey, ports.Sized]
	live    func() bool
	changes [counters]atomic.Uint64 // of Projects, by their ids
	missed  atomic.Uint64           // how often any Project may have changed

	hits, misses atomic.Uint64
}

// NewReads returns Reads that take up to size bytes of memory and listen to changes
// from now on; with a size of 0 nothing is ever remembered. When an epoch moves,
// whatever reads are made of has to be up to date: caches of definitions must have
// subscribed to changes before.
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

func weigh(key ports.ReadKey, answer ports.Sized) uint32 {
	return uint32(min(uint64(len(key.Query)+answer.Size()+readOverhead), math.MaxUint32))
}

// Epoch is described at ports.ReadCache. It is the sum of numbers that only grow, so
// that it never comes back.
func (r *Reads) Epoch(projectID int64) uint64 {
	epoch := 1 + r.counter(projectID).Load() + r.missed.Load()
	// Whether changes are heard comes second: when some were missed since, and are
	// heard again, the epoch is a past one.
	if !r.live() {
		return 0
	}
	return epoch
}

// Read is described at ports.ReadCache.
func (r *Reads) Read(ctx context.Context, key ports.ReadKey, load func(context.Context) (ports.Sized, error)) (ports.Sized, error) {
	if found, ok := r.cache.GetIfPresent(key); ok {
		r.hits.Add(1)
		return found, nil
	}
	r.misses.Add(1)
	found, err := r.cache.Get(ctx, key, otter.LoaderFunc[ports.ReadKey, ports.Sized](
		func(ctx context.Context, _ ports.ReadKey) (ports.Sized, error) {
			answer, err := load(ctx)
			if err == nil && (answer.Size() > largestAnswer || key.Epoch != r.Epoch(key.ProjectID)) {
				return nil, &passing{answer}
			}
			return answer, err
		}))
	var passed *passing
	if errors.As(err, &passed) {
		return passed.answer, nil
	}
	return found, err
}

// passing is an answer that is not to be remembered: errors are not.
type passing struct{ answer ports.Sized }

func (*passing) Error() string { return "the answer is not to be remembered" }

// Hits returns how many answers were remembered when they were asked for.
func (r *Reads) Hits() uint64 { return r.hits.Load() }

// Misses returns how many answers were not, those included that others were reading
// just then.
func (r *Reads) Misses() uint64 { return r.misses.Load() }

// Size returns about how many bytes of memory the answers take.
func (r *Reads) Size() uint64 { return r.cache.WeightedSize() }
