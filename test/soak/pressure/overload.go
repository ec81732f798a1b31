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

// tally is the result of a phase.
type tally struct {
	mu       sync.Mutex
	served   []time.Duration // durations
	refused  []time.Duration
	broken   map[string]int // other results by description
	duration time.Duration
	cost     cost
}

func (t *tally) count(a response, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err != nil:
		t.countBroken(err.Error())
	case a.status < 300:
		t.served = append(t.served, a.elapsed)
	case a.status == http.StatusServiceUnavailable && a.later:
		t.refused = append(t.refused, a.elapsed)
	default:
		t.countBroken(fmt.Sprintf("answered %d, Retry-After: %v", a.status, a.later))
	}
}

func (t *tally) countBroken(how string) {
	if t.broken == nil {
		t.broken = map[string]int{}
	}
	t.broken[how]++
}

func (t *tally) rate() float64 { return float64(len(t.served)) / t.duration.Seconds() }

// quantile returns a percentile of times, in whole milliseconds.
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

// closed runs clients that each send one request after the other (closed loop).
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

// mostClients limits concurrent requests, so that the loader does not run out of file
// descriptors. Requests beyond it count as broken.
const mostClients = 15_000

var errNoClient = errors.New("too many concurrent requests")

// arrivals sends requests at a fixed rate, independent of earlier responses (open loop).
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
					t.count(response{}, errNoClient)
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

// measure runs do with a new tally and measures its cost.
func (p *program) measure(duration time.Duration, do func(*tally)) *tally {
	t, began, before := &tally{duration: duration}, time.Now(), p.spent()
	do(t)
	t.cost = p.spent().since(before, time.Since(began))
	return t
}

// overload measures the sustained load, sends a multiple of it, and checks throughput,
// latency and memory during and after the overload.
func overload(ctx context.Context, p *program, o options) (findings []finding, err error) {
	note := func(what string, t *tally) *finding {
		findings = append(findings, finding{what: what, result: t.String()})
		f := &findings[len(findings)-1]
		fmt.Fprintf(os.Stderr, "%s: %s\n", f.what, f.result)
		for how, times := range t.broken {
			f.report("%d times: %s", times, how)
		}
		return f
	}
	p.closed(16, 3*time.Second, p.mixed) // warm
	peak := p.closed(16, o.duration, p.mixed)
	note("16 clients, closed loop", peak).noneRefused(peak, 0)
	many := p.closed(64, o.duration, p.mixed)
	note("64 clients, closed loop", many).noneRefused(many, 0)

	sustained := 0.8 * peak.rate()
	before := p.arrivals(sustained, o.duration, p.mixed)
	note(fmt.Sprintf("%.0f requests/s", sustained), before).noneRefused(before, 100)

	const due = 50
	publishedBefore, err := p.lateness(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.schedule(due, time.Now().Add(2*time.Second), o.duration/due); err != nil {
		return nil, err
	}
	var overloaded *tally
	at, most, err := p.memory(func() { overloaded = p.arrivals(o.times*peak.rate(), o.duration+2*time.Second, p.mixed) })
	if err != nil {
		return nil, err
	}
	over := note(fmt.Sprintf("%.0f requests/s", o.times*peak.rate()), overloaded)
	over.result += fmt.Sprintf("; memory %d MB, at most %d MB", at, most)
	if overloaded.rate() < 0.8*peak.rate() {
		over.report("only %.0f %% of the sustained load is served", 100*overloaded.rate()/peak.rate())
	}
	if worst := quantile(overloaded.served, 99); worst > 1500*time.Millisecond {
		over.report("p99 of served requests is %v", worst)
	}
	if most > at+150 {
		over.report("%d MB more memory", most-at)
	}

	after := p.arrivals(sustained, 2*time.Second, p.mixed)
	note(fmt.Sprintf("%.0f requests/s right after the overload", sustained), after).noneRefused(after, 20)

	time.Sleep(time.Second)
	out, err := p.lateness(ctx)
	if err != nil {
		return nil, err
	}
	out = out.since(publishedBefore)
	onTime := finding{what: "due publications during the overload", result: fmt.Sprintf("%d of %d published; lateness %s", out.all, due, out)}
	if out.all != due || out.within("1") < due*99/100 || out.within("2") != due {
		onTime.report("not all published on time")
	}
	return append(findings, onTime), nil
}

// noneRefused reports more than one refusal per many served requests, or any refusal if
// many is 0.
func (f *finding) noneRefused(t *tally, many int) {
	if refused := len(t.refused); refused*max(many, 1) > min(many, 1)*len(t.served) {
		f.report("%d requests refused, %d served", refused, len(t.served))
	}
}
