// Package admission keeps what is asked of a database within what it can do at once. More at
// the same time would not be done sooner, but would make everybody wait for everybody,
// until those who asked have long gone.
package admission

import (
	"container/list"
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"imprimatur/core"
)

const (
	// patience is how long a line may stand still before those in it are turned away.
	patience = 500 * time.Millisecond
	// longest is how long the line may be: who would have to wait longer is turned away
	// at once, and nobody waits in vain.
	longest = 400 * time.Millisecond
	// few may wait for up to slowest: so many clients, each of which asks one thing after
	// the other, are no overload, however slow the machine is, and so many requests that
	// come at the same moment neither.
	few     = 128
	slowest = 3 * time.Second
)

// Gate has a number of places. A visit, as WithVisit begins it, takes one from its
// first Enter to its last Leave, however often it enters in between; what is no part
// of a visit passes without taking one. A visit may be turned away the first time, and
// never again: what was begun is finished, before anything else is begun. The others
// go in in the order in which they came.
type Gate struct {
	mu      sync.Mutex
	places  int
	free    int       // when it is not 0, nobody waits
	known   list.List // of *waiter: visits that have been let in before
	fresh   list.List // of *waiter: the others, in the order in which they came
	pace    pace      // of fresh
	full    atomic.Bool
	refused atomic.Int64
}

// New returns a gate with that many places.
func New(places int) *Gate {
	return &Gate{places: places, free: places, pace: pace{mean: longest / few}}
}

// Load is what is at a gate.
type Load struct {
	Places  int   // how many visits may be inside
	Inside  int   // how many are
	Waiting int   // how many want to be
	Refused int64 // how many have been turned away so far
}

// Load returns what is at the gate now.
func (g *Gate) Load() Load {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Load{Places: g.places, Inside: g.places - g.free, Waiting: g.known.Len() + g.fresh.Len(), Refused: g.refused.Load()}
}

// Full reports whether a visit that came now for the first time would be turned away.
func (g *Gate) Full() bool { return g.full.Load() }

// Enter returns when the visit of ctx has a place, which it keeps until it has left as
// often as it entered. The error, after which there is nothing to leave, is
// core.ErrUnavailable when it was turned away, or that of ctx.
func (g *Gate) Enter(ctx context.Context) error {
	s := stayOf(ctx, g)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inside == 0 {
		if err := g.admit(ctx, s.known); err != nil {
			return err
		}
		s.known = true
	}
	s.inside++
	return nil
}

// Leave ends one Enter of the visit of ctx.
func (g *Gate) Leave(ctx context.Context) {
	s := stayOf(ctx, g)
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inside--; s.inside == 0 {
		g.release()
	}
}

// waiter is somebody who waits for a place.
type waiter struct {
	turn  chan error // nil: there is a place
	queue *list.List
	entry *list.Element // nil once it has its turn
}

func (g *Gate) admit(ctx context.Context, known bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w, err := g.take(known)
	if w == nil {
		return err
	}
	impatience := time.NewTimer(patience)
	defer impatience.Stop()
	for {
		select {
		case err := <-w.turn:
			return err
		case <-impatience.C:
			if again := g.lose(w); again > 0 {
				impatience.Reset(again)
			}
		case <-ctx.Done():
			g.dismiss(w, ctx.Err())
			if <-w.turn == nil {
				g.release()
			}
			return ctx.Err()
		}
	}
}

// take takes a place, or returns who waits for one, or why that is in vain.
func (g *Gate) take(known bool) (*waiter, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free > 0 {
		g.free--
		return nil, nil
	}
	w := &waiter{turn: make(chan error, 1), queue: &g.known}
	if !known {
		if g.full.Load() {
			return nil, g.refuse()
		}
		w.queue = &g.fresh
		if g.fresh.Len() == 0 {
			g.pace.begin()
		}
	}
	w.entry = w.queue.PushBack(w)
	g.measure()
	return w, nil
}

// release gives a place to who is next.
func (g *Gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	next := g.known.Front()
	if next == nil {
		if next = g.fresh.Front(); next != nil {
			g.pace.step()
		}
	}
	if next == nil {
		g.free++
		return
	}
	g.end(next.Value.(*waiter), nil)
}

// dismiss has w wait no longer, unless it has its turn already.
func (g *Gate) dismiss(w *waiter, why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.entry != nil {
		g.end(w, why)
	}
}

// lose turns w away when the line stands still, or returns when to look again: never,
// which is 0, for who has been inside before.
func (g *Gate) lose(w *waiter) (again time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.entry == nil || w.queue == &g.known {
		return 0
	}
	if again = patience - time.Since(g.pace.last); again <= 0 {
		g.end(w, g.refuse())
	}
	return again
}

func (g *Gate) end(w *waiter, outcome error) {
	w.queue.Remove(w.entry)
	w.entry = nil
	w.turn <- outcome
	g.measure()
}

// measure notes whether the line is as long as it may be. Once it is, it has to become
// an eighth shorter: else, each time one is let in, all those that come at that moment
// would see a place in the line.
func (g *Gate) measure() {
	waiting, most := g.fresh.Len(), longest
	if waiting < few {
		most = slowest
	}
	if g.full.Load() {
		most -= most / 8
	}
	g.full.Store(time.Duration(waiting)*g.pace.mean >= most)
}

func (g *Gate) refuse() error {
	g.refused.Add(1)
	return Busy()
}

// pace is how long it takes until the first of a line is let in and the next is the
// first, as it was of late.
type pace struct {
	mean time.Duration
	last time.Time
}

// sample is how many steps the mean is about.
const sample = 64

// begin says that the line begins.
func (p *pace) begin() { p.last = time.Now() }

// step says that the first is let in.
func (p *pace) step() {
	now := time.Now()
	p.mean += (min(now.Sub(p.last), patience) - p.mean) / sample
	p.last = now
}

// Busy returns the error of who is turned away. It asks to come back in one to three
// seconds, not all at the same time.
func Busy() error {
	return &core.Error{
		Kind: core.KindUnavailable, Code: "busy", Message: "more is asked than can be done at the moment; try again a little later",
		RetryAfter: time.Duration(1+rand.N(3)) * time.Second,
	}
}
