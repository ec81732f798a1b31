package redis

import (
	"context"
	_ "embed"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"go.uber.org/zap"

	"imprimatur/ports"
)

// Limiter is a ports.RateLimiter with budgets that all processes on one Redis server
// share. It uses the clock of the server, in microseconds. While Redis is unreachable
// each process uses its local limiter: no request fails or waits. It is safe for
// concurrent use.
type Limiter struct {
	client *Client
	local  ports.RateLimiter
	log    *zap.Logger

	timeout time.Duration // longest wait of a request for Redis
	clock   func() string // for tests: microseconds; empty means the clock of the server

	unreachable atomic.Bool
	localCount  atomic.Uint64
	closing     chan struct{}
	mu          sync.Mutex // orders the start of probing against Close
	closed      bool
	probing     sync.WaitGroup
}

const (
	timeout       = 50 * time.Millisecond
	probeInterval = 500 * time.Millisecond // while Redis is unreachable
)

//go:embed budget.lua
var budgetSource string

var budgetScript = rueidis.NewLuaScript(budgetSource)

// NewLimiter returns a Limiter that uses local while Redis is unreachable. It logs the
// start and the end of each outage once to log.
func NewLimiter(client *Client, local ports.RateLimiter, log *zap.Logger) *Limiter {
	return &Limiter{
		client: client, local: local, log: log, closing: make(chan struct{}),
		timeout: timeout, clock: func() string { return "" },
	}
}

// Start connects to Redis, so that an outage is logged at the start of the process.
func (l *Limiter) Start(ctx context.Context) {
	if err := l.probe(ctx); err != nil {
		l.switchToLocal(err)
	}
}

// Close stops the reconnection attempts and waits until they have ended.
func (l *Limiter) Close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.closing)
	}
	l.mu.Unlock()
	l.probing.Wait()
}

// LocalDecisions returns the number of decisions that were made without Redis.
func (l *Limiter) LocalDecisions() uint64 { return l.localCount.Load() }

// Unreachable reports whether Redis is unreachable.
func (l *Limiter) Unreachable() bool { return l.unreachable.Load() }

// Take implements ports.RateLimiter.
func (l *Limiter) Take(ctx context.Context, key string, budget ports.Budget, cost int) (ports.Spending, error) {
	if budget.Limit <= 0 || budget.Window < time.Microsecond {
		return ports.Spending{ResetAfter: budget.Window, RetryAfter: budget.Window}, nil
	}
	if !l.unreachable.Load() {
		limited, cancel := context.WithTimeout(ctx, l.timeout)
		spending, err := l.runScript(limited, key, budget, cost)
		cancel()
		if err == nil {
			return spending, nil
		}
		if ctx.Err() == nil { // otherwise the request was canceled
			l.switchToLocal(err)
		}
	}
	l.localCount.Add(1)
	return l.local.Take(ctx, key, budget, cost)
}

// runScript runs the budget script on the server.
func (l *Limiter) runScript(ctx context.Context, key string, budget ports.Budget, cost int) (ports.Spending, error) {
	result, err := budgetScript.Exec(ctx, l.client.Client, []string{"imprimatur:spent:" + key}, []string{
		strconv.FormatInt(budget.Window.Microseconds(), 10), strconv.Itoa(budget.Limit), strconv.Itoa(cost), l.clock(),
	}).AsIntSlice()
	if err != nil {
		return ports.Spending{}, err
	}
	if len(result) != 4 {
		return ports.Spending{}, errors.New("redis: unexpected result of the budget script")
	}
	after := func(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
	return ports.Spending{
		Allowed: result[0] == 1, Remaining: int(result[1]), ResetAfter: after(result[2]), RetryAfter: after(result[3]),
	}, nil
}

// switchToLocal uses the local limiter until a probe succeeds.
func (l *Limiter) switchToLocal(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || !l.unreachable.CompareAndSwap(false, true) {
		return
	}
	l.log.Warn("Redis unreachable, rate limits are local", zap.Error(cause))
	before := l.localCount.Load()
	l.probing.Go(func() {
		if l.reconnect() {
			l.unreachable.Store(false)
			l.log.Info("Redis reachable again, rate limits are shared", zap.Uint64("localDecisions", l.localCount.Load()-before))
		}
	})
}

func (l *Limiter) reconnect() bool {
	for {
		select {
		case <-l.closing:
			return false
		case <-time.After(probeInterval):
		}
		if l.probe(context.Background()) == nil {
			return true
		}
	}
}

// probe takes from a budget that only probes use. It writes, so that a read-only server also
// counts as unreachable.
func (l *Limiter) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeInterval)
	defer cancel()
	_, err := l.runScript(ctx, "probe", ports.Budget{Limit: 1000, Window: time.Second}, 1)
	return err
}
