package contract

import (
	"errors"
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
	left := func(n int) ports.Spending {
		return ports.Spending{Allowed: true, Remaining: n, ResetAfter: time.Duration(10-n) * time.Second}
	}
	denied := func(remaining int, retry time.Duration) ports.Spending {
		return ports.Spending{Remaining: remaining, ResetAfter: time.Duration(10-remaining) * time.Second, RetryAfter: retry}
	}
	for name, steps := range map[string][]step{
		"starts with the whole budget":       {{0, 1, left(9)}, {0, 1, left(8)}},
		"allows a burst of the whole budget": {{0, 10, left(0)}, {0, 1, denied(0, time.Second)}},
		"spends nothing when it refuses":     {{0, 8, left(2)}, {0, 3, denied(2, time.Second)}, {0, 2, left(0)}},
		"refills evenly":                     {{0, 10, left(0)}, {time.Second, 1, left(0)}, {0, 1, denied(0, time.Second)}, {3 * time.Second, 1, left(2)}},
		"refills in fractions":               {{0, 10, left(0)}, {400 * time.Millisecond, 1, ports.Spending{ResetAfter: 9600 * time.Millisecond, RetryAfter: 600 * time.Millisecond}}},
		"never exceeds its limit":            {{0, 1, left(9)}, {time.Hour, 1, left(9)}},
		"is full after its reset":            {{0, 7, left(3)}, {7 * time.Second, 10, left(0)}},
		"spends nothing at cost 0":           {{0, 0, left(10)}, {0, 9, left(1)}, {0, 0, left(1)}, {0, 0, left(1)}, {0, 1, left(0)}, {0, 0, denied(0, time.Second)}, {time.Second, 0, left(1)}},
		"reports the wait for a larger cost": {{0, 10, left(0)}, {0, 4, denied(0, 4*time.Second)}, {4 * time.Second, 4, left(0)}},
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
