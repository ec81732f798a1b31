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

// idleTime is how long no picture is in work before free memory goes back to the
// system.
const idleTime = 2 * time.Second

// budget bounds the number and the memory of all pictures in work. Pictures enter in
// the order of their arrival.
type budget struct {
	room     *semaphore.Weighted
	capacity int64
	least    int64 // what each picture counts for, so that the number is bounded
	wait     time.Duration

	mu      sync.Mutex
	working int
	garbage int64 // bytes that finished pictures left since the last collection
	idle    *time.Timer
}

func newBudget(concurrent int, memory int64, wait time.Duration) *budget {
	b := &budget{room: semaphore.NewWeighted(memory), capacity: memory, least: max(1, memory/int64(concurrent)), wait: wait}
	b.idle = time.AfterFunc(idleTime, b.shrink)
	b.idle.Stop()
	return b
}

// enter waits for room for a picture that takes so much memory, at most the capacity.
// leave gives the room back.
func (b *budget) enter(ctx context.Context, memory int64) (leave func(), err error) {
	weight := min(max(memory, b.least), b.capacity)
	waiting, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	if err := b.room.Acquire(waiting, weight); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "too many pictures are in work",
			RetryAfter: 5 * time.Second, Err: err,
		}
	}
	b.mu.Lock()
	b.working++
	b.idle.Stop()
	b.mu.Unlock()
	return func() {
		b.collect(memory)
		b.room.Release(weight)
	}, nil
}

// collect takes a picture out of work. Its memory is garbage then. The collector runs
// by the size of the whole heap, which would let several pictures pile up beside those
// that the budget allows, so it runs here once they are a quarter of the budget.
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

// shrink returns free memory to the system at once after a burst of pictures. The
// runtime by itself keeps as much as the heap had at its largest for minutes.
func (b *budget) shrink() {
	b.mu.Lock()
	busy := b.working > 0
	b.mu.Unlock()
	if !busy {
		debug.FreeOSMemory()
	}
}
