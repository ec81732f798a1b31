package cache

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"imprimatur/adapters/changefeed"
	"imprimatur/ports"
)

// told is an answer that takes as many bytes as it says.
type told struct {
	text string
	size int
}

func (a told) Size() int { return a.size }

// shelf is a cache of reads over one stored text.
type shelf struct {
	*Reads
	changes *switchedFeed
	clock   *manualClock
	stored  atomic.Value // string
	size    int
	loads   atomic.Int64
}

const project = 7

func newShelf(t *testing.T, bound int64) *shelf {
	t.Helper()
	s := &shelf{changes: &switchedFeed{Local: changefeed.NewLocal()}, clock: &manualClock{}, size: 100}
	s.changes.live.Store(true)
	s.stored.Store("first")
	s.Reads = newReads(bound, s.changes, s.clock)
	return s
}

// read reads the stored text under a query, as the readers do.
func (s *shelf) read(ctx context.Context, query string) (string, error) {
	load := func(context.Context) (ports.Sized, error) {
		s.loads.Add(1)
		return told{s.stored.Load().(string), s.size}, nil
	}
	key := ports.ReadKey{ProjectID: project, Epoch: s.Epoch(project), Query: query}
	var found ports.Sized
	var err error
	if key.Epoch == 0 {
		found, err = load(ctx)
	} else {
		found, err = s.Read(ctx, key, load)
	}
	if err != nil {
		return "", err
	}
	return found.(told).text, nil
}

func TestReadsAreRememberedUntilTheirProjectChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		change ports.Change
		seen   bool
	}{
		{ports.Change{Kind: ports.ChangeContent, ID: project}, true},
		{ports.Change{Kind: ports.ChangeSchema, ID: project}, true},
		{ports.Change{Kind: ports.ChangeAll}, true},
		{ports.Change{Kind: ports.ChangeContent, ID: project + counters}, true}, // they share a counter
		{ports.Change{Kind: ports.ChangeContent, ID: project + 1}, false},
		{ports.Change{Kind: ports.ChangeToken, ID: project}, false},
		{ports.Change{Kind: ports.ChangeAccount, ID: project}, false},
	} {
		t.Run(string(test.change.Kind)+strconv.FormatInt(test.change.ID, 10), func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, 1<<20)
			read := func() string { return must[string](t)(s.read(t.Context(), "query")) }
			read()
			s.stored.Store("second")
			if got := read(); got != "first" {
				t.Fatalf("%q was read again, although nothing was announced", got)
			}
			s.changes.Publish(test.change)
			if got := read(); (got == "second") != test.seen {
				t.Errorf("after the announcement %q", got)
			}
		})
	}
}

// Without the changes of other processes nothing is remembered, and when they are back,
// nothing of before.
func TestReadsWithoutAFeed(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 1<<20)
	read := func() string { return must[string](t)(s.read(t.Context(), "query")) }
	read()
	s.changes.live.Store(false)
	s.stored.Store("second")
	if got := read(); got != "second" {
		t.Errorf("while nothing is heard %q", got)
	}
	s.stored.Store("third")
	if got := read(); got != "third" {
		t.Errorf("while nothing is heard %q", got)
	}
	s.changes.Publish(ports.Change{Kind: ports.ChangeAll})
	s.changes.live.Store(true)
	if got := read(); got != "third" {
		t.Errorf("when changes are heard again %q", got)
	}
}

func TestReadsAreNotKeptForEver(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 1<<20)
	read := func() string { return must[string](t)(s.read(t.Context(), "query")) }
	read()
	s.stored.Store("second")
	s.clock.pass(6 * time.Second)
	if got := read(); got != "first" {
		t.Errorf("after six seconds %q", got)
	}
	s.clock.pass(5 * time.Second) // reading did not make it younger
	if got := read(); got != "second" {
		t.Errorf("after eleven seconds %q", got)
	}
}

