package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
)

// contender is one client of a round: what it asks, and what is on record when it is
// granted.
type contender struct {
	request
	decides string // the type of action; empty: it decides nothing
}

// contenders returns the clients of a round on an entry. The first and the last send
// the same under one key: that is one decision, however often it is answered. Not in
// all rounds does the editor uncheck the box, which also takes back what was published.
func (in *installation) contenders(p place, id int64, hash string, clients int, uncheck bool) []contender {
	post := func(admin int, what, decides, comment string) contender {
		return contender{request{
			method: http.MethodPost, path: p.entry(id) + "/approval/" + what, cookie: in.admins[admin], key: newKey(),
			body: object{"stepOrder": 1, "contentHash": hash, "comment": comment},
		}, decides}
	}
	patch := func(body object) contender {
		return contender{request{method: http.MethodPatch, path: p.entry(id), cookie: in.editor, body: body}, ""}
	}
	kinds := []contender{
		post(0, "approve", "approve", ""), post(1, "approve", "approve", "Good."), post(1, "reject", "reject", ""),
		post(2, "request-revision", "request_revision", "Name the source."), patch(write("edited once")),
		patch(write("edited meanwhile")), post(2, "approve", "approve", ""),
	}
	if uncheck {
		kinds[4] = patch(object{"published": false})
	}
	kinds = append(kinds, kinds[0])
	all := make([]contender, clients)
	for n := range all {
		all[n] = kinds[n%len(kinds)]
	}
	return all
}

// race has clients decide the same request at the same time, round after round. One
// wins; whatever was granted is on record once, and nothing else is.
func race(ctx context.Context, in *installation, o options) (finding, error) {
	f := finding{promise: "7 Concurrent decisions"}
	won, public := map[string]int{}, 0
	for round := range o.rounds {
		p := []place{in.one, in.two}[round%2]
		winner, shown, err := in.round(ctx, &f, p, o.clients, round%4 < 2)
		if err != nil {
			return f, fmt.Errorf("round %d: %w", round, err)
		}
		won[winner]++
		if shown {
			public++
		}
		if round%100 == 99 {
			fmt.Fprintf(os.Stderr, "%d rounds\n", round+1)
		}
	}
	releases, err := in.verify(ctx, &f)
	f.saw = fmt.Sprintf("%d rounds × %d clients: first approved %d, rejected %d, sent back %d, withdrawn %d; %d published; %d release numbers without gap, chains valid",
		o.rounds, o.clients, won["approve"], won["reject"], won["request_revision"], won["withdraw"], public, releases)
	return f, err
}

// round submits an entry and lets the clients loose on it.
func (in *installation) round(ctx context.Context, f *finding, p place, clients int, uncheck bool) (winner string, shown bool, err error) {
	entry, err := must[content](ctx, in, rand.N(len(in.replicas)), request{
		method: http.MethodPost, path: p.content(), cookie: in.editor, body: write("submitted", object{"published": true}),
	})
	if err != nil {
		return "", false, err
	}
	submitted, err := must[approvalRequest](ctx, in, rand.N(len(in.replicas)), request{method: http.MethodGet, path: p.entry(entry.ID) + "/approval", cookie: in.editor})
	if err != nil {
		return "", false, err
	}
	granted, edited := in.compete(ctx, f, in.contenders(p, entry.ID, submitted.ContentHash, clients, uncheck))

	r, err := must[approvalRequest](ctx, in, rand.N(len(in.replicas)), request{method: http.MethodGet, path: p.entry(entry.ID) + "/approval/audit", cookie: in.editor})
	if err != nil {
		return "", false, err
	}
	current, err := must[approvalRequest](ctx, in, rand.N(len(in.replicas)), request{method: http.MethodGet, path: p.entry(entry.ID) + "/approval", cookie: in.editor})
	if err != nil {
		return "", false, err
	}
	if !r.Valid || !r.SnapshotValid || r.ContentHash != submitted.ContentHash || current.ID != submitted.ID {
		f.fault("entry %d: the record of request %d does not verify", entry.ID, submitted.ID)
	}
	decisions := 0
	for _, kind := range []string{"approve", "reject", "request_revision"} {
		decisions += r.did(kind)
		if r.did(kind) != granted[kind] {
			f.fault("entry %d: %d × %s granted, %d on record", entry.ID, granted[kind], kind, r.did(kind))
		}
	}
	if decisions > 1 || decisions+r.did("withdraw") == 0 || r.did("withdraw") > 1 || r.did("submit") != 1 {
		f.fault("entry %d: %d decisions and %d withdrawals of one step", entry.ID, decisions, r.did("withdraw"))
	}
	for _, kind := range []string{"approve", "reject", "request_revision", "withdraw"} {
		if winner == "" && r.did(kind) > 0 {
			winner = kind
		}
	}
	if shown, err = in.shows(ctx, f, p, entry.ID, edited); err != nil {
		return "", false, err
	}
	if published := r.did("publish") > 0; shown && !published || published != (p == in.one && r.did("approve") > 0) {
		f.fault("entry %d: public: %v, published on record: %v, status %s", entry.ID, shown, published, current.Status)
	}
	return winner, shown, nil
}

