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

// roundClient is one client of a round: its request, and the action that is recorded if it
// succeeds.
type roundClient struct {
	request
	decides string // action type; empty for an edit
}

// clientsOf returns the clients of a round on an entry. The first and the last send the
// same request with one key, which counts as one decision. With unpublish set, the editor
// withdraws.
func (in *installation) clientsOf(p place, id int64, hash string, clients int, unpublish bool) []roundClient {
	post := func(admin int, what, decides, comment string) roundClient {
		return roundClient{request{
			method: http.MethodPost, path: p.entry(id) + "/approval/" + what, cookie: in.admins[admin], key: newKey(),
			body: object{"stepOrder": 1, "contentHash": hash, "comment": comment},
		}, decides}
	}
	patch := func(body object) roundClient {
		return roundClient{request{method: http.MethodPatch, path: p.entry(id), cookie: in.editor, body: body}, ""}
	}
	kinds := []roundClient{
		post(0, "approve", "approve", ""), post(1, "approve", "approve", "Good."), post(1, "reject", "reject", ""),
		post(2, "request-revision", "request_revision", "Name the source."), patch(write("edited once")),
		patch(write("edited meanwhile")), post(2, "approve", "approve", ""),
	}
	if unpublish {
		kinds[4] = patch(object{"published": false})
	}
	kinds = append(kinds, kinds[0])
	all := make([]roundClient, clients)
	for n := range all {
		all[n] = kinds[n%len(kinds)]
	}
	return all
}

// race lets clients decide the same request concurrently, round after round. One succeeds;
// exactly the successful actions are recorded, each once.
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
	f.result = fmt.Sprintf("%d rounds × %d clients: first action approve %d, reject %d, request revision %d, withdraw %d; %d published; %d release numbers without gap, chains valid",
		o.rounds, o.clients, won["approve"], won["reject"], won["request_revision"], won["withdraw"], public, releases)
	return f, err
}

// round submits an entry and runs the clients on it.
func (in *installation) round(ctx context.Context, f *finding, p place, clients int, unpublish bool) (winner string, shown bool, err error) {
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
	granted, edited := in.compete(ctx, f, in.clientsOf(p, entry.ID, submitted.ContentHash, clients, unpublish))

	r, err := must[approvalRequest](ctx, in, rand.N(len(in.replicas)), request{method: http.MethodGet, path: p.entry(entry.ID) + "/approval/audit", cookie: in.editor})
	if err != nil {
		return "", false, err
	}
	current, err := must[approvalRequest](ctx, in, rand.N(len(in.replicas)), request{method: http.MethodGet, path: p.entry(entry.ID) + "/approval", cookie: in.editor})
	if err != nil {
		return "", false, err
	}
	if !r.Valid || !r.SnapshotValid || r.ContentHash != submitted.ContentHash || current.ID != submitted.ID {
		f.report("entry %d: the audit trail of request %d does not verify", entry.ID, submitted.ID)
	}
	decisions := 0
	for _, kind := range []string{"approve", "reject", "request_revision"} {
		decisions += r.did(kind)
		if r.did(kind) != granted[kind] {
			f.report("entry %d: %d × %s succeeded, %d recorded", entry.ID, granted[kind], kind, r.did(kind))
		}
	}
	if decisions > 1 || decisions+r.did("withdraw") == 0 || r.did("withdraw") > 1 || r.did("submit") != 1 {
		f.report("entry %d: %d decisions and %d withdrawals of one step", entry.ID, decisions, r.did("withdraw"))
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
		f.report("entry %d: public: %v, publication recorded: %v, status %s", entry.ID, shown, published, current.Status)
	}
	return winner, shown, nil
}

// compete sends the requests of all clients concurrently. It returns the number of
// successful decisions by type, and whether an edit succeeded.
func (in *installation) compete(ctx context.Context, f *finding, all []roundClient) (granted map[string]int, edited bool) {
	responses := make([]response, len(all))
	errs := make([]error, len(all))
	var group sync.WaitGroup
	ready := make(chan struct{})
	for n, c := range all {
		replica := rand.N(len(in.replicas))
		group.Go(func() {
			<-ready
			responses[n], errs[n] = in.send(ctx, replica, c.request)
		})
	}
	close(ready)
	group.Wait()
	granted = map[string]int{}
	var keys []string
	for n, c := range all {
		a := responses[n]
		switch {
		case errs[n] != nil:
			f.report("%s %s: %v", c.method, c.path, errs[n])
		case a.ok() && c.decides != "" && !slices.Contains(keys, c.key):
			granted[c.decides]++
			keys = append(keys, c.key)
		case a.ok():
			edited = edited || c.decides == ""
		case a.status != http.StatusConflict:
			f.report("%s %s answered %d: %s", c.method, c.path, a.status, a.body)
		}
	}
	return granted, edited
}

// shows reports whether the entry is public, and checks that it is the submitted version.
func (in *installation) shows(ctx context.Context, f *finding, p place, id int64, edited bool) (bool, error) {
	a, err := in.send(ctx, rand.N(len(in.replicas)), request{method: http.MethodGet, path: fmt.Sprintf("%s/%d", p.public(), id), token: p.token})
	if err != nil {
		return false, err
	}
	if a.status == http.StatusNotFound {
		return false, nil
	}
	if !a.ok() {
		f.report("reading entry %d answered %d: %s", id, a.status, a.body)
		return false, nil
	}
	if title := titleOf(a.body); title != "submitted" {
		f.report("entry %d: the unapproved title %q is public (edited: %v)", id, title, edited)
	}
	return true, nil
}

// verify checks the audit trails of both projects with a workflow, and that their shared
// release numbers have no gap. It returns the count of numbers.
func (in *installation) verify(ctx context.Context, f *finding) (int, error) {
	var numbers []string
	for _, p := range []place{in.one, in.two} {
		requests, err := in.exported(ctx, p)
		if err != nil {
			return 0, err
		}
		for _, r := range requests {
			if !r.Valid || !r.SnapshotValid {
				f.report("the audit trail of request %d does not verify", r.ID)
			}
			numbers = append(numbers, r.ReleaseNumber)
		}
	}
	slices.Sort(numbers)
	slices.SortStableFunc(numbers, func(a, b string) int { return len(a) - len(b) })
	for n, number := range numbers {
		if want := fmt.Sprintf("-%04d", n+1); number[len("CR-2026"):] != want {
			f.report("release number %s, want %s", number, want)
			break
		}
	}
	return len(numbers), nil
}
