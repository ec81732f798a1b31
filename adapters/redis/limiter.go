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

// Limiter is a ports.RateLimiter whose budgets are shared by all who use one Redis,
// and go by its clock, to the microsecond. While Redis is away each process decides
// by itself: no request fails or waits for it.
type Limiter struct {
	client *Client
	local  ports.RateLimiter
	log    *zap.Logger

	patience time.Duration // a request waits for Redis no longer
	clock    func() string // for tests: microseconds; empty for the server's

	away    atomic.Bool
	alone   atomic.Uint64
	closing chan struct{}
	mu      sync.Mutex // orders the start of probing against Close
	closed  bool
	probing sync.WaitGroup
}

const (
	patience      = 50 * time.Millisecond
	probeInterval = 500 * time.Millisecond // while Redis is away
)

//go:embed take.lua
var takeScript string

var take = rueidis.NewLuaScript(takeScript)

// NewLimiter returns a Limiter that leaves it to local while Redis is away. log is
// told of each outage once, and of its end.
func NewLimiter(client *Client, local ports.RateLimiter, log *zap.Logger) *Limiter {
	return &Limiter{
		client: client, local: local, log: log, closing: make(chan struct{}),
		patience: patience, clock: func() string { return "" },
	}
}

// Start looks for Redis, so that the log says at once when it is away.
func (l *Limiter) Start(ctx context.Context) {
	if err := l.probe(ctx); err != nil {
		l.lose(err)
	}
}

// Close ends the search for a Redis that is away.
func (l *Limiter) Close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.closing)
	}
	l.mu.Unlock()
	l.probing.Wait()
}

// Alone returns how many decisions were made without Redis.
func (l *Limiter) Alone() uint64 { return l.alone.Load() }

// Away reports whether Redis does not answer.
func (l *Limiter) Away() bool { return l.away.Load() }

// Take is described at ports.RateLimiter.
func (l *Limiter) Take(ctx context.Context, key string, budget ports.Budget, cost int) (ports.Spending, error) {
	if budget.Limit <= 0 || budget.Window < time.Duration(budget.Limit) {
		return ports.Spending{ResetAfter: budget.Window, RetryAfter: budget.Window}, nil
	}
	if !l.away.Load() {
		asked, cancel := context.WithTimeout(ctx, l.patience)
		spending, err := l.ask(asked, key, budget, cost)
		cancel()
		if err == nil {
			return spending, nil
		}
		if ctx.Err() == nil { // else it is the caller who did not wait
			l.lose(err)
		}
	}
	l.alone.Add(1)
	return l.local.Take(ctx, key, budget, cost)
}

// ask lets Redis decide.
func (l *Limiter) ask(ctx context.Context, key string, budget ports.Budget, cost int) (ports.Spending, error) {
	interval := max(budget.Window/time.Duration(budget.Limit), time.Microsecond).Truncate(time.Microsecond)
	answer, err := take.Exec(ctx, l.client.Client, []string{"imprimatur:budget:" + key}, []string{
		strconv.FormatInt(interval.Microseconds(), 10), strconv.Itoa(budget.Limit), strconv.Itoa(cost), l.clock(),
	}).AsIntSlice()
	if err != nil {
		return ports.Spending{}, err
	}
	if len(answer) != 2 {
		return ports.Spending{}, errors.New("redis: the script answers in another form")
	}
	spent, full := time.Duration(answer[1])*time.Microsecond, interval*time.Duration(budget.Limit)
	s := ports.Spending{Allowed: answer[0] == 1, Remaining: int((full - spent) / interval), ResetAfter: spent}
	if !s.Allowed {
		s.RetryAfter = spent + interval*time.Duration(max(cost, 1)) - full
	}
	return s, nil
}

// lose turns away from Redis until a probe finds it again.
func (l *Limiter) lose(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || !l.away.CompareAndSwap(false, true) {
		return
	}
	l.log.Warn("Redis does not answer: each process keeps rate limits by itself until it does", zap.Error(cause))
	before := l.alone.Load()
	l.probing.Go(func() {
		if l.awaitReturn() {
			l.away.Store(false)
			l.log.Info("Redis answers again: rate limits are shared", zap.Uint64("decidedAlone", l.alone.Load()-before))
		}
	})
}

func (l *Limiter) awaitReturn() bool {
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

// probe takes from a budget of its own: a server that answers but cannot be written
// to is away as well.
func (l *Limiter) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeInterval)
	defer cancel()
	_, err := l.ask(ctx, "probe", ports.Budget{Limit: 1000, Window: time.Second}, 1)
	return err
}