// What was read while something changed, or while the feed was lost, is for those who
// waited for it alone.
func TestAReadThatAChangeOvertakesIsNotRemembered(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*shelf){
		"change": func(s *shelf) {
			s.changes.Publish(ports.Change{Kind: ports.ChangeContent, ID: project})
		},
		"feed lost":  func(s *shelf) { s.changes.live.Store(false) },
		"feed blink": func(s *shelf) { s.changes.Publish(ports.Change{Kind: ports.ChangeAll}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, 1<<20)
			key := ports.ReadKey{ProjectID: project, Epoch: s.Epoch(project), Query: "query"}
			found, err := s.Read(t.Context(), key, func(context.Context) (ports.Sized, error) {
				before := told{"first", 5}
				s.stored.Store("second")
				meanwhile(s)
				return before, nil
			})
			if err != nil || found.(told).text != "first" {
				t.Fatalf("Read = %v, %v", found, err)
			}
			if got := must[string](t)(s.read(t.Context(), "query")); got != "second" {
				t.Errorf("afterwards %q", got)
			}
			if _, kept := s.cache.GetIfPresent(key); kept {
				t.Error("the overtaken answer takes memory")
			}
		})
	}
}

func TestReadsKeepToTheirBound(t *testing.T) {
	t.Parallel()
	const bound = 100_000
	s := newShelf(t, bound)
	s.size = 1000
	for i := range 1000 {
		if _, err := s.read(t.Context(), strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	s.cache.CleanUp()
	if size := s.Size(); size > bound || size < bound/2 {
		t.Errorf("%d bytes are kept, of at most %d", size, bound)
	}
	s.size = maxResponse + 1
	before := s.loads.Load()
	for range 2 {
		if _, err := s.read(t.Context(), "large"); err != nil {
			t.Fatal(err)
		}
	}
	if s.loads.Load() != before+2 {
		t.Error("a large answer was remembered")
	}
	none := newShelf(t, 0)
	if none.Epoch(project) != 0 {
		t.Error("without room answers are remembered")
	}
}

func TestKeysOfDifferentKindsDoNotMeet(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 1<<20)
	for _, kind := range []ports.ReadKind{ports.ReadContent, ports.ReadGraphQL} {
		want := strconv.Itoa(int(kind))
		found, err := s.Read(t.Context(), ports.ReadKey{Kind: kind, ProjectID: project, Epoch: 1, Query: "query"},
			func(context.Context) (ports.Sized, error) { return told{want, 1}, nil })
		if err != nil || found.(told).text != want {
			t.Errorf("Read = %v, %v; want %s", found, err, want)
		}
	}
}

// Errors are not remembered, and who gives up spoils it for nobody else.
func TestOneWhoGivesUpSpoilsItForNobody(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 1<<20)
	key := ports.ReadKey{ProjectID: project, Epoch: s.Epoch(project), Query: "query"}
	began := make(chan struct{})
	load := func(ctx context.Context) (ports.Sized, error) {
		if s.loads.Add(1) == 1 {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return told{"first", 5}, nil
	}
	impatient, giveUp := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := s.Read(impatient, key, load); !errors.Is(err, context.Canceled) {
			t.Errorf("who gave up was answered %v", err)
		}
	})
	<-began
	for range 8 {
		running.Go(func() {
			if found, err := s.Read(t.Context(), key, load); err != nil || found.(told).text != "first" {
				t.Errorf("who waited was answered %v, %v", found, err)
			}
		})
	}
	giveUp()
	running.Wait()
	if hits, misses := s.Hits(), s.Misses(); hits+misses != 9 || misses < 1 {
		t.Errorf("%d hits and %d misses", hits, misses)
	}
}

// Writers change the text and announce it while readers read: whoever announced a
// change, or heard of it, sees that one or a later one from then on.
func TestReadsAreNeverStaleToTheWriter(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 1<<20)
	var version atomic.Int64
	s.stored.Store("0")
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for range 500 {
				query := strconv.Itoa(rand.IntN(3))
				known := version.Load()
				text, err := s.read(t.Context(), query)
				if seen, _ := strconv.ParseInt(text, 10, 64); err != nil || seen < known {
					t.Errorf("read %q, %v after %d was announced", text, err, known)
				}
			}
		})
	}
	running.Go(func() {
		for n := range int64(500) {
			s.stored.Store(strconv.FormatInt(n, 10))
			s.changes.Publish(ports.Change{Kind: ports.ChangeContent, ID: project})
			version.Store(n)
		}
	})
	running.Wait()
}

func BenchmarkReadsHit(b *testing.B) {
	feed := &switchedFeed{Local: changefeed.NewLocal()}
	feed.live.Store(true)
	reads := NewReads(1<<20, feed)
	query := string(make([]byte, 200))
	b.ReportAllocs()
	for b.Loop() {
		key := ports.ReadKey{ProjectID: project, Epoch: reads.Epoch(project), Query: query}
		_, _ = reads.Read(b.Context(), key, func(context.Context) (ports.Sized, error) { return told{"x", 1}, nil })
	}
}
