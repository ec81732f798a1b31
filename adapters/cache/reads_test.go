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

// sizedText is a text with an explicit size.
type sizedText struct {
	text string
	size int
}

func (a sizedText) Size() int { return a.size }

// textCache is a cache of reads over one stored text.
type textCache struct {
	*Reads
	changes *switchedFeed
	clock   *manualClock
	stored  atomic.Value // string
	size    int
	loads   atomic.Int64
}

const project = 7

func newTextCache(t *testing.T, bound int64) *textCache {
	t.Helper()
	s := &textCache{changes: &switchedFeed{Local: changefeed.NewLocal()}, clock: &manualClock{}, size: 100}
	s.changes.live.Store(true)
	s.stored.Store("first")
	s.Reads = newReads(bound, s.changes, s.clock)
	return s
}

// read reads the stored text through the cache, with query as the key.
func (s *textCache) read(ctx context.Context, query string) (string, error) {
	load := func(context.Context) (ports.Sized, error) {
		s.loads.Add(1)
		return sizedText{s.stored.Load().(string), s.size}, nil
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
	return found.(sizedText).text, nil
}

func TestReadsAreCachedUntilTheirProjectChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		change ports.Change
		seen   bool
	}{
		{ports.Change{Kind: ports.ChangeContent, ID: project}, true},
		{ports.Change{Kind: ports.ChangeSchema, ID: project}, true},
		{ports.Change{Kind: ports.ChangeAll}, true},
		{ports.Change{Kind: ports.ChangeContent, ID: project + counters}, true}, // shares a counter
		{ports.Change{Kind: ports.ChangeContent, ID: project + 1}, false},
		{ports.Change{Kind: ports.ChangeToken, ID: project}, false},
		{ports.Change{Kind: ports.ChangeAccount, ID: project}, false},
	} {
		t.Run(string(test.change.Kind)+strconv.FormatInt(test.change.ID, 10), func(t *testing.T) {
			t.Parallel()
			s := newTextCache(t, 1<<20)
			read := func() string { return must[string](t)(s.read(t.Context(), "query")) }
			read()
			s.stored.Store("second")
			if got := read(); got != "first" {
				t.Fatalf("%q was read again without an announcement", got)
			}
			s.changes.Publish(test.change)
			if got := read(); (got == "second") != test.seen {
				t.Errorf("after the announcement %q", got)
			}
		})
	}
}

// Without a live feed nothing is cached, and when it is live again, earlier entries are not
// used.
func TestReadsWithoutAFeed(t *testing.T) {
	t.Parallel()
	s := newTextCache(t, 1<<20)
	read := func() string { return must[string](t)(s.read(t.Context(), "query")) }
	read()
	s.changes.live.Store(false)
	s.stored.Store("second")
	if got := read(); got != "second" {
		t.Errorf("without a live feed %q", got)
	}
	s.stored.Store("third")
	if got := read(); got != "third" {
		t.Errorf("without a live feed %q", got)
	}
	s.changes.Publish(ports.Change{Kind: ports.ChangeAll})
	s.changes.live.Store(true)
	if got := read(); got != "third" {
		t.Errorf("with a live feed again %q", got)
	}
}

func TestReadsExpire(t *testing.T) {
	t.Parallel()
	s := newTextCache(t, 1<<20)
	read := func() string { return must[string](t)(s.read(t.Context(), "query")) }
	read()
	s.stored.Store("second")
	s.clock.pass(6 * time.Second)
	if got := read(); got != "first" {
		t.Errorf("after six seconds %q", got)
	}
	s.clock.pass(5 * time.Second) // reading does not extend the expiry
	if got := read(); got != "second" {
		t.Errorf("after eleven seconds %q", got)
	}
}

