package replicas

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/test/await"
	"imprimatur/test/postgrestest"
	"imprimatur/test/redistest"
)

// TestRateBudget uses one token on three replicas concurrently: they share one budget with
// Redis, have one each while Redis is down, and share one again afterwards. No request
// fails.
func TestRateBudget(t *testing.T) {
	redis := redistest.New(t)
	in := newInstallation(t, "--database-url", postgrestest.New(t), "--redis-url", redis.URL())
	in.spendsOneBudget(t)

	redis.Stop(t)
	in.spend(t, 30) // lets each replica detect it
	allowed, refilled := in.spend(t, 600)
	if allowed < 3*limit || allowed > 3*(limit+refilled) {
		t.Errorf("without Redis %d requests were allowed, want %d on each replica and at most %d more", allowed, limit, refilled)
	}
	if away := in.sum(t, "imprimatur_redis_unreachable"); away != 3 {
		t.Errorf("%v of 3 replicas report that Redis is down", away)
	}

	redis.Start(t)
	await.Until(t, "Redis is detected again", func() bool { return in.sum(t, "imprimatur_redis_unreachable") == 0 })
	in.spendsOneBudget(t)
}

// TestRedisDownAtStart starts the replicas before Redis.
func TestRedisDownAtStart(t *testing.T) {
	redis := redistest.New(t)
	redis.Stop(t)
	in := newInstallation(t, "--database-url", postgrestest.New(t), "--redis-url", redis.URL())
	in.spend(t, 30)
	redis.Start(t)
	await.Until(t, "Redis is detected", func() bool { return in.sum(t, "imprimatur_redis_unreachable") == 0 })
	in.awaitFeed(t)
	in.spendsOneBudget(t)
}

// limit is the budget per minute.
const limit = 30

// spendsOneBudget checks that the replicas share one budget, apart from refills. Rounds in
// which a replica timed out on Redis and decided alone do not count.
func (in *installation) spendsOneBudget(t *testing.T) {
	t.Helper()
	for range 5 {
		before := in.sum(t, "imprimatur_rate_limit_alone_total")
		allowed, refilled := in.spend(t, 600)
		if in.sum(t, "imprimatur_rate_limit_alone_total") != before {
			t.Log("a replica decided alone: retrying")
			await.Until(t, "Redis is detected again", func() bool { return in.sum(t, "imprimatur_redis_unreachable") == 0 })
			continue
		}
		if allowed < limit || allowed > limit+refilled {
			t.Errorf("%d requests were allowed, want %d and at most %d more", allowed, limit, refilled)
		}
		return
	}
	t.Error("a replica decided alone in each of five rounds")
}

// spend sends requests with a new token to all replicas concurrently, to each as many, also if one is slow. It returns
// how many were allowed, and how many return to one budget in that time.
func (in *installation) spend(t *testing.T, requests int) (allowed, refilled int) {
	t.Helper()
	token, _ := in.token(t, limit)
	var passed atomic.Int64
	began := time.Now()
	var clients sync.WaitGroup
	for _, r := range in.replicas {
		left := new(atomic.Int64)
		left.Store(int64(requests / len(in.replicas)))
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
	return int(passed.Load()), int(time.Since(began)/time.Minute) * limit
}
