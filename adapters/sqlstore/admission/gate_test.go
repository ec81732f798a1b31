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

// The first to come is the first inside, as long as none has waited too long.
func TestTheOrderOfCalm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wait  time.Duration
		first int
	}{"calm": {calm, 0}, "crowded": {calm + time.Millisecond, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := New(1)
				inside := come(t.Context(), g)
				waiting := []*guest{come(t.Context(), g), come(t.Context(), g), come(t.Context(), g)}
				time.Sleep(c.wait)
				g.Leave(inside.ctx)
				for i, w := range waiting {
					if w.inside() != (i == c.first) {
						t.Errorf("the wrong one is inside: %d", i)
					}
				}
				time.Sleep(patience)
			})
		})
	}
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

func TestACrowdLosesWhoHasWaitedLongest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(1)
		come(t.Context(), g)
		waiting := make([]*guest, crowd)
		for i := range waiting {
			waiting[i] = come(t.Context(), g)
		}
		last := come(t.Context(), g)
		if !waiting[0].turnedAway(t) || waiting[1].turnedAway(t) || last.turnedAway(t) {
			t.Error("the first, and only the first, is turned away")
		}
		wantLoad(t, g, Load{Inside: 1, Waiting: crowd, Refused: 1})
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
