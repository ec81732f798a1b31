package changefeed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"imprimatur/adapters/changefeed"
	"imprimatur/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wire is a bus in memory, and port one process's end of it.
type wire struct {
	mu       sync.Mutex
	ports    []*port
	messages []string // all that were sent
}

type port struct {
	wire  *wire
	inbox chan string // nil while nobody listens
	lost  chan struct{}
	deaf  bool // loses what it should hear
	mute  bool // cannot send
}

var errCut = errors.New("the wire is cut")

func (w *wire) port() *port {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &port{wire: w}
	w.ports = append(w.ports, p)
	return p
}

func (p *port) Send(_ context.Context, text string) error {
	p.wire.mu.Lock()
	defer p.wire.mu.Unlock()
	if p.mute {
		return errCut
	}
	p.wire.messages = append(p.wire.messages, text)
	for _, to := range p.wire.ports {
		if to.inbox != nil && !to.deaf {
			to.inbox <- text
		}
	}
	return nil
}

func (p *port) Listen(ctx context.Context, received func(string)) error {
	inbox, lost := make(chan string, 1000), make(chan struct{})
	p.set(func() { p.inbox, p.lost = inbox, lost })
	defer p.set(func() { p.inbox = nil })
	for {
		select {
		case text := <-inbox:
			received(text)
		case <-lost:
			return errCut
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (*port) Close() error { return nil }

func (p *port) set(change func()) {
	p.wire.mu.Lock()
	defer p.wire.mu.Unlock()
	change()
}

// member is a process on the wire with a subscriber.
type member struct {
	*changefeed.Relay
	port *port
	seen *recorder
	log  *observer.ObservedLogs
}

func join(t *testing.T, w *wire) *member {
	t.Helper()
	p := w.port()
	return joinAs(t, p, p)
}

func joinAs(t *testing.T, p *port, bus changefeed.Bus) *member {
	t.Helper()
	core, log := observer.New(zap.InfoLevel)
	m := &member{Relay: changefeed.NewRelay(bus, zap.New(core)), port: p, seen: &recorder{}, log: log}
	m.Subscribe(m.seen.told)
	m.Start(t.Context())
	return m
}

func (m *member) leave(t *testing.T) {
	t.Helper()
	if err := m.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// take returns what was told since it was last called.
func (r *recorder) take() []ports.Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

func wantTold(t *testing.T, m *member, want ...ports.Change) {
	t.Helper()
	got := m.seen.take()
	byText := func(a, b ports.Change) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	slices.SortFunc(got, byText)
	slices.SortFunc(want, byText)
	if !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

func wantLive(t *testing.T, m *member, want bool) {
	t.Helper()
	if m.Live() != want {
		t.Errorf("Live is %t, want %t", !want, want)
	}
}

var (
	all   = ports.Change{Kind: ports.ChangeAll}
	token = ports.Change{Kind: ports.ChangeToken, ID: 9}
)

// met returns two members that have found each other.
func met(t *testing.T) (w *wire, a, b *member) {
	t.Helper()
	w = &wire{}
	a, b = join(t, w), join(t, w)
	time.Sleep(time.Second)
	wantLive(t, a, true)
	wantLive(t, b, true)
	a.seen.take()
	b.seen.take()
	return w, a, b
}

func TestOthersAreToldAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, a, b := met(t)
		a.Announce(t.Context(), token, ports.Change{Kind: ports.ChangeSchema, ID: 3})
		wantTold(t, a, token, ports.Change{Kind: ports.ChangeSchema, ID: 3})
		synctest.Wait() // no time passes
		wantTold(t, b, token, ports.Change{Kind: ports.ChangeSchema, ID: 3})
		time.Sleep(time.Minute)
		wantTold(t, a)
		wantTold(t, b)
		a.leave(t)
		b.leave(t)
	})
}

func TestEverythingIsDroppedBeforeTheFeedIsTrusted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := join(t, &wire{})
		wantLive(t, m, false)
		m.Subscribe(func(ports.Change) { wantLive(t, m, false) })
		time.Sleep(time.Second)
		wantTold(t, m, all)
		wantLive(t, m, true)
		m.leave(t)
		wantLive(t, m, false)
	})
}

// TestALostBus goes through the ways in which a member stops hearing the others.
func TestALostBus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lose, regain func(*port) }{
		"its connection is cut, and opened at once": {func(p *port) { close(p.lost) }, func(*port) {}},
		"nothing arrives any more":                  {func(p *port) { p.deaf = true }, func(p *port) { p.deaf = false }},
		"it cannot send":                            {func(p *port) { p.mute = true }, func(p *port) { p.mute = false }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, a, b := met(t)
				b.port.set(func() { c.lose(b.port) })
				a.Announce(t.Context(), token)
				time.Sleep(900 * time.Millisecond)
				told := b.seen.take()
				if b.Live() && !slices.Contains(told, token) && !slices.Contains(told, all) {
					t.Errorf("live, and told %v", told)
				}
				time.Sleep(time.Minute)
				b.port.set(func() { c.regain(b.port) })
				time.Sleep(time.Second)
				wantLive(t, b, true)
				if told = append(told, b.seen.take()...); !slices.Contains(told, all) {
					t.Errorf("told %v, without %v", told, all)
				}
				a.leave(t)
				b.leave(t)
			})
		})
	}
}

