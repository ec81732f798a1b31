package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// tally is what came of a phase.
type tally struct {
	mu       sync.Mutex
	served   []time.Duration // how long each took
	refused  []time.Duration
	broken   map[string]int // anything else, by what it was
	duration time.Duration
	cost     cost
}

func (t *tally) count(a answer, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.spoil(err.Error())
	case a.status < 300:
		t.served = append(t.served, a.elapsed)
	case a.status == http.StatusServiceUnavailable && a.later:
		t.refused = append(t.refused, a.elapsed)
	default:
		t.spoil(fmt.Sprintf("answered %d, Retry-After: %v", a.status, a.later))
	}
}

func (t *tally) spoil(how string) {
	if t.broken == nil {
		t.broken = map[string]int{}
	}
	t.broken[how]++
}

func (t *tally) rate() float64 { return float64(len(t.served)) / t.duration.Seconds() }

// quantile returns the time that all but some of the answers took no longer than.
func quantile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[(len(times)-1)*percent/100].Round(time.Millisecond)
}

func (t *tally) String() string {
	text := fmt.Sprintf("%.0f/s served, p50 %v, p99 %v", t.rate(), quantile(t.served, 50), quantile(t.served, 99))
	if len(t.refused) > 0 {
		text += fmt.Sprintf("; %.0f/s refused, p50 %v, p99 %v",
			float64(len(t.refused))/t.duration.Seconds(), quantile(t.refused, 50), quantile(t.refused, 99))
	}
	return text + "; " + t.cost.String()
}

// closed has clients ask one thing after the other.
func (p *program) closed(clients int, duration time.Duration, next func() []byte) *tally {
	return p.measure(duration, func(t *tally) {
		until := time.Now().Add(duration)
		var running sync.WaitGroup
		for range clients {
			running.Go(func() {
				c := &client{address: p.address}
				defer c.close()
				for time.Now().Before(until) {
					t.count(c.do(next()))
				}
			})
		}
		running.Wait()
	})
}

// mostClients is how many requests may be under way at once, so that the loader does not
// run out of files. Those that find no place are broken.
const mostClients = 15_000

var errNoClient = errors.New("too many were under way before")

// arrivals has requests come in at a rate, whatever becomes of those before.
func (p *program) arrivals(rate float64, duration time.Duration, next func() []byte) *tally {
	const tick = 5 * time.Millisecond
	return p.measure(duration, func(t *tally) {
		var free idle
		defer free.close()
		var running sync.WaitGroup
		places := make(chan struct{}, mostClients)
		began, sent := time.Now(), 0
		for now := began; now.Sub(began) < duration; now = time.Now() {
			for due := int(now.Sub(began).Seconds() * rate); sent < due; sent++ {
				select {
				case places <- struct{}{}:
				default:
					t.count(answer{}, errNoClient)
					continue
				}
				c := free.take(p.address)
				running.Go(func() {
					t.count(c.do(next()))
					free.put(c)
					<-places
				})
			}
			time.Sleep(tick)
		}
		running.Wait()
	})
}

// measure has do fill a tally, and notes what that cost.
func (p *program) measure(duration time.Duration, do func(*tally)) *tally {
	t, began, before := &tally{duration: duration}, time.Now(), p.spent()
	do(t)
	t.cost = p.spent().since(before, time.Since(began))
	return t
}

// overload finds out what the program holds, asks for many times as much, and looks
// how it fares then and afterwards.
func overload(ctx context.Context, p *program, o options) (findings []finding, err error) {
	note := func(what string, t *tally) *finding {
		findings = append(findings, finding{what: what, saw: t.String()})
		f := &findings[len(findings)-1]
		fmt.Fprintf(os.Stderr, "%s: %s\n", f.what, f.saw)
		for how, times := range t.broken {
			f.fault("%d times: %s", times, how)
		}
		return f
	}
	p.closed(16, 3*time.Second, p.mixed) // warm
	peak := p.closed(16, o.duration, p.mixed)
	note("16 clients, one request after the other", peak).noneRefused(peak, 0)
	many := p.closed(64, o.duration, p.mixed)
	note("64 clients", many).noneRefused(many, 0)

	held := 0.8 * peak.rate()
	before := p.arrivals(held, o.duration, p.mixed)
	note(fmt.Sprintf("%.0f/s arrive", held), before).noneRefused(before, 100)

	const due = 50
	wasOut, err := p.lateness(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.schedule(due, time.Now().Add(2*time.Second), o.duration/due); err != nil {
		return nil, err
	}
	var pressed *tally
	at, most, err := p.memory(func() { pressed = p.arrivals(o.times*peak.rate(), o.duration+2*time.Second, p.mixed) })
	if err != nil {
		return nil, err
	}
	over := note(fmt.Sprintf("%.0f/s arrive", o.times*peak.rate()), pressed)
	over.saw += fmt.Sprintf("; %d MB, at most %d meanwhile", at, most)
	if pressed.rate() < 0.8*peak.rate() {
		over.fault("%.0f %% of what is held is served", 100*pressed.rate()/peak.rate())
	}
	if worst := quantile(pressed.served, 99); worst > 1500*time.Millisecond {
		over.fault("the 99th percentile of those served is %v", worst)
	}
	if most > at+150 {
		over.fault("%d MB more", most-at)
	}

	after := p.arrivals(held, 2*time.Second, p.mixed)
	note(fmt.Sprintf("%.0f/s arrive, at once after", held), after).noneRefused(after, 20)

	time.Sleep(time.Second)
	out, err := p.lateness(ctx)
	if err != nil {
		return nil, err
	}
	out = out.since(wasOut)
	onTime := finding{what: "due publications meanwhile", saw: fmt.Sprintf("%d of %d out; late %s", out.all, due, out)}
	if out.all != due || out.within("1") < due*99/100 || out.within("2") != due {
		onTime.fault("not all on time")
	}
	return append(findings, onTime), nil
}

// noneRefused faults more refusals than one in many served; 0: than none.
func (f *finding) noneRefused(t *tally, many int) {
	if refused := len(t.refused); refused*max(many, 1) > min(many, 1)*len(t.served) {
		f.fault("%d are refused, and %d served", refused, len(t.served))
	}
}