// A value read during a change, or while the feed was lost, is returned to its waiting
// callers but not cached.
func TestReadDuringAChangeIsNotCached(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*textCache){
		"change": func(s *textCache) {
			s.changes.Publish(ports.Change{Kind: ports.ChangeContent, ID: project})
		},
		"feed lost":  func(s *textCache) { s.changes.live.Store(false) },
		"feed blink": func(s *textCache) { s.changes.Publish(ports.Change{Kind: ports.ChangeAll}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTextCache(t, 1<<20)
			key := ports.ReadKey{ProjectID: project, Epoch: s.Epoch(project), Query: "query"}
			found, err := s.Read(t.Context(), key, func(context.Context) (ports.Sized, error) {
				before := sizedText{"first", 5}
				s.stored.Store("second")
				meanwhile(s)
				return before, nil
			})
			if err != nil || found.(sizedText).text != "first" {
				t.Fatalf("Read = %v, %v", found, err)
			}
			if got := must[string](t)(s.read(t.Context(), "query")); got != "second" {
				t.Errorf("afterwards %q", got)
			}
			if _, kept := s.cache.GetIfPresent(key); kept {
				t.Error("the discarded value takes memory")
			}
		})
	}
}

func TestReadsRespectTheSizeLimit(t *testing.T) {
	t.Parallel()
	const bound = 100_000
	s := newTextCache(t, bound)
	s.size = 1000
	for i := range 1000 {
		if _, err := s.read(t.Context(), strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	s.cache.CleanUp()
	if size := s.Size(); size > bound || size < bound/2 {
		t.Errorf("%d bytes are cached, want at most %d", size, bound)
	}
	s.size = maxResponse + 1
	before := s.loads.Load()
	for range 2 {
		if _, err := s.read(t.Context(), "large"); err != nil {
			t.Fatal(err)
		}
	}
	if s.loads.Load() != before+2 {
		t.Error("a large value was cached")
	}
	none := newTextCache(t, 0)
	if none.Epoch(project) != 0 {
		t.Error("with size 0 values are cached")
	}
}

func TestKeysOfDifferentKindsAreDistinct(t *testing.T) {
	t.Parallel()
	s := newTextCache(t, 1<<20)
	for _, kind := range []string{"a", "b"} {
		found, err := s.Read(t.Context(), ports.ReadKey{Kind: kind, ProjectID: project, Epoch: 1, Query: "query"},
			func(context.Context) (ports.Sized, error) { return sizedText{kind, 1}, nil })
		if err != nil || found.(sizedText).text != kind {
			t.Errorf("Read = %v, %v; want %s", found, err, kind)
		}
	}
}

// Errors are not cached, and a cancelled caller does not affect the others.
func TestCancelledReadDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	s := newTextCache(t, 1<<20)
	key := ports.ReadKey{ProjectID: project, Epoch: s.Epoch(project), Query: "query"}
	began := make(chan struct{})
	load := func(ctx context.Context) (ports.Sized, error) {
		if s.loads.Add(1) == 1 {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return sizedText{"first", 5}, nil
	}
	impatient, giveUp := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := s.Read(impatient, key, load); !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled caller got %v", err)
		}
	})
	<-began
	for range 8 {
		running.Go(func() {
			if found, err := s.Read(t.Context(), key, load); err != nil || found.(sizedText).text != "first" {
				t.Errorf("a waiting caller got %v, %v", found, err)
			}
		})
	}
	giveUp()
	running.Wait()
	if hits, misses := s.Hits(), s.Misses(); hits+misses != 9 || misses < 1 {
		t.Errorf("%d hits and %d misses", hits, misses)
	}
}

// A writer changes the text and announces each change while readers read. A reader that
// starts after an announcement sees that change or a later one.
func TestReadsAreNeverStaleToTheWriter(t *testing.T) {
	t.Parallel()
	s := newTextCache(t, 1<<20)
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
		_, _ = reads.Read(b.Context(), key, func(context.Context) (ports.Sized, error) { return sizedText{"x", 1}, nil })
	}
}
