package httpx

import (
	"context"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"imprimatur/core"
)

const (
	maxWaiting = 128             // requests in the queue: a short burst is not overload
	maxWait    = 3 * time.Second // of one request in the queue
)

// Limiter limits the number of requests that are processed concurrently. Up to 128 more
// wait in FIFO order for up to 3 s; all others are refused. It is safe for concurrent use.
//
// A request acquires a slot after its body is read and releases it before its response is
// written, so that slow clients hold no slot.
type Limiter struct {
	slots   chan struct{} // one element per request that holds a slot
	waiting atomic.Int64
	refused atomic.Int64
}

// NewLimiter returns a Limiter for the given number of concurrent requests.
func NewLimiter(slots int) *Limiter {
	return &Limiter{slots: make(chan struct{}, slots)}
}

// Acquire waits for a slot. release frees it and may be called more than once. The error
// is core.ErrUnavailable with the code "busy" when the request is refused, or that of ctx.
func (l *Limiter) Acquire(ctx context.Context) (release func(), err error) {
	select {
	case l.slots <- struct{}{}:
	default:
		if err := l.wait(ctx); err != nil {
			return nil, err
		}
	}
	var released atomic.Bool
	return func() {
		if !released.Swap(true) {
			<-l.slots
		}
	}, nil
}

// wait waits for a slot. Goroutines that send to a channel wait in FIFO order.
func (l *Limiter) wait(ctx context.Context) error {
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > maxWaiting {
		return l.refuse()
	}
	late := time.NewTimer(maxWait)
	defer late.Stop()
	select {
	case l.slots <- struct{}{}:
		// The scheduler runs a woken goroutine before all other runnable goroutines. Without
		// Gosched, accepted requests would run one after another, and requests that must be refused
		// would wait until their connections use up the connection limit.
		runtime.Gosched()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return l.refuse()
	}
}

// refuse returns the error of a refused request. Clients retry after a random 1 to 3 s, so
// that they do not return at the same time.
func (l *Limiter) refuse() error {
	l.refused.Add(1)
	return &core.Error{
		Kind: core.KindUnavailable, Code: "busy", Message: "server overloaded, retry later",
		RetryAfter: time.Duration(1+rand.N(3)) * time.Second, //nolint:gosec // no secret
	}
}

// InFlight returns the number of requests that hold a slot.
func (l *Limiter) InFlight() int64 { return int64(len(l.slots)) }

// Waiting returns the number of requests in the queue.
func (l *Limiter) Waiting() int64 { return min(l.waiting.Load(), maxWaiting) }

// Refused returns the number of refused requests.
func (l *Limiter) Refused() int64 { return l.refused.Load() }

// Limiters are separate limits for reads and writes, so that reads continue while a
// database lock blocks all writes.
type Limiters struct{ Reads, Writes *Limiter }

// NewLimiters returns Limiters for the given numbers of concurrent requests.
func NewLimiters(reads, writes int) Limiters {
	return Limiters{NewLimiter(reads), NewLimiter(writes)}
}

// For returns the Limiter for requests with this method.
func (l Limiters) For(method string) *Limiter {
	if isRead(method) {
		return l.Reads
	}
	return l.Writes
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }
