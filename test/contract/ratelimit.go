package contract

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/ports"
)

// RateLimiter checks a ports.RateLimiter. open returns a limiter and a function that
// advances its clock.
func RateLimiter(t *testing.T, open func(t *testing.T) (limiter ports.RateLimiter, pass func(time.Duration))) {
	ten := ports.Budget{Limit: 10, Window: 10 * time.Second}
	type step struct {
		wait time.Duration
		cost int
		want ports.Spending
	}
	second, most := time.Second, 10*time.Second
	left := func(n int) ports.Spending {
		return ports.Spending{Allowed: true, Remaining: n, ResetAfter: most}
	}
	denied := func(remaining int, reset, retry time.Duration) ports.Spending {
		return ports.Spending{Remaining: remaining, ResetAfter: reset, RetryAfter: retry}
	}
	for name, steps := range map[string][]step{
		"starts with the whole budget":             {{0, 1, left(9)}, {0, 1, left(8)}},
		"allows a burst of the whole budget":       {{0, 10, left(0)}, {0, 1, denied(0, most, most)}},
		"spends nothing when it refuses":           {{0, 8, left(2)}, {0, 3, denied(2, most, most)}, {0, 2, left(0)}},
		"returns operations after the window":      {{0, 4, left(6)}, {3 * second, 6, left(0)}, {0, 1, denied(0, most, 7*second)}, {7 * second, 1, left(3)}, {0, 4, denied(3, most, 3*second)}},
		"returns operations of one group together": {{0, 4, left(6)}, {300 * time.Millisecond, 6, left(0)}, {9900 * time.Millisecond, 1, denied(0, 100*time.Millisecond, 100*time.Millisecond)}, {100 * time.Millisecond, 10, left(0)}},
		"never exceeds its limit":                  {{0, 1, left(9)}, {time.Hour, 1, left(9)}},
		"is full after its reset":                  {{0, 7, left(3)}, {most, 10, left(0)}},
		"spends nothing at cost 0":                 {{0, 0, ports.Spending{Allowed: true, Remaining: 10}}, {0, 9, left(1)}, {0, 0, left(1)}, {0, 0, left(1)}, {0, 1, left(0)}, {0, 0, denied(0, most, most)}, {most, 0, ports.Spending{Allowed: true, Remaining: 10}}},
		"reports the wait for a larger cost":       {{0, 4, left(6)}, {second, 6, left(0)}, {0, 4, denied(0, most, 9*second)}, {0, 5, denied(0, most, most)}, {9 * second, 4, left(0)}},
		"never allows a cost above its limit":      {{0, 11, ports.Spending{Remaining: 10, RetryAfter: most}}, {0, 10, left(0)}},
		"survives a clock that is set back":        {{0, 10, left(0)}, {-time.Hour, 1, denied(0, most, most)}, {most, 1, left(9)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limiter, pass := open(t)
			key := uuid.NewString()
			for i, s := range steps {
				pass(s.wait)
				if got := result(limiter.Take(t.Context(), key, ten, s.cost))(t); got != s.want {
					t.Fatalf("step %d: got %+v, want %+v", i, got, s.want)
				}
			}
		})
	}
	t.Run("counts the same operations under another limit", func(t *testing.T) {
		t.Parallel()
		limiter, _ := open(t)
		key := uuid.NewString()
		result(limiter.Take(t.Context(), key, ten, 8))(t)
		for limit, remaining := range map[int]int{5: 0, 12: 4} {
			s := result(limiter.Take(t.Context(), key, ports.Budget{Limit: limit, Window: ten.Window}, 0))(t)
			assertEqual(t, s, ports.Spending{Allowed: remaining > 0, Remaining: remaining, ResetAfter: most, RetryAfter: map[bool]time.Duration{false: most}[remaining > 0]})
		}
	})
	t.Run("allows no more than the limit in any window", func(t *testing.T) {
		t.Parallel()
		budgetOfAnyWindow(t, open)
	})
	t.Run("loses little of a budget that is always spent", func(t *testing.T) {
		t.Parallel()
		limiter, pass := open(t)
		key, allowed := uuid.NewString(), 0
		for range 2000 { // 200 s
			if result(limiter.Take(t.Context(), key, ten, 1))(t).Allowed {
				allowed++
			}
			pass(100 * time.Millisecond)
		}
		if allowed < 20*10*30/31 {
			t.Errorf("%d of 200 operations were allowed", allowed)
		}
	})
	t.Run("allows nothing of a budget without a window", func(t *testing.T) {
		t.Parallel()
		limiter, _ := open(t)
		assertEqual(t, result(limiter.Take(t.Context(), uuid.NewString(), ports.Budget{Limit: 10}, 1))(t).Allowed, false)
	})
	t.Run("keeps keys apart", func(t *testing.T) {
		t.Parallel()
		limiter, _ := open(t)
		for range 2 {
			assertEqual(t, result(limiter.Take(t.Context(), uuid.NewString(), ten, 10))(t).Allowed, true)
		}
	})
	t.Run("grants no more than the budget to concurrent callers", func(t *testing.T) {
		t.Parallel()
		limiter, _ := open(t)
		key := uuid.NewString()
		o := race(40, func(int) error {
			s, err := limiter.Take(t.Context(), key, ten, 1)
			if err == nil && !s.Allowed {
				return errRefused
			}
			return err
		})
		for _, err := range o.failures {
			if !errors.Is(err, errRefused) {
				t.Errorf("unexpected error: %v", err)
			}
		}
		assertEqual(t, o.successes, 10)
	})
}

// errRefused marks a refused call of a race.
var errRefused = errors.New("refused")

// budgetOfAnyWindow sends five minutes of random traffic of two keys, and counts what was allowed in
// every window. It also waits for what RetryAfter gives.
func budgetOfAnyWindow(t *testing.T, open func(t *testing.T) (ports.RateLimiter, func(time.Duration))) {
	limiter, pass := open(t)
	random := rand.New(rand.NewPCG(1, 2))
	budgets := []ports.Budget{{Limit: 20, Window: 40 * time.Second}, {Limit: 7, Window: 3 * time.Second}}
	keys := []string{uuid.NewString(), uuid.NewString()}
	allowed := make([][]time.Duration, len(keys))
	var now, refused time.Duration
	wait := func(d time.Duration) {
		d = d.Truncate(time.Millisecond)
		now += d
		pass(d)
	}
	for now < 5*time.Minute {
		switch random.IntN(40) {
		case 0:
			wait(time.Duration(random.Int64N(int64(10 * time.Second)))) // a quiet time
		default:
			wait(time.Duration(random.Int64N(int64(time.Second)))) // the keys arrive faster than their budgets return
		}
		for range 1 + random.IntN(6) {
			i := random.IntN(len(keys))
			s := result(limiter.Take(t.Context(), keys[i], budgets[i], 1))(t)
			if !s.Allowed && random.IntN(30) == 0 {
				wait(s.RetryAfter)
				s = result(limiter.Take(t.Context(), keys[i], budgets[i], 1))(t)
				if !s.Allowed {
					t.Fatalf("refused after RetryAfter: %+v", s)
				}
			}
			if s.Allowed {
				allowed[i] = append(allowed[i], now)
			} else {
				refused++
			}
		}
	}
	for i, times := range allowed {
		b := budgets[i]
		for n := b.Limit; n < len(times); n++ {
			if between := times[n] - times[n-b.Limit]; between < b.Window {
				t.Errorf("%d operations in %v, more than %d in %v", b.Limit+1, between, b.Limit, b.Window)
			}
		}
		if len(times) < b.Limit || refused == 0 {
			t.Errorf("%d operations in five minutes, %d refused", len(times), refused)
		}
	}
}
