package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// ledger records acknowledged and unacknowledged requests of clients.
type ledger struct {
	mu sync.Mutex
	// written are titles by whether the write was acknowledged; the others may be there
	// or not, once.
	written map[string]bool
	// approved are entries that were submitted to one step, by whether the approval was
	// acknowledged.
	approved map[int64]bool
	// scheduled are entries that are to be public, by when they are due.
	scheduled map[int64]time.Time
	unknown   int // requests without an answer

	lost, doubled int // what was acknowledged and is not there, and what is there twice
}

func (l *ledger) note(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// crash kills processes at random instants while others write, approve and schedule.
// What was acknowledged is there afterwards, and nothing is there twice.
func crash(ctx context.Context, in *installation, o options) (finding, error) {
	f := finding{promise: "8 Crash"}
	l := &ledger{written: map[string]bool{}, approved: map[int64]bool{}, scheduled: map[int64]time.Time{}}
	working, stop := context.WithCancel(ctx)
	defer stop()
	var clients sync.WaitGroup
	for _, work := range []func(context.Context, *ledger){in.writes, in.writes, in.approves, in.approves, in.schedules} {
		clients.Go(func() {
			for working.Err() == nil {
				work(ctx, l)
			}
		})
	}
	slowest := time.Duration(0)
	for n := range o.kills {
		time.Sleep(300*time.Millisecond + rand.N(900*time.Millisecond))
		victim := n % len(in.replicas)
		if err := in.kill(victim); err != nil {
			return f, err
		}
		start := time.Now()
		if err := in.start(ctx, victim); err != nil {
			return f, err
		}
		slowest = max(slowest, time.Since(start))
	}
	stop()
	clients.Wait()
	if err := in.settle(ctx, &f, l); err != nil {
		return f, err
	}
	if err := in.checkWritten(ctx, &f, l); err != nil {
		return f, err
	}
	if err := in.checkApproved(ctx, &f, l); err != nil {
		return f, err
	}
	releases, err := in.verify(ctx, &f)
	f.saw = fmt.Sprintf("%d × kill -9, serving again within %d ms; %d writes, %d approvals and %d schedules acknowledged, %d requests cut off or refused: %d lost, %d doubled; %d release numbers without gap",
		o.kills, slowest.Milliseconds(), count(l.written), count(l.approved), len(l.scheduled), l.unknown, l.lost, l.doubled, releases)
	return f, err
}

func count[K comparable](m map[K]bool) (n int) {
	for _, yes := range m {
		if yes {
			n++
		}
	}
	return n
}

// attempt makes a request of any replica. Without an answer the outcome is not known.
func (in *installation) attempt(ctx context.Context, l *ledger, r request) (answer, bool) {
	a, err := in.send(ctx, rand.N(len(in.replicas)), r)
	if err != nil {
		l.note(func() { l.unknown++ })
		time.Sleep(10 * time.Millisecond) // the process is not listening yet
	}
	return a, err == nil && a.ok()
}

func (in *installation) writes(ctx context.Context, l *ledger) {
	title := newKey()
	_, ok := in.attempt(ctx, l, request{method: http.MethodPost, path: in.open.content(), cookie: in.editor, key: title, body: write(title)})
	l.note(func() { l.written[title] = ok })
}

func (in *installation) approves(ctx context.Context, l *ledger) {
	a, ok := in.attempt(ctx, l, request{method: http.MethodPost, path: in.one.content(), cookie: in.editor, body: write("submitted", object{"published": true})})
	if !ok {
		return
	}
	id := idOf(a)
	_, ok = in.attempt(ctx, l, request{method: http.MethodPost, path: in.one.entry(id) + "/approval/approve", cookie: in.admins[0], key: newKey(), body: object{"stepOrder": 1}})
	l.note(func() { l.approved[id] = ok })
}

// schedules has an entry published in a moment, every other one through approval.
func (in *installation) schedules(ctx context.Context, l *ledger) {
	due := time.Now().Add(rand.N(1500 * time.Millisecond))
	if id, ok := in.schedule(ctx, l, due); ok {
		l.note(func() { l.scheduled[id] = due })
	}
	time.Sleep(20 * time.Millisecond)
}

// schedule has a new entry of the Project without workflow published at a time.
func (in *installation) schedule(ctx context.Context, l *ledger, due time.Time) (int64, bool) {
	a, ok := in.attempt(ctx, l, request{
		method: http.MethodPost, path: in.open.content(), cookie: in.editor,
		body: write("scheduled", object{"published": true, "publishAt": due.UTC().Format(timeLayout)}),
	})
	return idOf(a), ok
}

const timeLayout = "2006-01-02T15:04:05.000Z"

func idOf(a answer) int64 {
	var e content
	_ = json.Unmarshal(a.body, &e) // without an answer it is 0
	return e.ID
}

func titleOf(body []byte) string {
	var e struct{ Title string }
	_ = json.Unmarshal(body, &e) // what is no entry has no title
	return e.Title
}

// settle waits until what was scheduled is public, and checks that each entry was
// published once: publishing is the second version of an entry.
func (in *installation) settle(ctx context.Context, f *finding, l *ledger) error {
	for id, due := range l.scheduled {
		deadline := due.Add(30 * time.Second)
		for {
			e, err := must[content](ctx, in, 0, request{method: http.MethodGet, path: in.open.entry(id), cookie: in.editor})
			if err != nil {
				return err
			}
			if e.State == "published" {
				if e.Version > 2 {
					l.doubled++
					f.fault("entry %d has version %d: it was published more than once", id, e.Version)
				}
				break
			}
			if time.Now().After(deadline) {
				l.lost++
				f.fault("entry %d was due at %s and is not public", id, due.Format(timeLayout))
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// checkWritten walks all entries of the Project without workflow.
func (in *installation) checkWritten(ctx context.Context, f *finding, l *ledger) error {
	const pageSize = 500
	seen := map[string]int{}
	for offset := 0; ; offset += pageSize {
		page, err := must[struct{ Data []content }](ctx, in, 0, request{
			method: http.MethodGet, path: fmt.Sprintf("%s?state=with_draft&limit=%d&offset=%d", in.open.content(), pageSize, offset), cookie: in.editor,
		})
		if err != nil {
			return err
		}
		for _, e := range page.Data {
			seen[e.Fields.Title]++
		}
		if len(page.Data) < pageSize {
			break
		}
	}
	for title, acknowledged := range l.written {
		switch n := seen[title]; {
		case n > 1:
			l.doubled++
			f.fault("%s was written %d times", title, n)
		case n == 0 && acknowledged:
			l.lost++
			f.fault("%s was acknowledged and is lost", title)
		}
	}
	return nil
}

// checkApproved compares the record with the acknowledged requests.
func (in *installation) checkApproved(ctx context.Context, f *finding, l *ledger) error {
	requests, err := in.exported(ctx, in.one)
	if err != nil {
		return err
	}
	found := map[int64]bool{}
	for _, r := range requests {
		acknowledged, mine := l.approved[r.EntryID]
		if !mine {
			continue
		}
		found[r.EntryID] = true
		approved, published := r.did("approve"), r.did("publish")
		if approved > 1 || published > 1 {
			l.doubled++
		}
		if acknowledged && (approved == 0 || published == 0) {
			l.lost++
		}
		if approved > 1 || published != approved || acknowledged && approved == 0 || (r.Status == "published") != (approved == 1) {
			f.fault("entry %d (acknowledged: %v): approved %d times, published %d times, %s", r.EntryID, acknowledged, approved, published, r.Status)
		}
		a, err := in.send(ctx, 0, request{method: http.MethodGet, path: fmt.Sprintf("%s/%d", in.one.public(), r.EntryID), token: in.one.token})
		if err != nil {
			return err
		}
		if a.ok() != (published == 1) {
			f.fault("entry %d: published %d times, and reading it answers %d", r.EntryID, published, a.status)
		}
	}
	for id := range l.approved {
		if !found[id] {
			l.lost++
			f.fault("the request of entry %d is lost", id)
		}
	}
	return nil
}
