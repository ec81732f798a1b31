package newsroom

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/review"
)

// authors are the users with writes of an entry that no publication contains.
type authors struct {
	all   map[int64]bool
	since map[int64]bool // those with such writes after the latest submission
	// After the last action:
	entry       core.Entry
	publication int64 // the number of the newest publication
}

// checkAuthors computes the authors of each entry from its documents, and verifies that a new
// request has them as its contributors.
func (h *history) checkAuthors(rt *rapid.T, entries map[int64]core.Entry, requests map[int64]review.Request) {
	collection, err := h.Stores.Collections.Collection(h.Context(), h.Project.ID, h.Articles.ID)
	h.OK(err)
	for id, e := range entries {
		a := h.authors[id]
		if a == nil {
			a = &authors{all: map[int64]bool{}, since: map[int64]bool{}}
			h.authors[id] = a
		}
		if string(a.entry.Draft) != string(e.Draft) && h.acting.User != nil {
			a.all[h.acting.User.ID], a.since[h.acting.User.ID] = true, true
		}
		for _, r := range requests {
			if r.Item().EntryID != id {
				continue
			}
			if _, known := h.seen[r.ID]; !known {
				h.contributors[r.ID] = keys(a.all)
				a.since = map[int64]bool{}
			}
		}
		newest := h.newestPublication(&e)
		recorded := newest.Number > a.publication
		released := recorded && newest.RequestID != 0
		// The schedules of an entry that no workflow governs can publish the draft and end that
		// publication in one action.
		ended := recorded && !released && e.Published == nil
		// When a workflow begins to govern, the system seals published versions. That publishes no writes.
		sealed := a.entry.Published != nil && a.entry.PublishedMedia == nil && e.PublishedMedia != nil && !released
		published := e.Published != nil && e.TrashedAt.IsZero() && (!e.ReleasedAt.Equal(a.entry.ReleasedAt) && !sealed || !a.entry.TrashedAt.IsZero())
		switch {
		case released:
			a.all = maps.Clone(a.since)
		case ended, published && collection.SameContent(e.Draft, e.Published):
			a.all, a.since = map[int64]bool{}, map[int64]bool{}
		}
		a.entry, a.publication = e, newest.Number
	}
	for id, r := range requests {
		got := map[int64]bool{}
		for _, by := range r.Contributors {
			got[by.Person()] = true
		}
		if !slices.Equal(keys(got), h.contributors[id]) {
			rt.Fatalf("request %d has the contributors %v, want %v", id, keys(got), h.contributors[id])
		}
	}
}

// newestPublication returns the newest publication of e, or the zero value.
func (h *history) newestPublication(e *core.Entry) core.Publication {
	found, err := h.Stores.Publications.Publications(h.Context(), e.ProjectID, e.CollectionID, e.ID, 0, 1)
	h.OK(err)
	if len(found) == 0 {
		return core.Publication{}
	}
	return found[0]
}

func keys(set map[int64]bool) (ids []int64) {
	for id := range set {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// checkTimes verifies that only users that may change the times of an open request have changed
// them.
func (h *history) checkTimes(rt *rapid.T, requests map[int64]review.Request) {
	for id, r := range requests {
		before, known := h.seen[id]
		if known && (!before.ScheduledAt.Equal(r.ScheduledAt) || !before.UnpublishAt.Equal(r.UnpublishAt)) && !h.mayTime(h.acting, &before) {
			rt.Fatalf("%v changed the times of request %d, which %v had approved", h.acting.Ref(), id, before.Approvals)
		}
	}
}

// mayTime computes independently whether the actor may change the times of r.
func (h *history) mayTime(actor core.Actor, r *review.Request) bool {
	by := actor.Ref()
	if by.Kind == r.SubmittedBy.Kind && by.ID == r.SubmittedBy.ID && len(h.approvals[r.ID]) == 0 {
		return true
	}
	for name, id := range h.IDs {
		if actor.UserID() == id {
			return !h.inactive[name] && h.entitled(name, &r.Steps[len(r.Steps)-1]) && !h.barred(name, r)
		}
	}
	return false
}

// barred computes independently whether the user may not act on the current step of r, because of
// writes, the submission or earlier approvals.
func (h *history) barred(name string, r *review.Request) bool {
	id := h.IDs[name]
	submitted := r.SubmittedBy.Kind == "user" && r.SubmittedBy.ID == id
	earlier := h.approvals[r.ID][:min(r.Current, len(h.approvals[r.ID]))]
	return !r.AllowSelfApproval && (submitted || slices.Contains(earlier, id) || slices.Contains(h.contributors[r.ID], id))
}
