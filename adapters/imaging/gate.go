package imaging

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"imprimatur/core"
)

// gate lets pictures in, in the order of their coming, as long as neither their
// number nor their memory passes a bound.
type gate struct {
	room     *semaphore.Weighted
	capacity int64
	least    int64 // what each picture counts for, so that the number is bounded
	wait     time.Duration
}

func newGate(concurrent int, memory int64, wait time.Duration) *gate {
	return &gate{semaphore.NewWeighted(memory), memory, max(1, memory/int64(concurrent)), wait}
}

// enter waits for room for a picture that takes that memory; leave gives it back.
func (g *gate) enter(ctx context.Context, memory int64) (leave func(), err error) {
	weight := min(max(memory, g.least), g.capacity)
	waiting, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	if err := g.room.Acquire(waiting, weight); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "too many pictures are in work",
			RetryAfter: 5 * time.Second, Err: err,
		}
	}
	return func() { g.room.Release(weight) }, nil
}
