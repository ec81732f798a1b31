package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"
)

// lateness schedules publications at intervals, half of them with approval, and measures on
// any replica when each becomes public.
func lateness(ctx context.Context, in *installation, o options) (finding, error) {
	f := finding{promise: "9 Scheduled publishing"}
	const lead, apart = 3 * time.Second, 60 * time.Millisecond
	first := time.Now().Add(lead)
	var mu sync.Mutex
	var late []time.Duration
	var watchers sync.WaitGroup
	for n := range o.schedules {
		due := first.Add(time.Duration(n)*apart + rand.N(apart)).Truncate(time.Millisecond)
		time.Sleep(time.Until(due.Add(-lead)))
		p, id, err := in.plan(ctx, n, due)
		if err != nil {
			return f, err
		}
		watchers.Go(func() {
			seen, err := in.watch(ctx, p, id, due)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				f.report("entry %d: %v", id, err)
			case seen < 0:
				f.report("entry %d was public %v early", id, -seen)
			}
			late = append(late, seen)
		})
	}
	watchers.Wait()
	slices.Sort(late)
	at := func(percent int) int64 { return late[(len(late)-1)*percent/100].Milliseconds() }
	if at(99) > 1000 || at(100) > 2000 {
		f.report("p99 is %d ms, the maximum %d ms", at(99), at(100))
	}
	f.result = fmt.Sprintf("%d schedules, readers on any process: late p50 %d ms, p99 %d ms, max %d ms; earliest %d ms after it was due",
		len(late), at(50), at(99), at(100), at(0))
	return f, nil
}

// plan schedules a new entry; every other one with approval.
func (in *installation) plan(ctx context.Context, n int, due time.Time) (place, int64, error) {
	p := in.open
	if n%2 == 1 {
		p = in.one
	}
	replica := n % len(in.replicas)
	e, err := must[content](ctx, in, replica, request{
		method: http.MethodPost, path: p.content(), cookie: in.editor,
		body: write("scheduled", object{"published": true, "publishAt": due.UTC().Format(timeLayout)}),
	})
	if err == nil && p == in.one {
		_, err = must[approvalRequest](ctx, in, replica, request{method: http.MethodPost, path: p.entry(e.ID) + "/approval/approve", cookie: in.admins[1], body: object{}})
	}
	return p, e.ID, err
}

// watch polls the entry on random replicas from shortly before it is due until it is
// public, and returns its lateness.
func (in *installation) watch(ctx context.Context, p place, id int64, due time.Time) (time.Duration, error) {
	time.Sleep(time.Until(due.Add(-200 * time.Millisecond)))
	for deadline := due.Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		a, err := in.send(ctx, rand.N(len(in.replicas)), request{method: http.MethodGet, path: fmt.Sprintf("%s/%d", p.public(), id), token: p.token})
		if err != nil {
			return 0, err
		}
		if a.ok() {
			return time.Since(due), nil
		}
		if a.status != http.StatusNotFound {
			return 0, fmt.Errorf("reading answered %d: %s", a.status, a.body)
		}
	}
	return 0, fmt.Errorf("not public 30 s after %s", due.Format(timeLayout))
}

// batch schedules many entries of the project without a workflow for the same time.
func (in *installation) batch(ctx context.Context, many int, due time.Time) (map[int64]bool, error) {
	var mu sync.Mutex
	ids := map[int64]bool{}
	var failed error
	var group sync.WaitGroup
	next := make(chan int)
	for range 8 {
		group.Go(func() {
			for n := range next {
				e, err := must[content](ctx, in, n%len(in.replicas), request{
					method: http.MethodPost, path: in.open.content(), cookie: in.editor,
					body: write("scheduled", object{"published": true, "publishAt": due.UTC().Format(timeLayout)}),
				})
				mu.Lock()
				if err != nil {
					failed = err
				} else {
					ids[e.ID] = e.State == "published"
				}
				mu.Unlock()
			}
		})
	}
	for n := range many {
		next <- n
	}
	close(next)
	group.Wait()
	return ids, failed
}

