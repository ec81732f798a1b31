package imaging

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"imprimatur/core"
)

// idleTime is the time without pictures after which free memory is returned to the system.
const idleTime = 2 * time.Second

// budget limits the number and the memory of concurrent pictures. Pictures enter in the
// order of arrival.
type budget struct {
	free     *semaphore.Weighted
	lanes    *semaphore.Weighted // one for each rendition that is made or waits for free memory
	capacity int64
	minimum  int64 // smallest share of a picture, which limits the number of pictures
	wait     time.Duration

	mu      sync.Mutex
	working int
	garbage int64 // bytes that finished pictures left since the last collection
	idle    *time.Timer
}

func newBudget(concurrent int, memory int64, wait time.Duration) *budget {
	b := &budget{free: semaphore.NewWeighted(memory), lanes: semaphore.NewWeighted(int64(concurrent)), capacity: memory, minimum: max(1, memory/int64(concurrent)), wait: wait}
	b.idle = time.AfterFunc(idleTime, b.shrink)
	b.idle.Stop()
	return b
}

// enter waits until memory bytes, at most the capacity, are free. leave frees them.
func (b *budget) enter(ctx context.Context, memory int64) (leave func(), err error) {
	weight := min(max(memory, b.minimum), b.capacity)
	if err := b.acquire(ctx, b.free, weight); err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.working++
	b.idle.Stop()
	b.mu.Unlock()
	return func() {
		b.collect(memory)
		b.free.Release(weight)
	}, nil
}

// enterLane waits for one of the lanes of renditions, which are as many as pictures are processed at
// once. Because the others wait here, an upload never waits for more renditions than that. leave frees
// the lane.
func (b *budget) enterLane(ctx context.Context) (leave func(), err error) {
	if err := b.acquire(ctx, b.lanes, 1); err != nil {
		return nil, err
	}
	return func() { b.lanes.Release(1) }, nil
}

// acquire waits for weight of the semaphore s, up to b.wait.
func (b *budget) acquire(ctx context.Context, s *semaphore.Weighted, weight int64) error {
	waiting, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	err := s.Acquire(waiting, weight)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &core.Error{
		Kind: core.KindUnavailable, Code: "unavailable", Message: "too many pictures are being processed, retry later",
		RetryAfter: 5 * time.Second, Err: err,
	}
}

// collect records the memory of a finished picture as garbage and runs the garbage
// collector when garbage exceeds a quarter of the budget. The collector alone triggers by
// the size of the whole heap, which would let the garbage of several pictures accumulate
// beyond the budget.
func (b *budget) collect(memory int64) {
	b.mu.Lock()
	b.garbage += memory
	due := b.garbage >= b.capacity/4
	if due {
		b.garbage = 0
	}
	if b.working--; b.working == 0 {
		b.idle.Reset(idleTime)
	}
	b.mu.Unlock()
	if due {
		runtime.GC()
	}
}

// shrink returns free memory to the system after a burst of pictures. The runtime alone
// would keep the peak heap for minutes.
func (b *budget) shrink() {
	b.mu.Lock()
	busy := b.working > 0
	b.mu.Unlock()
	if !busy {
		debug.FreeOSMemory()
	}
}