// compete sends the requests of all clients at once. It returns how many decisions of
// each kind were granted, and whether an edit was.
func (in *installation) compete(ctx context.Context, f *finding, all []contender) (granted map[string]int, edited bool) {
	answers := make([]answer, len(all))
	errs := make([]error, len(all))
	var group sync.WaitGroup
	ready := make(chan struct{})
	for n, c := range all {
		replica := rand.N(len(in.replicas))
		group.Go(func() {
			<-ready
			answers[n], errs[n] = in.send(ctx, replica, c.request)
		})
	}
	close(ready)
	group.Wait()
	granted = map[string]int{}
	var keys []string
	for n, c := range all {
		a := answers[n]
		switch {
		case errs[n] != nil:
			f.fault("%s %s: %v", c.method, c.path, errs[n])
		case a.ok() && c.decides != "" && !slices.Contains(keys, c.key):
			granted[c.decides]++
			keys = append(keys, c.key)
		case a.ok():
			edited = edited || c.decides == ""
		case a.status != http.StatusConflict:
			f.fault("%s %s answered %d: %s", c.method, c.path, a.status, a.body)
		}
	}
	return granted, edited
}

// shows reports whether readers see the entry, which must be as it was submitted.
func (in *installation) shows(ctx context.Context, f *finding, p place, id int64, edited bool) (bool, error) {
	a, err := in.send(ctx, rand.N(len(in.replicas)), request{method: http.MethodGet, path: fmt.Sprintf("%s/%d", p.public(), id), token: p.token})
	if err != nil {
		return false, err
	}
	if a.status == http.StatusNotFound {
		return false, nil
	}
	if !a.ok() {
		f.fault("reading entry %d answered %d: %s", id, a.status, a.body)
		return false, nil
	}
	if title := titleOf(a.body); title != "submitted" {
		f.fault("entry %d: %q is public, which was not approved (edited: %v)", id, title, edited)
	}
	return true, nil
}

// verify checks the whole record of both governed Projects, which share the release
// numbers, and returns how many there are.
func (in *installation) verify(ctx context.Context, f *finding) (int, error) {
	var numbers []string
	for _, p := range []place{in.one, in.two} {
		requests, err := in.exported(ctx, p)
		if err != nil {
			return 0, err
		}
		for _, r := range requests {
			if !r.Valid || !r.SnapshotValid {
				f.fault("the record of request %d does not verify", r.ID)
			}
			numbers = append(numbers, r.ReleaseNumber)
		}
	}
	slices.Sort(numbers)
	slices.SortStableFunc(numbers, func(a, b string) int { return len(a) - len(b) })
	for n, number := range numbers {
		if want := fmt.Sprintf("-%04d", n+1); number[len("CR-2026"):] != want {
			f.fault("release number %s stands where %s should", number, want)
			break
		}
	}
	return len(numbers), nil
}
