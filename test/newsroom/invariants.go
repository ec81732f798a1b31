package newsroom

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"pgregory.net/rapid"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// check verifies the invariants after every action.
func (h *history) check(rt *rapid.T) {
	requests := map[int64]review.Request{}
	for _, r := range h.requests() {
		requests[r.ID] = r
	}
	entries := map[int64]core.Entry{}
	for _, e := range h.entries() {
		entries[e.ID] = e
	}
	h.checkPublic(rt, entries, requests)
	h.checkWords(rt, entries, requests)
	h.checkOpen(rt, entries, requests)
	h.checkNumbers(rt, requests)
	h.checkSchedules(rt, entries, requests)
	h.checkRecords(rt, len(requests))
	h.checkAuthors(rt, entries, requests)
	h.checkInboxes(rt, requests)
	h.checkRevisions(rt, entries, requests)
	h.checkTimes(rt, requests)
	h.seen = requests
}

// differs describes how a published document differs from the released snapshot, "" if it
// does not. Hidden and removed fields are not part of snapshots.
func (h *history) differs(published core.Document, released *review.Request) string {
	collection, err := h.Stores.Collections.Collection(h.Context(), h.Project.ID, h.Articles.ID)
	h.OK(err)
	var snapshot struct {
		Fields map[string]json.RawMessage `json:"fields"`
	}
	h.OK(json.Unmarshal(released.Item().Snapshot, &snapshot))
	fault := ""
	published.Each(func(name, raw []byte) {
		reviewed, shown := snapshot.Fields[string(name)]
		f := collection.Field(string(name))
		switch {
		case shown && string(reviewed) != string(raw):
			fault = string(name) + " differs from the snapshot"
		case !shown && f != nil && !f.Secret():
			fault = string(name) + " is not in the snapshot"
		}
		delete(snapshot.Fields, string(name))
	})
	for name := range snapshot.Fields {
		fault = name + " is missing"
	}
	return fault
}

// checkPublic verifies that entries became public directly or as the snapshot of a fully
// approved request.
func (h *history) checkPublic(rt *rapid.T, entries map[int64]core.Entry, requests map[int64]review.Request) {
	public := map[int64]string{}
	for id, e := range entries {
		if e.Published == nil {
			continue
		}
		public[id] = string(e.Published)
		if public[id] == h.public[id] || h.direct != nil && h.direct(id) {
			continue
		}
		var released *review.Request
		for _, r := range requests {
			if r.Item().EntryID == id && r.Status == review.RequestPublished && h.seen[r.ID].Status != review.RequestPublished {
				released = &r
			}
		}
		if released == nil {
			rt.Fatalf("entry %d became public without a request: %s", id, e.Published)
		}
		if fault := h.differs(e.Published, released); fault != "" {
			rt.Fatalf("entry %d is public as %s, request %d has the snapshot %s: %s", id, e.Published, released.ID, released.Item().Snapshot, fault)
		}
	}
	for _, r := range requests {
		switch r.Status {
		case review.RequestApproved, review.RequestPublished:
			if len(h.approvals[r.ID]) != len(r.Steps) || !slices.Equal(h.approvals[r.ID], r.Outcome().Approvers) {
				rt.Fatalf("request %d of %d steps is %s with the approvals of %v", r.ID, len(r.Steps), r.Status, h.approvals[r.ID])
			}
		case review.RequestPending:
			if len(h.approvals[r.ID]) != r.Current {
				rt.Fatalf("request %d is at step %d with the approvals of %v", r.ID, r.Current+1, h.approvals[r.ID])
			}
		}
		if before, known := h.seen[r.ID]; known && !before.Status.Open() && before.Version != r.Version {
			rt.Fatalf("request %d was closed and became %s", r.ID, r.Status)
		}
	}
	h.public = public
}

// checkOpen verifies that each entry has at most one open request, and none in the trash.
func (h *history) checkOpen(rt *rapid.T, entries map[int64]core.Entry, requests map[int64]review.Request) {
	open := map[int64]bool{}
	for _, r := range requests {
		if !r.Status.Open() {
			continue
		}
		if e, ok := entries[r.Item().EntryID]; open[r.Item().EntryID] || !ok || !e.TrashedAt.IsZero() {
			rt.Fatalf("entry %d, trashed at %v, has the open request %d, and another one: %v", r.Item().EntryID, e.TrashedAt, r.ID, open[r.Item().EntryID])
		}
		open[r.Item().EntryID] = true
	}
}

