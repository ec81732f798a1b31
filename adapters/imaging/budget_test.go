package imaging

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

func TestBudgetBoundsNumberAndMemory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		memory        int64
		want, present int64 // maximum concurrency, maximum memory
	}{
		{"small pictures are limited by number", 1, 4, 4},
		{"large pictures are limited by memory", 50, 2, 100},
		{"a picture larger than the budget runs alone", 500, 1, 500},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newBudget(4, 100, time.Minute)
			var inside, most atomic.Int64
			var group sync.WaitGroup
			for range 40 {
				group.Go(func() {
					leave, err := g.enter(context.Background(), c.memory)
					if err != nil {
						t.Error(err)
						return
					}
					now := inside.Add(1)
					for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
					}
					time.Sleep(time.Millisecond) // others try to enter meanwhile
					inside.Add(-1)
					leave()
				})
			}
			group.Wait()
			require.LessOrEqual(t, most.Load(), c.want)
			require.LessOrEqual(t, most.Load()*c.memory, c.present)
		})
	}
}

func TestBudgetWaitLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newBudget(1, 100, time.Second)
		leave, err := g.enter(t.Context(), 1)
		require.NoError(t, err)
		_, err = g.enter(t.Context(), 1)
		require.ErrorIs(t, err, core.ErrUnavailable)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = g.enter(ctx, 1)
		require.ErrorIs(t, err, context.Canceled)

		leave()
		leave, err = g.enter(t.Context(), 1)
		require.NoError(t, err)
		leave()
	})
}

// Concurrent conversions succeed with equal results.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	m := New(Options{Concurrent: 2, Memory: 32 << 20})
	file := asJPEG(t, noisy(400, 300))
	want, err := m.Renditions(t.Context(), bytes.NewReader(file), "image/jpeg")
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			got, err := m.Renditions(context.Background(), bytes.NewReader(file), "image/jpeg")
			if err != nil || !bytes.Equal(want.FullWebP.Bytes, got.FullWebP.Bytes) || !bytes.Equal(want.Thumb.Bytes, got.Thumb.Bytes) {
				t.Error("a different picture", err)
			}
		})
	}
	group.Wait()
}
