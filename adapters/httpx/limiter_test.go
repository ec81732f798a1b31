package httpx

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

// attempt is one call of Acquire.
type attempt struct {
	release func()
	err     error
	done    chan struct{}
}

func acquire(ctx context.Context, l *Limiter) *attempt {
	a := &attempt{done: make(chan struct{})}
	go func() {
		defer close(a.done)
		a.release, a.err = l.Acquire(ctx)
	}()
	synctest.Wait()
	return a
}

// ended reports whether Acquire has returned.
func (a *attempt) ended() bool {
	synctest.Wait()
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

func requireBusy(t *testing.T, a *attempt) {
	t.Helper()
	require.True(t, a.ended())
	var refusal *core.Error
	require.ErrorAs(t, a.err, &refusal)
	assert.Equal(t, core.KindUnavailable, refusal.Kind)
	assert.Equal(t, "busy", refusal.Code)
	assert.True(t, refusal.RetryAfter >= time.Second && refusal.RetryAfter <= 3*time.Second, "%v", refusal.RetryAfter)
}

func TestLimiterServesInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		working := acquire(t.Context(), l)
		require.True(t, working.ended())
		var queue []*attempt
		for range maxWaiting {
			queue = append(queue, acquire(t.Context(), l))
		}
		assert.EqualValues(t, 1, l.InFlight())
		assert.EqualValues(t, maxWaiting, l.Waiting())
		requireBusy(t, acquire(t.Context(), l))
		for i, next := range queue {
			require.False(t, next.ended(), "%d", i)
			working.release()
			working.release() // a second release has no effect
			require.True(t, next.ended(), "%d", i)
			require.NoError(t, next.err)
			working = next
		}
		working.release()
		assert.Zero(t, l.InFlight()+l.Waiting())
		assert.EqualValues(t, 1, l.Refused())
	})
}

func TestLimiterRefusesAfterMaxWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		working := acquire(t.Context(), l)
		waiting := acquire(t.Context(), l)
		time.Sleep(maxWait - time.Millisecond)
		require.False(t, waiting.ended())
		time.Sleep(time.Millisecond)
		requireBusy(t, waiting)
		working.release()
		require.NoError(t, acquire(t.Context(), l).err)
	})
}

// TestLimiterServesAfterRunnableGoroutines shows that a request from the queue does not
// overtake goroutines that could run before its slot became free. It is not parallel
// because it sets GOMAXPROCS, so that the order of two goroutines is known.
func TestLimiterServesAfterRunnableGoroutines(t *testing.T) { //nolint:paralleltest // see above
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rounds = 50
	overtaken := 0
	for range rounds {
		l := NewLimiter(1)
		release, err := l.Acquire(t.Context())
		require.NoError(t, err)
		order := make(chan string, 2)
		go func() {
			if release, err := l.Acquire(t.Context()); err == nil {
				order <- "queued"
				release()
			}
		}()
		for l.Waiting() == 0 {
			runtime.Gosched()
		}
		go func() { order <- "runnable" }()
		release()
		if <-order == "queued" {
			overtaken++
		}
		<-order
	}
	assert.Less(t, overtaken, rounds/2, "the scheduler may also preempt a goroutine in between")
}

func TestLimiterForgetsCanceledRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		working := acquire(t.Context(), l)
		ctx, cancel := context.WithCancel(t.Context())
		waiting := acquire(ctx, l)
		cancel()
		require.True(t, waiting.ended())
		assert.ErrorIs(t, waiting.err, context.Canceled)
		assert.False(t, errors.Is(waiting.err, core.ErrUnavailable))
		working.release()
		assert.Zero(t, l.InFlight()+l.Waiting()+l.Refused())
		assert.NoError(t, acquire(t.Context(), l).err)
	})
}
