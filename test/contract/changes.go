package contract

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"imprimatur/ports"
	"imprimatur/test/await"
)

// Process holds the adapters of one of several processes on one database.
type Process struct {
	Stores  ports.Stores
	Tx      ports.Tx
	Changes ports.Changes

	Concurrent bool // two transactions can write concurrently
}

// Changes checks the ports.Changes of several processes. join returns another process on
// the same database. lose, which may be nil, makes the database unavailable until the
// returned function is called.
func Changes(t *testing.T, join func(t *testing.T) Process, lose func(t *testing.T) (restore func())) {
	a, b := listen(t, join), listen(t, join)
	await.Until(t, "both feeds are live", func() bool { return a.Changes.Live() && b.Changes.Live() })
	w := newFixture(t, a.Stores, a.Tx)
	content := ports.Change{Kind: ports.ChangeContent, ID: w.project.ID}
	await.Until(t, "b received the new project", func() bool { return b.received(content) })
	for round := range 3 {
		receivesOwn(t, w, a)
		receivesOthers(t, w, a, b)
		receivesNothingTwice(t, w, a, b)
		if lose == nil {
			continue
		}
		a.reset()
		b.reset()
		restore := lose(t)
		await.Until(t, "the feeds notice", func() bool { return !a.Changes.Live() && !b.Changes.Live() })
		restore()
		await.Until(t, "the feeds are live again", func() bool { return a.Changes.Live() && b.Changes.Live() })
		if !a.received(everything) || !b.received(everything) {
			t.Errorf("round %d: a feed is live again without ChangeAll", round)
		}
		for _, l := range []*listener{a, b} { // each pool replaces its broken connections one by one
			await.Until(t, "writes succeed again", func() bool { return l.Stores.Projects.Update(t.Context(), w.project) == nil })
		}
	}
	unsubscribes(t, w, a)
}

var everything = ports.Change{Kind: ports.ChangeAll}

// receivesOwn checks that each change has been delivered when the write returns.
func receivesOwn(t *testing.T, w *fixture, a *listener) {
	t.Helper()
	for range 20 {
		a.reset()
		requireNoError(t, w.Projects.Update(t.Context(), w.project))
		for _, want := range []ports.Change{
			{Kind: ports.ChangeSchema, ID: w.project.ID}, {Kind: ports.ChangeContent, ID: w.project.ID}, {Kind: ports.ChangeAccount}, {Kind: ports.ChangeToken},
		} {
			if !a.received(want) {
				t.Fatalf("the writer did not receive its own change %v", want)
			}
		}
	}
}

// receivesOthers checks concurrent writes of two processes: each receives all changes of
// the other, including those of a transaction that began first and committed last.
func receivesOthers(t *testing.T, w *fixture, a, b *listener) {
	t.Helper()
	var late, others [5]*fixture
	for i := range late {
		late[i], others[i] = w.otherProject(t), w.otherProject(t)
	}
	settle(t, w, a, b)
	begun, proceed := make(chan struct{}), make(chan struct{})
	var writers sync.WaitGroup
	if a.Concurrent {
		writers.Go(func() {
			assertNoError(t, a.Tx.Do(t.Context(), adaActor, func(ctx context.Context, s ports.Stores) error {
				for _, l := range late {
					if err := s.Projects.Update(ctx, l.project); err != nil {
						return err
					}
				}
				close(begun)
				<-proceed
				return nil
			}))
		})
		<-begun
	}
	for _, o := range others {
		requireNoError(t, o.Projects.Update(t.Context(), o.project))
	}
	await.Until(t, "b receives the committed changes", func() bool { return b.receivedAll(others[:]) })
	close(proceed)
	writers.Wait()
	if !a.Concurrent {
		for _, l := range late {
			requireNoError(t, l.Projects.Update(t.Context(), l.project))
		}
	}
	await.Until(t, "b receives the changes committed late", func() bool { return b.receivedAll(late[:]) })
	requireNoError(t, b.Stores.Projects.Update(t.Context(), w.project))
	await.Until(t, "a receives the change of b", func() bool { return a.received(ports.Change{Kind: ports.ChangeSchema, ID: w.project.ID}) })
}

func assertNoError(t *testing.T, err error) {
	if err != nil {
		t.Errorf("unexpected error: %v", err)
	}
}

// settle waits until both have received all changes so far, and clears them.
func settle(t *testing.T, w *fixture, a, b *listener) {
	t.Helper()
	last := w.otherProject(t)
	requireNoError(t, b.Stores.Projects.Update(t.Context(), last.project))
	for _, l := range []*listener{a, b} {
		await.Until(t, "all changes are received", func() bool { return l.received(ports.Change{Kind: ports.ChangeSchema, ID: last.project.ID}) })
	}
	a.reset()
	b.reset()
}

// receivesNothingTwice checks that a process does not receive its own changes again from
// the feed. A poll between a commit and the end of its write may cause a few duplicates.
func receivesNothingTwice(t *testing.T, w *fixture, a, b *listener) {
	t.Helper()
	settle(t, w, a, b)
	const writes = 10
	mine := ports.Change{Kind: ports.ChangeSchema, ID: w.project.ID}
	for range writes {
		requireNoError(t, w.Projects.Update(t.Context(), w.project))
	}
	next := w.otherProject(t)
	requireNoError(t, b.Stores.Projects.Update(t.Context(), next.project))
	await.Until(t, "a receives the later change", func() bool { return a.received(ports.Change{Kind: ports.ChangeSchema, ID: next.project.ID}) })
	if n := a.times(mine); n < writes || n > writes+writes/2 {
		t.Errorf("the writer received %d events for %d own changes", n, writes)
	}
}

func unsubscribes(t *testing.T, w *fixture, a *listener) {
	t.Helper()
	var stopped, stayed atomic.Int32
	stop := a.Changes.Subscribe(func(c ports.Change) { stopped.Add(1) })
	stop()
	stop()
	defer a.Changes.Subscribe(func(c ports.Change) {
		if c == (ports.Change{Kind: ports.ChangeSchema, ID: w.project.ID}) {
			stayed.Add(1)
		}
	})()
	requireNoError(t, w.Projects.Update(t.Context(), w.project))
	// A poll between the commit and the end of the write may deliver the change a second time.
	if stopped.Load() != 0 || stayed.Load() < 1 {
		t.Errorf("the removed subscriber received %d changes and the other one %d, want 0 and at least 1", stopped.Load(), stayed.Load())
	}
}

// listener is a process that records the changes it receives.
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

func (l *listener) received(c ports.Change) bool { return l.times(c) > 0 }

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

func (l *listener) receivedAll(fixtures []*fixture) bool {
	return !slices.ContainsFunc(fixtures, func(w *fixture) bool { return !l.received(ports.Change{Kind: ports.ChangeSchema, ID: w.project.ID}) })
}

func (l *listener) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = nil
}
