package admission

import (
	"testing"
	"testing/synctest"
	"time"
)

// fill has so many visits come that the gate is full.
func fill(t *testing.T, g *Gate) (inside *guest) {
	inside = come(t.Context(), g)
	for !g.Full() {
		come(t.Context(), g)
	}
	return inside
}

// Where all come to the gate, of many no more are let on in vain than are served, twice.
func TestAThrottleSparesAFullGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		throttle := NewThrottle(g)
		for range 1000 {
			if !throttle.Admit() {
				t.Fatal("turned away from a gate that is not full")
			}
		}
		inside := fill(t, g)
		vain := func() (let int) {
			for range 10_000 {
				if throttle.Admit() {
					let++
					if !come(t.Context(), g).turnedAway(t) {
						t.Fatal("the gate was full")
					}
				}
			}
			return let
		}
		if let := vain(); let > mostCredit || let < mostCredit-wasted {
			t.Errorf("%d are let on as it begins, not %d", let, mostCredit)
		}
		if let := vain(); let != 0 {
			t.Errorf("%d are let on when nobody is served", let)
		}
		time.Sleep(patience) // the line has given up
		const served = 30
		for range served {
			if !throttle.Admit() {
				t.Fatal("turned away from a gate that is full no more")
			}
		}
		time.Sleep(patience)
		g.Leave(inside.ctx)
		fill(t, g)
		if let := vain(); let > wasted*served {
			t.Errorf("%d are let on when %d were served", let, served)
		}
		time.Sleep(patience)
	})
}

// Where most never come to the gate, all are let on, however full it is.
func TestAThrottleSparesWhoNeedsNoGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		throttle := NewThrottle(g)
		fill(t, g)
		for i := range 10_000 {
			if !throttle.Admit() {
				t.Fatalf("turned away as number %d", i)
			}
			if i%3 > 0 && !come(t.Context(), g).turnedAway(t) {
				t.Fatal("the gate was full")
			}
		}
		time.Sleep(patience)
	})
}

func BenchmarkAdmit(b *testing.B) {
	b.ReportAllocs()
	throttle := NewThrottle(New(1))
	for b.Loop() {
		throttle.Admit()
	}
}
