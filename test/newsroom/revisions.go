package newsroom

import (
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/review"
)

// checkRevisions verifies that the newest revision of each entry is its draft, that past revisions
// do not change, and that each request that was opened by the current action shows the content of
// a revision that is kept.
func (h *history) checkRevisions(rt *rapid.T, entries map[int64]core.Entry, requests map[int64]review.Request) {
	kept := map[int64]map[string]bool{} // hashes by entry
	for id, e := range entries {
		kept[id] = map[string]bool{}
		if h.revised[id] == nil {
			h.revised[id] = map[int64]string{}
		}
		newest := h.Revisions(e, func(r core.RevisionRecord, content string) {
			kept[id][r.ContentHash] = kept[id][r.ContentHash] || r.Kept && r.Closed
			if known := h.revised[id][r.Number]; known != "" && known != content {
				rt.Fatalf("revision %d of entry %d became %s", r.Number, id, content)
			}
			h.revised[id][r.Number] = content
		})
		delete(h.revised[id], newest) // the next write may extend it
		for number := range newest {
			if number > 0 && h.revised[id][number] == "" {
				rt.Fatalf("entry %d has no revision %d", id, number)
			}
		}
	}
	for id, r := range requests {
		if _, known := h.seen[id]; !known && entries[r.Item().EntryID].ID != 0 && !kept[r.Item().EntryID][r.ContentHash()] {
			rt.Fatalf("no revision of entry %d is kept with the hash %s of request %d", r.Item().EntryID, r.ContentHash(), id)
		}
	}
}

// Revisions calls each with every revision of e and its content, the newest first, and returns the
// number of the newest.
func (w *Fixture) Revisions(e core.Entry, each func(r core.RevisionRecord, content string)) int64 {
	w.Helper()
	newest, err := core.DecodeRevision(e.Revision)
	w.OK(err)
	collection, err := w.Stores.Collections.Collection(w.Context(), e.ProjectID, e.CollectionID)
	w.OK(err)
	content := collection.RevisionContent(e.Draft, core.Document(newest.Media))
	each(newest, string(content))
	past, err := w.Stores.Revisions.Revisions(w.Context(), core.RevisionQuery{ProjectID: e.ProjectID, EntryID: e.ID})
	w.OK(err)
	undo := newest.Undo
	for _, r := range past {
		content, err = undo.Apply(content)
		w.OK(err)
		each(r.RevisionRecord, string(content))
		undo = r.Undo
	}
	return newest.Number
}
