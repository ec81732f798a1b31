package redis

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"imprimatur/adapters/ratelimit"
	"imprimatur/adapters/systemclock"
	"imprimatur/ports"
	"imprimatur/test/await"
	"imprimatur/test/contract"
	"imprimatur/test/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, url string) *Client {
	t.Helper()
	client, err := Open(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// setup returns a limiter on the server at url, and its log. It waits for a server that is
// busy with other tests.
func setup(t *testing.T, url string) (*Limiter, *observer.ObservedLogs) {
	t.Helper()
	core, log := observer.New(zap.InfoLevel)
	l := NewLimiter(open(t, url), ratelimit.NewLocal(systemclock.New()), zap.New(core))
	l.timeout = 10 * time.Second
	t.Cleanup(l.Close)
	l.Start(t.Context())
	return l, log
}

func take1(t *testing.T, l *Limiter, key string, budget ports.Budget) ports.Spending {
	t.Helper()
	s, err := l.Take(t.Context(), key, budget, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	t.Run("", func(t *testing.T) {
		contract.RateLimiter(t, func(t *testing.T) (ports.RateLimiter, func(time.Duration)) {
			l, _ := setup(t, server.URL())
			var now atomic.Int64
			now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro())
			l.clock = func() string { return strconv.FormatInt(now.Load(), 10) }
			t.Cleanup(func() {
				if l.LocalDecisions() != 0 {
					t.Errorf("%d decisions were made without Redis", l.LocalDecisions())
				}
			})
			return l, func(d time.Duration) { now.Add(d.Microseconds()) }
		})
	})
}

// TestTheServersClock uses real time: budgets return by the server's clock, and two
// processes share one budget.
func TestTheServersClock(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	a, _ := setup(t, server.URL())
	b, _ := setup(t, server.URL())
	budget := ports.Budget{Limit: 2, Window: 2 * time.Second}
	for i, l := range []*Limiter{a, b} {
		if s := take1(t, l, "key", budget); !s.Allowed || s.Remaining != 1-i {
			t.Fatalf("turn %d: %+v", i, s)
		}
	}
	s := take1(t, a, "key", budget)
	if s.Allowed || s.RetryAfter <= 0 || s.RetryAfter > budget.Window || s.ResetAfter < s.RetryAfter || s.ResetAfter > budget.Window {
		t.Fatalf("spent: %+v", s)
	}
	time.Sleep(s.RetryAfter) // as a client does
	if s := take1(t, b, "key", budget); !s.Allowed {
		t.Errorf("after RetryAfter: %+v", s)
	}
	if a.LocalDecisions()+b.LocalDecisions() != 0 {
		t.Error("decided without Redis")
	}
}

func TestFullBudgetExpires(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, redistest.New(t).URL())
	take1(t, l, "key", ports.Budget{Limit: 60, Window: 5 * time.Second})
	left, err := l.client.Do(t.Context(), l.client.B().Pttl().Key("imprimatur:spent:key").Build()).AsInt64()
	if err != nil || left <= 0 || left > 6000 {
		t.Errorf("the key is kept for %d ms, %v", left, err)
	}
}

func TestUnevenBudgetIsFullyUsable(t *testing.T) {
	t.Parallel()
	l, _ := setup(t, redistest.New(t).URL())
	for _, limit := range []int{1, 7, 13, 600, 997} {
		budget, allowed := ports.Budget{Limit: limit, Window: 24 * time.Hour}, 0
		for range limit + 3 {
			if take1(t, l, strconv.Itoa(limit), budget).Allowed {
				allowed++
			}
		}
		if allowed != limit {
			t.Errorf("%d of %d allowed", allowed, limit)
		}
	}
}

// TestRedisAway makes the server unavailable in several ways. Decisions are still made
// quickly, and the limiter recovers by itself.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	budget := ports.Budget{Limit: 1000, Window: 24 * time.Hour}
	for name, leave := range map[string]func(*testing.T, *redistest.Server) (comeBack func()){
		"stopped": func(t *testing.T, s *redistest.Server) func() {
			s.Stop(t)
			return func() { s.Start(t) }
		},
		"silent": func(t *testing.T, s *redistest.Server) func() { return s.Freeze(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.New(t)
			l, log := setup(t, server.URL())
			take1(t, l, "key", budget)
			comeBack := leave(t, server)
			l.timeout = timeout
			for i := range 100 {
				if s := take1(t, l, "key", budget); !s.Allowed || s.Remaining != 999-i {
					t.Fatalf("turn %d: %+v", i, s)
				}
				if !l.Unreachable() {
					t.Fatalf("turn %d: the next one will wait as well", i)
				}
			}
			if !l.Unreachable() || l.LocalDecisions() != 100 || log.Len() != 1 {
				t.Errorf("away %t, %d decisions alone, logged %v", l.Unreachable(), l.LocalDecisions(), log.All())
			}
			comeBack()
			await.Until(t, "Redis is back", func() bool { return !l.Unreachable() })
			l.timeout = 10 * time.Second
			take1(t, l, "key", budget)
			if l.LocalDecisions() != 100 {
				t.Error("a recovered Redis is not used")
			}
			await.Until(t, "the log", func() bool { return log.Len() == 2 })
		})
	}
}

func TestReadOnlyRedisIsAway(t *testing.T) {
	t.Parallel()
	l, log := setup(t, redistest.New(t).URL())
	if err := l.client.Do(t.Context(), l.client.B().Arbitrary("REPLICAOF", "127.0.0.1", "1").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		take1(t, l, "key", ports.Budget{Limit: 1000, Window: time.Hour})
		time.Sleep(20 * time.Millisecond) // the limiter tries Redis several times meanwhile
	}
	if l.LocalDecisions() != 100 || log.Len() != 1 {
		t.Errorf("%d decisions alone, logged %v", l.LocalDecisions(), log.All())
	}
}

func TestRedisAwayAtTheStart(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	server.Stop(t)
	l, log := setup(t, server.URL())
	if log.Len() != 1 {
		t.Errorf("logged %v", log.All())
	}
	if s := take1(t, l, "key", ports.Budget{Limit: 1, Window: time.Hour}); !s.Allowed {
		t.Errorf("%+v", s)
	}
	server.Start(t)
	await.Until(t, "Redis is found", func() bool { return !l.Unreachable() })
}

func TestOpenRefusesWhatIsNoURLWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "http://secret", "redis://:secret@host/x", "redis://secret@ho st"} {
		if _, err := Open(url); err == nil || err.Error() != "is not a valid Redis URL" {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestSentinelMustRespond(t *testing.T) {
	t.Parallel()
	if _, err := Open("redis://127.0.0.1:1?master_set=main"); err == nil {
		t.Error("no error")
	}
}

func BenchmarkTake(b *testing.B) {
	client, err := Open(redistest.New(b).URL())
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	l := NewLimiter(client, ratelimit.NewLocal(systemclock.New()), zap.NewNop())
	defer l.Close()
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := l.Take(b.Context(), "key", ports.Budget{Limit: 1 << 20, Window: time.Hour}, 1); err != nil {
				b.Error(err)
			}
		}
	})
	if l.LocalDecisions() > 0 {
		b.Logf("%d decisions were made without Redis", l.LocalDecisions())
	}
}
