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
	// written holds titles by whether the write was acknowledged. Unacknowledged writes may
	// exist, at most once.
	written map[string]bool
	// approved holds submitted entries by whether the approval was acknowledged.
	approved map[int64]bool
	// scheduled holds scheduled entries with their times.
	scheduled map[int64]period
	unknown   int // requests without a response

	lost, doubled int // lost acknowledged changes, and duplicates
}

// period is the time during which a scheduled entry is public; a zero until is no end.
type period struct{ due, until time.Time }

func (l *ledger) note(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// crash kills processes at random times while clients write, approve and schedule. No
// acknowledged change is lost, and none takes effect twice.
func crash(ctx context.Context, in *installation, o options) (finding, error) {
	f := finding{promise: "8 Crash"}
	l := &ledger{written: map[string]bool{}, approved: map[int64]bool{}, scheduled: map[int64]period{}}
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
	if err := in.awaitScheduled(ctx, &f, l); err != nil {
		return f, err
	}
	if err := in.checkWritten(ctx, &f, l); err != nil {
		return f, err
	}
	if err := in.checkApproved(ctx, &f, l); err != nil {
		return f, err
	}
	releases, err := in.verify(ctx, &f)
	f.result = fmt.Sprintf("%d × kill -9, serving again within %d ms; %d writes, %d approvals and %d schedules acknowledged, %d requests broken or refused: %d lost, %d duplicated; %d release numbers without gap",
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

// attempt sends a request to a random replica. Without a response its outcome is unknown.
func (in *installation) attempt(ctx context.Context, l *ledger, r request) (response, bool) {
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

// schedules schedules a new entry within 1.5 s, and the end of every other one.
func (in *installation) schedules(ctx context.Context, l *ledger) {
	p := period{due: time.Now().Add(rand.N(1500 * time.Millisecond))}
	if rand.N(2) == 0 {
		p.until = p.due.Add(10*time.Millisecond + rand.N(1500*time.Millisecond))
	}
	if id, ok := in.schedule(ctx, l, p); ok {
		l.note(func() { l.scheduled[id] = p })
	}
	time.Sleep(20 * time.Millisecond)
}

// schedule schedules a new entry of the project without a workflow.
func (in *installation) schedule(ctx context.Context, l *ledger, p period) (int64, bool) {
	times := object{"published": true, "publishAt": p.due.UTC().Format(timeLayout)}
	if !p.until.IsZero() {
		times["unpublishAt"] = p.until.UTC().Format(timeLayout)
	}
	a, ok := in.attempt(ctx, l, request{method: http.MethodPost, path: in.open.content(), cookie: in.editor, body: write("scheduled", times)})
	return idOf(a), ok
}

const timeLayout = "2006-01-02T15:04:05.000Z"

func idOf(a response) int64 {
	var e content
	_ = json.Unmarshal(a.body, &e) // 0 without a response
	return e.ID
}

func titleOf(body []byte) string {
	var e struct{ Title string }
	_ = json.Unmarshal(body, &e) // other bodies have no title
	return e.Title
}

// awaitScheduled waits until the scheduled entries are public, or not public any more, and
// checks that each was published and unpublished once: both increment the version, except for
// an entry that was due before it was written.
func (in *installation) awaitScheduled(ctx context.Context, f *finding, l *ledger) error {
	for id, p := range l.scheduled {
		want, version, at := "published", int64(2), p.due
		if !p.until.IsZero() {
			want, version, at = "draft", 3, p.until
		}
		deadline := at.Add(30 * time.Second)
		for {
			e, err := must[content](ctx, in, 0, request{method: http.MethodGet, path: in.open.entry(id), cookie: in.editor})
			if err != nil {
				return err
			}
			if e.State == want && (p.until.IsZero() || e.Version > 1) {
				if e.Version > version {
					l.doubled++
					f.report("entry %d has version %d: it was published or unpublished more than once", id, e.Version)
				}
				break
			}
			if time.Now().After(deadline) {
				l.lost++
				f.report("entry %d, due at %s until %s, is %s in version %d", id, p.due.Format(timeLayout), p.until.Format(timeLayout), e.State, e.Version)
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}

// checkWritten compares the written titles with all entries of the project without a workflow.
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
			f.report("%s was written %d times", title, n)
		case n == 0 && acknowledged:
			l.lost++
			f.report("%s was acknowledged and is lost", title)
		}
	}
	return nil
}

// checkApproved compares the exported requests with the acknowledged approvals.
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
			f.report("entry %d (acknowledged: %v): approved %d times, published %d times, %s", r.EntryID, acknowledged, approved, published, r.Status)
		}
		a, err := in.send(ctx, 0, request{method: http.MethodGet, path: fmt.Sprintf("%s/%d", in.one.public(), r.EntryID), token: in.one.token})
		if err != nil {
			return err
		}
		if a.ok() != (published == 1) {
			f.report("entry %d: published %d times, but reading it answered %d", r.EntryID, published, a.status)
		}
	}
	for id := range l.approved {
		if !found[id] {
			l.lost++
			f.report("the request of entry %d is lost", id)
		}
	}
	return nil
}
