package approval_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"imprimatur/adapters/memory"
	"imprimatur/test/newsroom"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.steps", "100"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestHistories runs long random histories on the memory stores, in which years pass.
func TestHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		clock := &stoppedClock{now: noon}
		store := memory.NewAt(clock)
		const tick = 40 * 24 * time.Hour
		newsroom.CheckHistory(rt, newsroom.Engine{
			Stores: store.Stores(), Tx: store, Clock: clock, Tick: tick,
			Pass: func(ticks int) { clock.pass(time.Duration(ticks) * tick) },
		})
	})
}
