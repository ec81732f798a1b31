package main

import (
	"context"
	"fmt"
	"net/http"
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
	return fmt.Sprintf("%.0f/s served, p50 %v, p99 %v; %.0f/s refused, p99 %v",
		t.rate(), quantile(t.served, 50), quantile(t.served, 99), float64(len(t.refused))/t.duration.Seconds(), quantile(t.refused, 99))
}

// closed has clients ask one thing after the other.
func closed(address string, clients int, duration time.Duration, next func() []byte) *tally {
	t, until := &tally{duration: duration}, time.Now().Add(duration)
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			c := &client{address: address}
			defer c.close()
			for time.Now().Before(until) {
				t.count(c.do(next()))
			}
		})
	}
	running.Wait()
	return t
}

// arrivals has requests come in at a rate, whatever becomes of those before.
func arrivals(address string, rate float64, duration time.Duration, next func() []byte) *tally {
	const tick = 5 * time.Millisecond
	t, began := &tally{duration: duration}, time.Now()
	free := make(chan *client, 20_000)
	var running sync.WaitGroup
	sent := 0
	for now := began; now.Sub(began) < duration; now = time.Now() {
		for due := int(now.Sub(began).Seconds() * rate); sent < due; sent++ {
			var c *client
			select {
			case c = <-free:
			default:
				c = &client{address: address}
			}
			running.Go(func() {
				t.count(c.do(next()))
				free <- c
			})
		}
		time.Sleep(tick)
	}
	running.Wait()
	for {
		select {
		case c := <-free:
			c.close()
		default:
			return t
		}
	}
}

// overload finds out what the program holds, asks for many times as much, and looks
// how it fares then and afterwards.
func overload(ctx context.Context, p *program, o options) ([]finding, error) {
	closed(p.address, 16, 3*time.Second, p.mixed) // warm
	peak := closed(p.address, 16, o.duration, p.mixed)
	first := finding{what: "16 clients, closed loop", saw: peak.String()}
	held := 0.8 * peak.rate()

	before := arrivals(p.address, held, o.duration, p.mixed)
	calm := finding{what: fmt.Sprintf("%.0f/s arrive", held), saw: before.String()}

	const due = 50
	wereOut, _, err := p.lateness(ctx)
	if err != nil {
		return nil, err
	}
	apart := o.duration / due
	if err := p.schedule(due, time.Now().Add(2*time.Second), apart); err != nil {
		return nil, err
	}
	at := p.memory()
	var pressed *tally
	most := p.peak(func() { pressed = arrivals(p.address, o.times*peak.rate(), o.duration+2*time.Second, p.mixed) })
	over := finding{what: fmt.Sprintf("%.0f/s arrive", o.times*peak.rate()), saw: fmt.Sprintf(
		"%s; %d MB, at most %d meanwhile", pressed, at, most)}

	after := arrivals(p.address, held, 2*time.Second, p.mixed)
	back := finding{what: fmt.Sprintf("%.0f/s arrive, at once after", held), saw: after.String()}
	time.Sleep(time.Second)
	out, inTime, err := p.lateness(ctx)
	if err != nil {
		return nil, err
	}
	onTime := finding{what: "due publications meanwhile", saw: fmt.Sprintf("%d of %d out, %d of them within a second", out-wereOut, due, inTime-wereOut)}

	if out-wereOut != due || inTime != out {
		onTime.fault("not all on time")
	}
	if pressed.rate() < 0.8*peak.rate() {
		over.fault("%.0f %% of what is held is served", 100*pressed.rate()/peak.rate())
	}
	if worst := quantile(pressed.served, 99); worst > 2*time.Second {
		over.fault("the 99th percentile of those served is %v", worst)
	}
	if most > at+150 {
		over.fault("%d MB more", most-at)
	}
	if refused := len(after.refused); refused*20 > len(after.served) {
		back.fault("%d are still refused", refused)
	}
	all := []finding{first, calm, over, back, onTime}
	for i, t := range []*tally{peak, before, pressed, after} {
		for how, times := range t.broken {
			all[i].fault("%d times: %s", times, how)
		}
	}
	return all, nil
}