// public returns the number of public entries of the project without a workflow, read from
// a replica.
func (in *installation) public(ctx context.Context, replica int) (int, error) {
	page, err := must[struct{ Meta struct{ Total int } }](ctx, in, replica, request{
		method: http.MethodGet, path: in.open.public() + "?limit=1&count=true", token: in.open.token,
	})
	return page.Meta.Total, err
}

// out waits until a replica shows the given number of public entries, and returns the time
// since due.
func (in *installation) out(ctx context.Context, replica, want int, due time.Time) (time.Duration, error) {
	for deadline := due.Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		total, err := in.public(ctx, replica)
		if err != nil {
			return 0, err
		}
		if total >= want {
			return time.Since(due), nil
		}
	}
	total, err := in.public(ctx, replica)
	if err == nil {
		err = fmt.Errorf("a minute after the due time, %d of %d are public", total, want)
	}
	return 0, err
}

// once checks that each entry was published exactly once.
func (in *installation) once(ctx context.Context, f *finding, ids map[int64]bool) error {
	for id, early := range ids {
		e, err := must[content](ctx, in, 0, request{method: http.MethodGet, path: in.open.entry(id), cookie: in.editor})
		if err != nil {
			return err
		}
		if early || e.Version != 2 || e.State != "published" {
			f.report("entry %d: %s, version %d, public at once: %v", id, e.State, e.Version, early)
		}
	}
	return nil
}

// burst schedules many publications for the same second.
func burst(ctx context.Context, in *installation, o options) (finding, error) {
	f := finding{promise: "10 Burst"}
	before, err := in.public(ctx, 0)
	if err != nil {
		return f, err
	}
	due := time.Now().Add(5*time.Second + time.Duration(o.burst)*25*time.Millisecond).Truncate(time.Second)
	ids, err := in.batch(ctx, o.burst, due)
	if err != nil {
		return f, err
	}
	if time.Now().After(due) {
		f.report("scheduling took longer than the time until the due time")
	}
	took, err := in.out(ctx, 0, before+o.burst, due)
	if err != nil {
		return f, err
	}
	if took > 10*time.Second {
		f.report("all published only after %v", took)
	}
	f.result = fmt.Sprintf("%d due at the same time: all published within %.1f s", o.burst, took.Seconds())
	return f, in.once(ctx, &f, ids)
}

// failover suspends or kills a process that may hold due work. The others complete it.
func failover(ctx context.Context, in *installation, o options) (finding, error) {
	const many, away = 150, 20 * time.Second
	f := finding{promise: "11 Failover"}
	slowest := map[bool]time.Duration{}
	for n := range 2 * o.stops {
		killed, victim := n%2 == 1, n%len(in.replicas)
		witness := (victim + 1) % len(in.replicas)
		before, err := in.public(ctx, witness)
		if err != nil {
			return f, err
		}
		due := time.Now().Add(8 * time.Second).Truncate(time.Second)
		ids, err := in.batch(ctx, many, due)
		if err != nil {
			return f, err
		}
		time.Sleep(time.Until(due.Add(rand.N(150 * time.Millisecond))))
		stopped := time.Now()
		if killed {
			err = in.kill(victim)
		} else {
			err = in.signal(victim, syscall.SIGSTOP)
		}
		if err != nil {
			return f, err
		}
		took, err := in.out(ctx, witness, before+many, due)
		if err != nil {
			return f, err
		}
		slowest[killed] = max(slowest[killed], took)
		if killed {
			err = in.start(ctx, victim)
		} else {
			time.Sleep(time.Until(stopped.Add(away)))
			err = in.signal(victim, syscall.SIGCONT)
		}
		if err != nil {
			return f, err
		}
		time.Sleep(time.Second) // lets a resumed process continue
		if err := in.once(ctx, &f, ids); err != nil {
			return f, err
		}
	}
	for killed, took := range slowest {
		if took > 5*time.Second {
			f.report("%v until all were published (killed: %v)", took, killed)
		}
	}
	f.result = fmt.Sprintf("%d × %d due while a process is suspended for %.0f s: all published within %.1f s; %d × while one is killed: %.1f s; each once",
		o.stops, many, away.Seconds(), slowest[false].Seconds(), o.stops, slowest[true].Seconds())
	return f, nil
}
