package admission

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/core"
)

// guest is a visit that tells what became of it.
type guest struct {
	ctx     context.Context
	entered chan error
}

// come has a new visit enter.
func come(ctx context.Context, g *Gate) *guest {
	v := &guest{ctx: WithVisit(ctx), entered: make(chan error, 1)}
	v.enter(g)
	return v
}

func (v *guest) enter(g *Gate) {
	go func() { v.entered <- g.Enter(v.ctx) }()
	synctest.Wait()
}

// inside reports whether the last enter has led inside.
func (v *guest) inside() bool {
	synctest.Wait()
	select {
	case err := <-v.entered:
		return err == nil
	default:
		return false
	}
}

func (v *guest) turnedAway(t *testing.T) bool {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-v.entered:
		var refusal *core.Error
		if err != nil && (!errors.As(err, &refusal) || refusal.Kind != core.KindUnavailable || refusal.RetryAfter < time.Second || refusal.RetryAfter > 3*time.Second) {
			t.Errorf("turned away with %v", err)
		}
		return err != nil
	default:
		return false
	}
}

func wantLoad(t *testing.T, g *Gate, want Load) {
	t.Helper()
	want.Places = g.places
	if got := g.Load(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestAPlaceIsTakenUntilTheLastLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		first := come(t.Context(), g)
		first.enter(g)
		second := come(t.Context(), g)
		if once, twice := first.inside(), first.inside(); !once || !twice || second.inside() {
			t.Fatal("the first alone has the place, twice")
		}
		g.Leave(first.ctx)
		if second.inside() {
			t.Error("the first had entered twice")
		}
		g.Leave(first.ctx)
		if !second.inside() {
			t.Error("the place was not given on")
		}
		wantLoad(t, g, Load{Inside: 1})
		g.Leave(second.ctx)
		wantLoad(t, g, Load{})
	})
}

func TestWhatIsNoVisitPasses(t *testing.T) {
	t.Parallel()
	g := New(0)
	if err := g.Enter(t.Context()); err != nil {
		t.Error(err)
	}
	g.Leave(t.Context())
	wantLoad(t, g, Load{})
}

func TestGatesAreApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, h := New(1), New(1)
		first, second := come(t.Context(), g), come(t.Context(), h)
		first.enter(h)
		if !first.inside() || !second.inside() || first.inside() {
			t.Error("each has its own gate's place, and none the other's")
		}
		g.Leave(first.ctx)
		h.Leave(second.ctx)
		if !first.inside() {
			t.Error("the place at the second gate was not given on")
		}
	})
}

func TestTheFirstToComeIsTheFirstInside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		inside := come(t.Context(), g)
		waiting := []*guest{come(t.Context(), g), come(t.Context(), g), come(t.Context(), g)}
		time.Sleep(patience - time.Millisecond)
		for i, w := range waiting {
			g.Leave(inside.ctx)
			if !w.inside() {
				t.Fatalf("it was the turn of %d", i)
			}
			inside = w
		}
	})
}

// Who stands in a line that moves, however slowly, has a turn.
func TestALineThatMovesIsWaitedIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		inside := come(t.Context(), g)
		var waiting []*guest
		for range 10 {
			waiting = append(waiting, come(t.Context(), g))
		}
		for i, w := range waiting {
			time.Sleep(patience - time.Millisecond)
			g.Leave(inside.ctx)
			if !w.inside() {
				t.Fatalf("it was the turn of %d", i)
			}
			inside = w
		}
		wantLoad(t, g, Load{Inside: 1})
	})
}

func TestWhoWaitsTooLongIsTurnedAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		inside := come(t.Context(), g)
		waiting := come(t.Context(), g)
		time.Sleep(patience - time.Millisecond)
		if waiting.turnedAway(t) {
			t.Fatal("turned away too early")
		}
		time.Sleep(time.Millisecond)
		if !waiting.turnedAway(t) {
			t.Fatal("not turned away")
		}
		wantLoad(t, g, Load{Inside: 1, Refused: 1})
		g.Leave(inside.ctx)
		waiting.enter(g)
		if !waiting.inside() {
			t.Error("whoever was turned away may come again")
		}
	})
}

// Who has been inside is not turned away later, and goes before those who have not.
func TestWhatWasBegunIsFinished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		first := come(t.Context(), g)
		g.Leave(first.ctx)
		second := come(t.Context(), g)
		if !first.inside() || !second.inside() {
			t.Fatal("one after the other is inside")
		}
		fresh := come(t.Context(), g)
		first.enter(g)
		time.Sleep(10 * patience)
		if !fresh.turnedAway(t) || first.turnedAway(t) {
			t.Fatal("only who has never been inside is turned away")
		}
		fresh = come(t.Context(), g)
		g.Leave(second.ctx)
		if fresh.inside() || !first.inside() {
			t.Error("who has been inside goes first")
		}
		g.Leave(first.ctx)
	})
}

// Few may wait however slow it is; and more, as many as get their turn in time at the
// pace at which the line has moved of late.
func TestALineIsNoLongerThanCanBeServed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		each time.Duration // is inside for so long
		most int           // wait
	}{
		"as it begins": {0, few},
		"fast":         {time.Millisecond, int(longest / time.Millisecond)},
		"slow":         {20 * time.Millisecond, few},
		"very slow":    {100 * time.Millisecond, int(slowest / (100 * time.Millisecond))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := New(1)
				inside := come(t.Context(), g)
				if c.each > 0 {
					inside = pass(t, g, inside, c.each)
				}
				var waiting []*guest
				for !g.Full() {
					waiting = append(waiting, come(t.Context(), g))
				}
				if len(waiting) < c.most || len(waiting) > c.most+c.most/10 {
					t.Errorf("%d wait, and not about %d", len(waiting), c.most)
				}
				if !come(t.Context(), g).turnedAway(t) || waiting[0].turnedAway(t) {
					t.Error("the last alone is turned away")
				}
				wantLoad(t, g, Load{Inside: 1, Waiting: len(waiting), Refused: 1})
				time.Sleep(patience)
				g.Leave(inside.ctx)
			})
		})
	}
}

// pass has so many visits come one behind the other that the gate knows its pace, each
// of which stays for a time, and returns the last, which is inside.
func pass(t *testing.T, g *Gate, inside *guest, each time.Duration) *guest {
	for range 10 * sample {
		next := come(t.Context(), g)
		time.Sleep(each)
		g.Leave(inside.ctx)
		if inside = next; !inside.inside() {
			t.Fatal("the only one who waits is let in")
		}
	}
	return inside
}

// A line that was too long takes nobody until it is shorter by an eighth.
func TestALineThatWasTooLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		inside := pass(t, g, come(t.Context(), g), time.Millisecond)
		var waiting []*guest
		for !g.Full() {
			waiting = append(waiting, come(t.Context(), g))
		}
		left := 0
		for g.Full() {
			time.Sleep(time.Millisecond)
			g.Leave(inside.ctx)
			inside = waiting[left]
			left++
		}
		if eighth := len(waiting) / 8; left < eighth-1 || left > eighth+2 {
			t.Errorf("open again after %d of %d", left, len(waiting))
		}
		if last := come(t.Context(), g); last.turnedAway(t) {
			t.Error("turned away from a line that is short enough")
		}
		time.Sleep(patience)
	})
}

func TestWhoGivesUpTakesNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		inside := come(t.Context(), g)
		ctx, cancel := context.WithCancel(t.Context())
		waiting := come(ctx, g)
		cancel()
		synctest.Wait()
		if err := <-waiting.entered; !errors.Is(err, context.Canceled) {
			t.Errorf("given up with %v", err)
		}
		g.Leave(inside.ctx)
		if err := g.Enter(waiting.ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("entered after giving up: %v", err)
		}
		wantLoad(t, g, Load{})
	})
}

// Many visits, some of which give up, never take more places than there are, and leave
// all of them free.
func TestPlacesAreNeitherLostNorMade(t *testing.T) {
	t.Parallel()
	const places = 3
	g := New(places)
	var visits sync.WaitGroup
	for i := range 200 {
		visits.Go(func() {
			ctx, cancel := context.WithCancel(WithVisit(t.Context()))
			defer cancel()
			if i%3 == 0 {
				go cancel()
			}
			for range 20 {
				if g.Enter(ctx) != nil {
					continue
				}
				var parts sync.WaitGroup
				for range 2 {
					parts.Go(func() {
						if g.Enter(ctx) == nil {
							defer g.Leave(ctx)
						}
						if inside := g.Load().Inside; inside > places {
							t.Errorf("%d are inside", inside)
						}
					})
				}
				parts.Wait()
				g.Leave(ctx)
			}
		})
	}
	visits.Wait()
	if got := g.Load(); got.Inside != 0 || got.Waiting != 0 {
		t.Errorf("in the end %+v", got)
	}
}

func BenchmarkEnter(b *testing.B) {
	b.ReportAllocs()
	g := New(4)
	for b.Loop() {
		ctx := WithVisit(b.Context())
		if err := g.Enter(ctx); err != nil {
			b.Fatal(err)
		}
		g.Leave(ctx)
	}
}
