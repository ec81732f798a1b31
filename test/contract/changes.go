package contract

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"imprimatur/ports"
)

// Process is what one of several processes on one database has.
type Process struct {
	Stores  ports.Stores
	Tx      ports.Tx
	Changes ports.Changes

	Concurrent bool // two transactions can write at once
}

// Changes checks the ports.Changes of several processes. join returns one more process on
// one database; lose, which may be nil, keeps the database from all of them until the
// function that it returns is called.
func Changes(t *testing.T, join func(t *testing.T) Process, lose func(t *testing.T) (restore func())) {
	a, b := listen(t, join), listen(t, join)
	await(t, "both feeds are live", func() bool { return a.Changes.Live() && b.Changes.Live() })
	w := newWorld(t, a.Stores, a.Tx)
	content := ports.Change{Kind: ports.ChangeContent, ID: w.project.ID}
	await(t, "b has heard of the project", func() bool { return b.heard(content) })
	for turn := range 3 {
		hearsOwn(t, w, a)
		hearsOthers(t, w, a, b)
		hearsNothingTwice(t, w, a, b)
		if lose == nil {
			continue
		}
		a.forget()
		b.forget()
		restore := lose(t)
		await(t, "the feeds notice", func() bool { return !a.Changes.Live() && !b.Changes.Live() })
		restore()
		await(t, "the feeds are live again", func() bool { return a.Changes.Live() && b.Changes.Live() })
		if !a.heard(everything) || !b.heard(everything) {
			t.Errorf("turn %d: a feed is live again, and nothing was dropped", turn)
		}
		for _, l := range []*listener{a, b} { // each finds its broken connections one by one
			await(t, "the database is written to again", func() bool { return l.Stores.Projects.Update(t.Context(), w.project) == nil })
		}
	}
	stopsTelling(t, w, a)
}

var everything = ports.Change{Kind: ports.ChangeAll}

// hearsOwn wants each change to have arrived when the write returns.
func hearsOwn(t *testing.T, w *world, a *listener) {
	t.Helper()
	for range 20 {
		a.forget()
		succeed(t, w.Projects.Update(t.Context(), w.project))
		for _, want := range []ports.Change{
			{Kind: ports.ChangeSchema, ID: w.project.ID}, {Kind: ports.ChangeContent, ID: w.project.ID}, {Kind: ports.ChangeAccount}, {Kind: ports.ChangeToken},
		} {
			if !a.heard(want) {
				t.Fatalf("the writer did not hear of its own change %v", want)
			}
		}
	}
}

// hearsOthers has both write side by side: each hears of all that the other has written,
// also of what was begun first and committed last.
func hearsOthers(t *testing.T, w *world, a, b *listener) {
	t.Helper()
	var late, others [5]*world
	for i := range late {
		late[i], others[i] = w.beside(t), w.beside(t)
	}
	settle(t, w, a, b)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var writers sync.WaitGroup
	if a.Concurrent {
		writers.Go(func() {
			succeedLater(t, a.Tx.Do(t.Context(), adaActor, func(ctx context.Context, s ports.Stores) error {
				for _, l := range late {
					if err := s.Projects.Update(ctx, l.project); err != nil {
						return err
					}
				}
				close(begun)
				<-goOn
				return nil
			}))
		})
		<-begun
	}
	for _, o := range others {
		succeed(t, o.Projects.Update(t.Context(), o.project))
	}
	await(t, "b hears of what was committed", func() bool { return b.heardAll(others[:]) })
	close(goOn)
	writers.Wait()
	if !a.Concurrent {
		for _, l := range late {
			succeed(t, l.Projects.Update(t.Context(), l.project))
		}
	}
	await(t, "b hears of what was committed late", func() bool { return b.heardAll(late[:]) })
	succeed(t, b.Stores.Projects.Update(t.Context(), w.project))
	await(t, "a hears of what b has written", func() bool { return a.heard(ports.Change{Kind: ports.ChangeSchema, ID: w.project.ID}) })
}

func succeedLater(t *testing.T, err error) {
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
}

// settle waits until both have heard of everything so far, and forgets it.
func settle(t *testing.T, w *world, a, b *listener) {
	t.Helper()
	last := w.beside(t)
	succeed(t, b.Stores.Projects.Update(t.Context(), last.project))
	for _, l := range []*listener{a, b} {
		await(t, "everything is heard", func() bool { return l.heard(ports.Change{Kind: ports.ChangeSchema, ID: last.project.ID}) })
	}
	a.forget()
	b.forget()
}

// hearsNothingTwice wants what a process has heard of its own writes not to arrive again,
// but for a look that falls between a commit and the end of the write.
func hearsNothingTwice(t *testing.T, w *world, a, b *listener) {
	t.Helper()
	settle(t, w, a, b)
	const writes = 10
	mine := ports.Change{Kind: ports.ChangeSchema, ID: w.project.ID}
	for range writes {
		succeed(t, w.Projects.Update(t.Context(), w.project))
	}
	next := w.beside(t)
	succeed(t, b.Stores.Projects.Update(t.Context(), next.project))
	await(t, "a hears of what came after", func() bool { return a.heard(ports.Change{Kind: ports.ChangeSchema, ID: next.project.ID}) })
	if n := a.times(mine); n < writes || n > writes+writes/2 {
		t.Errorf("the writer heard %d times of %d changes of its own", n, writes)
	}
}

func stopsTelling(t *testing.T, w *world, a *listener) {
	t.Helper()
	stopped, stayed := 0, 0
	stop := a.Changes.Subscribe(func(c ports.Change) { stopped++ })
	stop()
	stop()
	defer a.Changes.Subscribe(func(c ports.Change) {
		if c == (ports.Change{Kind: ports.ChangeSchema, ID: w.project.ID}) {
			stayed++
		}
	})()
	succeed(t, w.Projects.Update(t.Context(), w.project))
	same(t, []int{stopped, stayed}, []int{0, 1})
}

// listener is a process with what it has heard.
type listener struct {
	Process
	mu   sync.Mutex
	seen []ports.Change
}

func listen(t *testing.T, join func(t *testing.T) Process) *listener {
	t.Helper()
	l := &listener{Process: join(t)}
	t.Cleanup(l.Changes.Subscribe(func(c ports.Change) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.seen = append(l.seen, c)
	}))
	return l
}

func (l *listener) heard(c ports.Change) bool { return l.times(c) > 0 }

func (l *listener) times(c ports.Change) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, seen := range l.seen {
		if seen == c {
			n++
		}
	}
	return n
}

func (l *listener) heardAll(worlds []*world) bool {
	return !slices.ContainsFunc(worlds, func(w *world) bool { return !l.heard(ports.Change{Kind: ports.ChangeSchema, ID: w.project.ID}) })
}

func (l *listener) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = nil
}

// await polls until done. It gives up after a time that only a fault takes.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waiting in vain: %s", what)
		}
	}
}
