package httpx

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"imprimatur/core"
)

const (
	// maxWaiting is how many requests may queue for a place: short bursts are not overload.
	maxWaiting = 128
	// maxWait is how long a request may queue.
	maxWait = 3 * time.Second
)

// Limiter bounds how many requests work at once. Up to 128 more wait in FIFO order for up
// to 3 s; any other is refused. More at the same time would not be served sooner: all
// would wait for each other. It is safe for concurrent use.
//
// A request takes a place when its body has been read and returns it before its answer is
// written, so that slow clients hold none.
type Limiter struct {
	places   *semaphore.Weighted
	inFlight atomic.Int64
	waiting  atomic.Int64
	refused  atomic.Int64
}

// NewLimiter returns a Limiter of that many places.
func NewLimiter(places int) *Limiter {
	return &Limiter{places: semaphore.NewWeighted(int64(places))}
}

// Acquire waits for a place. release returns it and may be called more than once. The
// error is core.ErrUnavailable with the code "busy" when the request is refused, or that
// of ctx.
func (l *Limiter) Acquire(ctx context.Context) (release func(), err error) {
	if !l.places.TryAcquire(1) {
		if err := l.wait(ctx); err != nil {
			return nil, err
		}
	}
	l.inFlight.Add(1)
	return sync.OnceFunc(func() {
		l.inFlight.Add(-1)
		l.places.Release(1)
	}), nil
}

func (l *Limiter) wait(ctx context.Context) error {
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > maxWaiting {
		return l.refuse()
	}
	limited, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	switch err := l.places.Acquire(limited, 1); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return l.refuse()
	}
}

// refuse returns the error of a refused request. Clients come back in 1 to 3 s, not all at
// the same time.
func (l *Limiter) refuse() error {
	l.refused.Add(1)
	return &core.Error{
		Kind: core.KindUnavailable, Code: "busy", Message: "server overloaded, retry later",
		RetryAfter: time.Duration(1+rand.N(3)) * time.Second, //nolint:gosec // no secret
	}
}

// InFlight returns how many requests hold a place.
func (l *Limiter) InFlight() int64 { return l.inFlight.Load() }

// Waiting returns how many requests queue for a place.
func (l *Limiter) Waiting() int64 { return min(l.waiting.Load(), maxWaiting) }

// Refused returns how many requests have been refused.
func (l *Limiter) Refused() int64 { return l.refused.Load() }

// Limiters are the Limiter of requests that read and that of requests that may write:
// reads go on while a lock stops all writers.
type Limiters struct{ Reads, Writes *Limiter }

// NewLimiters returns Limiters of that many places.
func NewLimiters(reads, writes int) Limiters {
	return Limiters{NewLimiter(reads), NewLimiter(writes)}
}

// For returns the Limiter of requests with a method.
func (l Limiters) For(method string) *Limiter {
	if method == http.MethodGet || method == http.MethodHead {
		return l.Reads
	}
	return l.Writes
}
