package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// kills writes while processes are killed, and compares what arrived with the events.
func kills(ctx context.Context, c *cluster, o options, r *report) error {
	p, err := newProject(ctx, c, "Kills")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	good, bad, err := receivers(ctx)
	if err != nil {
		return err
	}
	before, err := p.events(ctx)
	if err != nil {
		return err
	}
	all := append([]*receiver{good}, bad...)
	for _, one := range all {
		if err := p.addWebhook(ctx, one); err != nil {
			return err
		}
	}
	times, err := p.writeAndKill(ctx, o, good)
	if err != nil {
		return err
	}
	latencies := good.takeLatencies()
	for _, one := range bad {
		if one.name != "gone" {
			one.recover()
		}
	}
	if err := p.drain(ctx); err != nil {
		return err
	}
	return p.judge(ctx, r, all, before, times, latencies)
}

// writeAndKill writes until o.events have come to the healthy receiver, and kills random processes
// meanwhile. It returns the times of the kills.
func (p *project) writeAndKill(ctx context.Context, o options, good *receiver) (times []time.Time, err error) {
	var working sync.WaitGroup
	failed := make(chan error, 1)
	ended := make(chan struct{})
	working.Go(func() {
		defer close(ended)
		p.writeSteadily(ctx, o.rate, func() bool { return good.count() >= o.events })
	})
	for n := range o.kills {
		next := (2*n + 1) * o.events / (2 * o.kills) // evenly, one half of a part before and after
		for good.count() < next {
			time.Sleep(10*time.Millisecond + rand.N(40*time.Millisecond))
		}
		victim := rand.N(len(p.processes))
		times = append(times, time.Now())
		if err := p.kill(victim); err != nil {
			return nil, err
		}
		fmt.Printf("     kill %d of %d: process %d; %d events so far\n", n+1, o.kills, victim, good.count())
		if err := p.start(ctx, victim); err != nil {
			return nil, err
		}
		if n%2 == 0 {
			working.Go(func() {
				if err := p.importSome(ctx); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			})
		}
	}
	<-ended
	working.Wait()
	select {
	case err = <-failed:
	default:
	}
	return times, err
}

// delivery is a line of "deliveries list --json".
type delivery struct {
	ID     int64
	NextAt time.Time
}

// leased is longer than a delivery can be under way: what is due later waits for another attempt.
const leased = 65 * time.Second

// drain waits until all deliveries have ended. Those whose next attempt is far away are sent at once.
func (p *project) drain(ctx context.Context) error {
	for left := -1; ; time.Sleep(time.Second) {
		output, err := p.command(ctx, "", "deliveries", "list", "--json", "--status", "waiting", "--limit", "1000", "--project", p.uuid)
		if err != nil {
			return err
		}
		lines := slices.Collect(bytes.Lines(output))
		if len(lines) == 0 {
			return nil
		}
		if len(lines) != left {
			left = len(lines)
			fmt.Printf("     %d deliveries wait (at most 1000 are counted)\n", left)
		}
		retry := []string{"deliveries", "retry"}
		for _, line := range lines {
			var d delivery
			if err := json.Unmarshal(line, &d); err != nil {
				return err
			}
			if time.Until(d.NextAt) > leased {
				retry = append(retry, strconv.FormatInt(d.ID, 10))
			}
		}
		if len(retry) > 2 {
			if _, err := p.command(ctx, "", retry...); err != nil {
				return err
			}
		}
	}
}

// event is a line of "events export".
type event struct {
	ID        int64
	Type      string
	At        time.Time
	RequestID string
}

// events returns the events of entries of the project by id.
func (p *project) events(ctx context.Context) (map[int64]event, error) {
	output, err := p.command(ctx, "", "events", "export", "--project", p.uuid)
	if err != nil {
		return nil, err
	}
	all := map[int64]event{}
	for line := range bytes.Lines(output) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		if strings.HasPrefix(e.Type, "entry.") {
			all[e.ID] = e
		}
	}
	return all, nil
}

// near is how long before and after a kill a process may have sent an event without recording that. A
// slow receiver has the event for slowness longer.
const near = 3 * time.Second

// explained reports whether a kill explains that the event of an arrival was sent again.
func explained(a arrival, kills []time.Time) bool {
	return slices.ContainsFunc(kills, func(kill time.Time) bool {
		return a.first.After(kill.Add(-near-slowness)) && a.first.Before(kill.Add(near))
	})
}

// judge compares the arrivals with the events since the webhooks exist.
func (p *project) judge(ctx context.Context, r *report, all []*receiver, before map[int64]event, times []time.Time, latencies []time.Duration) error {
	events, err := p.events(ctx)
	if err != nil {
		return err
	}
	maps.DeleteFunc(events, func(id int64, _ event) bool { _, old := before[id]; return old })
	recorded := map[string]bool{}
	for _, e := range events {
		recorded[e.RequestID] = true
	}
	unrecorded, wrong := 0, 0
	for id, status := range p.outcomes {
		switch done := status/100 == 2; {
		case done && !recorded[id]:
			unrecorded++
		case !done && recorded[id]:
			wrong++
		}
	}
	r.line(unrecorded == 0 && wrong == 0, "%d kills, %d events; of %d acknowledged writes %d have no event, of %d refused ones %d have one; the outcome of %d is unknown",
		len(times), len(events), p.done, unrecorded, p.refused, wrong, p.unknown)
	for _, one := range all {
		if one.name == "gone" {
			if err := p.judgeGone(ctx, r, one); err != nil {
				return err
			}
			continue
		}
		one.judge(r, events, times)
	}
	median, slowest := percentile(latencies, 50), percentile(latencies, 99)
	r.line(median <= mostMedian && slowest <= most99, "healthy receiver during the kills, commit to first byte: p50 %v (at most %v), p99 %v (at most %v)", median, mostMedian, slowest, most99)
	return nil
}

// judge compares the arrivals at one receiver with the events.
func (r *receiver) judge(to *report, events map[int64]event, kills []time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lost, unfounded, again, unexplained := 0, 0, 0, 0
	for id := range events {
		if r.accepted[id].times == 0 {
			lost++
		}
	}
	for id, a := range r.accepted {
		if _, ok := events[id]; !ok {
			unfounded++
		}
		if a.times > 1 {
			again++
			if !explained(a, kills) {
				unexplained++
			}
		}
	}
	to.line(lost == 0 && unfounded == 0 && unexplained == 0, "%s: %d events in %d requests; %d lost, %d of rolled-back work, %d more than once, %d of them not around a kill",
		r.name, len(r.accepted), r.requests.Load(), lost, unfounded, again, unexplained)
}

// judgeGone checks that the webhook of a receiver that answered 410 is off.
func (p *project) judgeGone(ctx context.Context, r *report, one *receiver) error {
	hook, err := must[struct {
		Active    bool
		OffReason string
	}](ctx, p.cluster, http.MethodGet, fmt.Sprintf("/api/projects/%d/webhooks/%d", p.id, one.hook), nil)
	most := int64(len(p.processes) * 4) // what the processes were sending when the first answer came
	r.line(!hook.Active && hook.OffReason == "gone" && one.requests.Load() <= most, "gone: off because of %q after %d requests (at most %d)", hook.OffReason, one.requests.Load(), most)
	return err
}