// checkNumbers verifies that release numbers have no gap and no duplicate.
func (h *history) checkNumbers(rt *rapid.T, requests map[int64]review.Request) {
	years := map[int]map[int64]bool{}
	for _, r := range requests {
		if years[r.ReleaseYear] == nil {
			years[r.ReleaseYear] = map[int64]bool{}
		}
		if years[r.ReleaseYear][r.ReleaseCount] {
			rt.Fatalf("%s was used twice", r.ReleaseNumber())
		}
		years[r.ReleaseYear][r.ReleaseCount] = true
	}
	for year, numbers := range years {
		for n := range int64(len(numbers)) {
			if !numbers[n+1] {
				rt.Fatalf("%d release numbers of %d lack %d", len(numbers), year, n+1)
			}
		}
	}
}

// checkSchedules verifies that exactly the approved requests are scheduled, and ends only for
// published entries.
func (h *history) checkSchedules(rt *rapid.T, entries map[int64]core.Entry, requests map[int64]review.Request) {
	publications, err := h.Stores.Schedules.Schedules(h.Context(), schedule.Query{ProjectIDs: []int64{h.Project.ID}, Limit: 10000})
	h.OK(err)
	scheduled := map[int64]schedule.Schedule{}
	for _, p := range publications {
		if e := entries[p.EntryID]; p.Action == schedule.Unpublish {
			if e.Published == nil || !e.TrashedAt.IsZero() || p.DueAt.Before(e.PublishedAt) {
				rt.Fatalf("entry %d, published at %s and trashed at %s, is to be unpublished at %s", e.ID, e.PublishedAt, e.TrashedAt, p.DueAt)
			}
		} else if p.RequestID != 0 {
			scheduled[p.RequestID] = p
		}
	}
	for _, r := range requests {
		p, ok := scheduled[r.ID]
		if ok != (r.Status == review.RequestApproved) || ok && (!p.DueAt.Equal(r.ScheduledAt) || !p.UnpublishAt.Equal(r.UnpublishAt)) {
			rt.Fatalf("request %d is %s for %v and scheduled %v for %v", r.ID, r.Status, r.ScheduledAt, ok, p.DueAt)
		}
	}
}

// checkRecords verifies every audit trail, and that nothing was published early.
func (h *history) checkRecords(rt *rapid.T, requests int) {
	var out bytes.Buffer
	n, err := h.Exporter.Export(h.Context(), h.Project, wire.WriteApprovals(&out), nil)
	h.OK(err)
	if n != int64(requests) {
		rt.Fatalf("%d requests have %d audit trails", requests, n)
	}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var line struct {
			ID                   int64
			Status               string
			Valid, SnapshotValid bool
			ScheduledPublishAt   string
			Actions              []struct{ Type, CreatedAt string }
		}
		h.OK(json.Unmarshal(lines.Bytes(), &line))
		if !line.Valid || !line.SnapshotValid {
			rt.Fatalf("the audit trail does not verify: %s", lines.Bytes())
		}
		last := line.Actions[len(line.Actions)-1]
		now := slices.ContainsFunc(line.Actions, func(a struct{ Type, CreatedAt string }) bool { return a.Type == "publish_now" })
		if line.Status == "published" && (last.Type != "publish" || !now && last.CreatedAt < line.ScheduledPublishAt) {
			rt.Fatalf("published early: %s", lines.Bytes())
		}
	}
}

// checkInboxes verifies that each user's inbox contains exactly the requests that the user
// may approve.
func (h *history) checkInboxes(rt *rapid.T, requests map[int64]review.Request) {
	for name := range Users {
		if h.inactive[name] {
			continue // inactive users cannot sign in
		}
		var want []int64
		for id, r := range requests {
			if h.mayApprove(name, &r) {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		page, err := h.Inbox.List(h.Context(), h.Actor(name), approval.InboxFilter{Window: query.Window{PerPage: query.MaxPerPage}, ProjectID: h.Project.ID})
		h.OK(err)
		var got []int64
		for _, v := range page.Items {
			got = append(got, v.Request.ID)
		}
		slices.Sort(got)
		if !slices.Equal(want, got) || page.Total != int64(len(want)) {
			rt.Fatalf("the inbox of %s contains %v of %d, want %v", name, got, page.Total, want)
		}
		sum, err := h.Inbox.Summary(h.Context(), h.Actor(name))
		h.OK(err)
		if sum.Pending < int64(len(want)) {
			rt.Fatalf("the summary of %s counts %d, want %d", name, sum.Pending, len(want))
		}
	}
}

// withdrawAll verifies that a tenant admin can withdraw every open request.
func (h *history) withdrawAll() {
	for _, r := range h.requests() {
		if !r.Status.Open() {
			continue
		}
		_, err := h.Writer.Update(h.Context(), h.Actor("tenant"), h.Ref(r.Item().EntryID), nil, core.EntryWrite{Published: new(false)})
		h.OK(err)
		ended := h.latest(r)
		if ended.ID != r.ID || ended.Status != review.RequestWithdrawn {
			h.OK(errors.New("a tenant admin could not withdraw a request"))
		}
	}
}
