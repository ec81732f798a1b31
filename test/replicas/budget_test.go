package replicas

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/test/postgrestest"
	"imprimatur/test/redistest"
)

// TestRateBudget spends the budget of one token on three replicas at once: it is one
// budget with Redis, one each while Redis is away, and one again afterwards. Whatever
// Redis does, every request is answered.
func TestRateBudget(t *testing.T) {
	redis := redistest.New(t)
	in := settle(t, "--database-url", postgrestest.New(t), "--redis-url", redis.URL())
	in.spendsOneBudget(t)

	redis.Stop(t)
	in.spend(t, 30) // so that each notices
	allowed, refilled := in.spend(t, 600)
	if allowed < 3*limit || allowed > 3*(limit+refilled) {
		t.Errorf("without Redis %d requests were allowed, want %d on each replica and at most %d more", allowed, limit, refilled)
	}
	if away := in.sum(t, "imprimatur_redis_away"); away != 3 {
		t.Errorf("%v of 3 replicas say that Redis is away", away)
	}

	redis.Start(t)
	await(t, "Redis is found again", func() bool { return in.sum(t, "imprimatur_redis_away") == 0 })
	in.spendsOneBudget(t)
}

// TestRedisAwayAtTheStart starts the replicas first.
func TestRedisAwayAtTheStart(t *testing.T) {
	redis := redistest.New(t)
	redis.Stop(t)
	in := settle(t, "--database-url", postgrestest.New(t), "--redis-url", redis.URL())
	in.spend(t, 30)
	redis.Start(t)
	await(t, "Redis is found", func() bool { return in.sum(t, "imprimatur_redis_away") == 0 })
	in.awaitFeed(t)
	in.spendsOneBudget(t)
}

// limit is what a budget gives per minute. It comes back one in two seconds.
const limit = 30

// spendsOneBudget wants exactly the budget, but for what comes back meanwhile. A
// replica that waits too long for Redis on a busy machine decides by itself, and says
// so: then the turn does not count.
func (in *installation) spendsOneBudget(t *testing.T) {
	t.Helper()
	for range 5 {
		before := in.sum(t, "imprimatur_rate_limit_alone_total")
		allowed, refilled := in.spend(t, 600)
		if in.sum(t, "imprimatur_rate_limit_alone_total") != before {
			t.Log("a replica decided by itself: once more")
			await(t, "Redis is found again", func() bool { return in.sum(t, "imprimatur_redis_away") == 0 })
			continue
		}
		if allowed < limit || allowed > limit+refilled {
			t.Errorf("%d requests were allowed, want %d and at most %d more", allowed, limit, refilled)
		}
		return
	}
	t.Error("replicas decided by themselves in each of five turns")
}

// spend makes requests with a new token on all replicas side by side. It returns how
// many were allowed and how many could come back to one budget in that time.
func (in *installation) spend(t *testing.T, requests int) (allowed, refilled int) {
	t.Helper()
	token, _ := in.token(t, limit)
	var left, passed atomic.Int64
	left.Store(int64(requests))
	began := time.Now()
	var clients sync.WaitGroup
	for _, r := range in.replicas {
		for range 2 {
			clients.Go(func() {
				for left.Add(-1) >= 0 {
					a, err := request(t.Context(), "GET", r.base+in.pages(), "", token)
					switch {
					case err != nil:
						t.Error(err)
					case a.status == 200:
						passed.Add(1)
					case a.status != 429 || a.header.Get("Retry-After") == "" || a.header.Get("RateLimit") == "":
						t.Errorf("answered %d with %v: %s", a.status, a.header, a.body)
					}
				}
			})
		}
	}
	clients.Wait()
	return int(passed.Load()), int(time.Since(began)/(time.Minute/limit)) + 1
}
