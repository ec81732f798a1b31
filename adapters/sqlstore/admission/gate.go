// Package admission keeps what is asked of a database within what it can do at once. More at
// the same time would not be done sooner, but would make everybody wait for everybody,
// until those who asked have long gone.
package admission

import (
	"container/list"
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"imprimatur/core"
)

const (
	// patience is how long a visit waits to be let in for the first time.
	patience = 500 * time.Millisecond
	// calm is the longest wait under which all are let in in the order in which they
	// came. When it is exceeded there is more than can be done, and the last to come is
	// the first to be let in: to serve some at once is better than to serve all too late.
	// It is not far from patience: as long as everybody's turn would come in time, nobody
	// is passed over, however slow the machine is.
	calm = 400 * time.Millisecond
	// crowd is how many wait to be let in for the first time before the one who has
	// waited longest is turned away.
	crowd = 1000
)

// Gate has a number of places. A visit, as WithVisit begins it, takes one from its
// first Enter to its last Leave, however often it enters in between; what is no part
// of a visit passes without taking one. A visit may be turned away the first time, and
// never again: what was begun is finished, before anything else is begun.
type Gate struct {
	mu      sync.Mutex
	places  int
	free    int       // when it is not 0, nobody waits
	known   list.List // of *waiter: visits that have been let in before
	fresh   list.List // of *waiter: the others, in the order in which they came
	refused int64
}

// New returns a gate with that many places.
func New(places int) *Gate { return &Gate{places: places, free: places} }

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
	return Load{Places: g.places, Inside: g.places - g.free, Waiting: g.known.Len() + g.fresh.Len(), Refused: g.refused}
}

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
	since time.Time
	turn  chan error // nil: there is a place
	queue *list.List
	entry *list.Element // nil once it has its turn
}

func (g *Gate) admit(ctx context.Context, known bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := g.take(known)
	if w == nil {
		return nil
	}
	var impatience <-chan time.Time
	if !known {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		impatience = timer.C
	}
	select {
	case err := <-w.turn:
		return err
	case <-impatience:
		g.dismiss(w, g.refuse)
		return <-w.turn
	case <-ctx.Done():
		g.dismiss(w, func(w *waiter) { w.end(ctx.Err()) })
		if <-w.turn == nil {
			g.release()
		}
		return ctx.Err()
	}
}

// take takes a place, or else returns who waits for one.
func (g *Gate) take(known bool) *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free > 0 {
		g.free--
		return nil
	}
	w := &waiter{since: time.Now(), turn: make(chan error, 1), queue: &g.known}
	if !known {
		w.queue = &g.fresh
		if g.fresh.Len() >= crowd {
			g.refuse(g.fresh.Front().Value.(*waiter))
		}
	}
	w.entry = w.queue.PushBack(w)
	return w
}

// release gives a place to who is next.
func (g *Gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	next := g.known.Front()
	if next == nil {
		next = g.fresh.Front()
	}
	if next == nil {
		g.free++
		return
	}
	w := next.Value.(*waiter)
	if w.queue == &g.fresh && time.Since(w.since) > calm {
		w = g.fresh.Back().Value.(*waiter)
	}
	w.end(nil)
}

// dismiss has w wait no longer, unless it has its turn already.
func (g *Gate) dismiss(w *waiter, end func(*waiter)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.entry != nil {
		end(w)
	}
}

func (g *Gate) refuse(w *waiter) {
	g.refused++
	w.end(busy())
}

func (w *waiter) end(outcome error) {
	w.queue.Remove(w.entry)
	w.entry = nil
	w.turn <- outcome
}

// busy asks to come back in one to three seconds, not all at the same time.
func busy() error {
	return &core.Error{
		Kind: core.KindUnavailable, Code: "busy", Message: "more is asked than can be done at the moment; try again a little later",
		RetryAfter: time.Duration(1+rand.N(3)) * time.Second,
	}
}