// TestWhatCouldNotBeSentIsNoticed loses a message whose sender is soon back.
func TestWhatCouldNotBeSentIsNoticed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, a, b := met(t)
		a.port.set(func() { a.port.mute = true })
		a.Announce(t.Context(), token)
		synctest.Wait()
		a.port.set(func() { a.port.mute = false })
		time.Sleep(250 * time.Millisecond)
		synctest.Wait()
		wantTold(t, b, all)
		wantLive(t, b, true)
		a.leave(t)
		b.leave(t)
	})
}

func TestAProcessThatDiesIsNoticedWithinASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, a, b := met(t)
		a.port.set(func() { a.port.mute, a.port.deaf = true, true })
		a.Announce(t.Context(), token) // and nobody hears of it
		time.Sleep(time.Second)
		wantTold(t, b, all)
		wantLive(t, b, false)
		time.Sleep(20 * time.Second) // it was only stopped
		a.port.set(func() { a.port.mute, a.port.deaf = false, false })
		time.Sleep(time.Second)
		wantTold(t, b, all)
		wantLive(t, b, true)
		a.port.set(func() { a.port.mute, a.port.deaf = true, true })
		time.Sleep(11 * time.Minute) // it will not be back
		wantLive(t, b, true)
		a.leave(t)
		b.leave(t)
	})
}

// TestAProcessThatIsGone is not waited for, unless it comes back.
func TestAProcessThatIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		there := []string{"a", "b"}
		a, b := w.port(), w.port()
		first := joinAs(t, a, seeing{a, "a", &there})
		second := joinAs(t, b, seeing{b, "b", &there})
		time.Sleep(time.Second)
		wantLive(t, second, true)
		second.seen.take()

		a.set(func() { a.mute, a.deaf = true, true })
		time.Sleep(time.Second)
		wantTold(t, second, all)
		wantLive(t, second, false) // it is only cut off

		b.set(func() { there = []string{"b"} })
		time.Sleep(300 * time.Millisecond)
		wantTold(t, second, all) // what it did in between
		wantLive(t, second, true)

		b.set(func() { there = []string{"a", "b"} })
		time.Sleep(300 * time.Millisecond)
		wantTold(t, second, all)
		wantLive(t, second, false)

		b.set(func() { there = nil }) // nobody knows
		time.Sleep(300 * time.Millisecond)
		wantLive(t, second, false)

		a.set(func() { a.mute, a.deaf, there = false, false, []string{"a", "b"} })
		time.Sleep(time.Second)
		wantLive(t, second, true)
		first.leave(t)
		second.leave(t)
	})
}

// seeing is a port that sees who is there.
type seeing struct {
	*port
	self  string
	there *[]string // nil while it cannot see
}

func (s seeing) Self() string { return s.self }

func (s seeing) Present(_ context.Context, names []string) (present []string, err error) {
	s.set(func() {
		if *s.there == nil {
			err = errCut
		}
		for _, name := range names {
			if slices.Contains(*s.there, name) {
				present = append(present, name)
			}
		}
	})
	return present, err
}

func TestLeaveIsTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, a, b := met(t)
		a.port.set(func() { a.port.mute = true })
		a.Announce(t.Context(), token) // is lost
		synctest.Wait()
		a.port.set(func() { a.port.mute = false })
		a.Announce(t.Context(), token)
		a.leave(t)
		synctest.Wait()
		if told := b.seen.take(); !slices.Contains(told, all) {
			t.Errorf("told %v: what was lost before the leave is missed", told)
		}
		time.Sleep(time.Minute)
		wantTold(t, b)
		wantLive(t, b, true)
		b.leave(t)
	})
}

func TestALateComerIsHeard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, a, b := met(t)
		c := join(t, w)
		c.Announce(t.Context(), token)
		synctest.Wait()
		wantTold(t, a, token)
		wantTold(t, b, token)
		c.leave(t)
		synctest.Wait()
		wantTold(t, a)
		a.leave(t)
		b.leave(t)
	})
}

func TestManyChangesAreFewSmallMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, a, b := met(t)
		before := len(w.messages)
		for n := range int64(10_000) {
			a.Announce(t.Context(), ports.Change{Kind: ports.ChangeContent, ID: 1<<62 + n})
		}
		synctest.Wait()
		if told := b.seen.take(); !slices.Contains(told, all) && len(told) < 10_000 {
			t.Errorf("told only %d changes", len(told))
		}
		for _, text := range w.messages[before:] {
			if len(text) >= 8000 {
				t.Errorf("a message of %d bytes", len(text))
			}
		}
		if sent := len(w.messages) - before; sent > 1000 {
			t.Errorf("%d messages", sent)
		}
		a.leave(t)
		b.leave(t)
	})
}

// TestWhatIsNoMessage is about versions that do not understand each other.
func TestWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, a, b := met(t)
		for _, text := range []string{"", "x", "{}", `{"from":"new","changes":{"token":["a"]}}`} {
			if err := a.port.Send(t.Context(), text); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			wantTold(t, b, all)
		}
		a.leave(t)
		b.leave(t)
	})
}

func TestAnOutageIsLoggedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := join(t, &wire{})
		time.Sleep(time.Minute)
		if m.log.Len() != 0 {
			t.Errorf("logged %v", m.log.All())
		}
		for turn := range 2 {
			m.port.set(func() { m.port.mute = true })
			time.Sleep(time.Minute)
			m.port.set(func() { m.port.mute = false })
			time.Sleep(time.Minute)
			if m.log.Len() != 2*(turn+1) {
				t.Errorf("logged %v", m.log.All())
			}
		}
		m.leave(t)
	})
}
