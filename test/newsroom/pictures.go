package newsroom

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/media"
	"imprimatur/core/review"
)

// mostPictures is the maximum number of media items of a history.
const mostPictures = 2

// library returns the media items, the oldest first.
func (h *history) library() []core.MediaItem {
	items, err := h.Stores.Media.List(h.Context(), library.Query{ProjectID: h.Project.ID, Limit: mostPictures})
	h.OK(err)
	slices.SortFunc(items, func(a, b core.MediaItem) int { return cmp.Compare(a.ID, b.ID) })
	return items
}

// picture returns the id of one of the media items. It adds the missing ones.
func (h *history) picture(n int) int64 {
	for len(h.library()) <= n {
		h.Picture("new")
	}
	return h.library()[n].ID
}

func (h *history) recaption(rt *rapid.T) {
	id := h.picture(rapid.IntRange(0, mostPictures-1).Draw(rt, "picture"))
	caption := titles.Draw(rt, "caption")
	_, err := h.Library.Change(h.Context(), h.writer(rt), h.Project, id, media.Change{Caption: &caption})
	h.OK(err)
}

// deletePicture deletes a media item unless a published version is sealed with it or reviewers see
// it.
func (h *history) deletePicture(rt *rapid.T) {
	id := h.picture(rapid.IntRange(0, mostPictures-1).Draw(rt, "picture"))
	seen := false
	for _, e := range h.entries() {
		seen = seen || live(e) && e.PublishedMedia != nil && slices.Contains(h.Articles.MediaIDs(e.Published), id)
	}
	for _, r := range h.requests() {
		seen = seen || r.Status.Open() && slices.Contains(h.Articles.MediaIDs(r.Item().Fields()), id)
	}
	err := h.Library.Delete(h.Context(), h.writer(rt), h.Project, id, false)
	if err != nil && !errors.Is(err, core.ErrConflict) {
		h.OK(err)
	}
	if refused := err != nil; refused != seen {
		rt.Fatalf("media item %d, seen %v, governed %v, was deleted: %v", id, seen, h.projectGoverned(), !refused)
	}
}

// checkWords verifies that the media that readers see change only with a published request if the
// project is governed or the version is sealed.
func (h *history) checkWords(rt *rapid.T, entries map[int64]core.Entry, requests map[int64]review.Request) {
	library := h.library()
	words := map[int64]string{}
	for id, e := range entries {
		if e.Published == nil || !live(e) {
			continue
		}
		shown := e.PublishedMedia
		if shown == nil {
			shown = h.Articles.Seal(e.Published, library)
		}
		words[id] = string(shown)
		if before, public := h.words[id]; !h.projectGoverned() && e.PublishedMedia == nil || public && words[id] == before || h.direct != nil && h.direct(id) {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(requests)), func(r review.Request) bool {
			return r.Item().EntryID == id && r.Status == review.RequestPublished && h.seen[r.ID].Status != review.RequestPublished && string(r.Item().Media()) == words[id]
		}) {
			rt.Fatalf("readers of entry %d see %s, which no request has; before: %q", id, words[id], h.words[id])
		}
	}
	h.words = words
}
