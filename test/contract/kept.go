package contract

import (
	"math"
	"slices"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/review"
)

func keepsForPublications(t *testing.T, w *fixture) {
	kept, other := newMedia(t, w), newMedia(t, w)
	requireNoError(t, w.Media.Keep(t.Context(), w.project.ID, kept.ID))
	q := library.Query{ProjectID: w.project.ID, Limit: 9}
	for name, items := range map[string][]core.MediaItem{
		"by id":    result(w.Media.MediaByIDs(t.Context(), w.project.ID, []int64{kept.ID, other.ID}))(t),
		"by hash":  result(w.Media.MediaByHash(t.Context(), w.project.ID, []string{kept.Hash}))(t),
		"list":     result(w.Media.List(t.Context(), q))(t),
		"pictures": result(w.Media.Pictures(t.Context(), w.project.ID, 0, 9, false))(t),
	} {
		if got := mediaIDs(items); !slices.Equal(got, []int64{other.ID}) {
			t.Errorf("%s: %v, want only %d", name, got, other.ID)
		}
	}
	assertEqual(t, result(w.Media.Count(t.Context(), q))(t), int64(1))
	assertEqual(t, result(w.Media.CountPictures(t.Context(), w.project.ID, 0, false))(t), int64(1))
	for _, err := range []error{
		errorOf(w.Media.Media(t.Context(), w.project.ID, kept.ID)), w.Media.Update(t.Context(), &kept), w.Media.Delete(t.Context(), w.project.ID, kept.ID),
		w.Media.Keep(t.Context(), w.project.ID, kept.ID), w.Media.DeleteKept(t.Context(), w.project.ID, other.ID), w.Media.DeleteKept(t.Context(), w.project.ID, unknown),
		w.Media.DeleteKept(t.Context(), w.otherProject(t).project.ID, kept.ID), w.Media.Keep(t.Context(), w.otherProject(t).project.ID, other.ID),
	} {
		requireError(t, err, core.ErrNotFound)
	}
	past := func(projectID int64) []core.MediaItem {
		items := result(w.Media.PastMedia(t.Context(), projectID, []int64{other.ID, kept.ID, unknown}))(t)
		slices.SortFunc(items, func(a, b core.MediaItem) int { return int(a.ID - b.ID) })
		return items
	}
	assertEqual(t, past(w.project.ID), []core.MediaItem{kept, other})
	assertEqual(t, past(w.otherProject(t).project.ID), []core.MediaItem{})
	assertEqual(t, result(w.Media.PastMedia(t.Context(), w.project.ID, nil))(t), []core.MediaItem{})

	assertEqual(t, w.needed(t, kept.Full), int64(2))
	assertEqual(t, w.unnamed(t), []core.MediaItem{kept})
	requireNoError(t, w.Media.DeleteKept(t.Context(), w.project.ID, kept.ID))
	assertEqual(t, past(w.project.ID), []core.MediaItem{other})
	assertEqual(t, w.needed(t, kept.Full), int64(1))
	again := newMedia(t, w)
	if again.ID == kept.ID {
		t.Error("the id of a deleted item is used again")
	}
}

// needed returns the number of items that need the blob, computed without the ledger.
func (w *fixture) needed(t *testing.T, name string) (items int64) {
	t.Helper()
	requireNoError(t, w.BlobChecks.CheckHolders(t.Context(), w.project.ID, func(found string, needed, _ int64) {
		if found == name {
			items = needed
		}
	}))
	return items
}

// unnamed returns the kept items of the Project that no publication names.
func (w *fixture) unnamed(t *testing.T) []core.MediaItem {
	t.Helper()
	return slices.DeleteFunc(result(w.Media.Unnamed(t.Context(), math.MaxInt32))(t), func(m core.MediaItem) bool { return m.ProjectID != w.project.ID })
}

// showing publishes a version of e with the media.
func (s *testCollection) showing(e *core.Entry, when time.Time, items ...core.MediaItem) {
	if e.Published == nil {
		e.PublishedAt = when
	}
	e.Published, e.ReleasedAt, e.Publishing = doc(fields{"pages": mediaIDs(items)}), when, &core.Publishing{By: publisher}
	e.Publishing.Content, e.PublishedHash, _ = s.schema.Collection.Snapshot(e.Locale, e.Published, core.Seal(items))
}

func knowsNamedMedia(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", mediaFields()...)
	a, b, c, d := newMedia(t, w), newMedia(t, w), newMedia(t, w), newMedia(t, w)
	named := func() (of [4]bool) {
		for i, item := range []core.MediaItem{a, b, c, d} {
			of[i] = result(w.Publications.NamesMedia(t.Context(), w.project.ID, item.ID))(t)
		}
		return of
	}
	e := draftOf("en", fields{"pages": mediaIDs([]core.MediaItem{d})})
	coll.showing(&e, at(10), a)
	e = coll.add(t, e)
	assertEqual(t, named(), [4]bool{true, false, false, false})
	coll.change(t, &e, func(e *core.Entry) { coll.showing(e, at(20), a, b) })
	coll.change(t, &e, hideEntry)
	coll.change(t, &e, func(e *core.Entry) { coll.showing(e, at(30)) })
	assertEqual(t, named(), [4]bool{true, true, false, false})
	coll.change(t, &e, func(e *core.Entry) { coll.showing(e, at(40), c) })
	assertEqual(t, named(), [4]bool{true, true, true, false})
	assertEqual(t, result(w.Publications.NamesMedia(t.Context(), w.otherProject(t).project.ID, a.ID))(t), false)

	requireNoError(t, w.Media.Keep(t.Context(), w.project.ID, a.ID))
	requireNoError(t, w.Media.Keep(t.Context(), w.project.ID, d.ID))
	assertEqual(t, w.unnamed(t), []core.MediaItem{d})
	assertEqual(t, len(result(w.Media.Unnamed(t.Context(), 1))(t)), 1)
	requireNoError(t, coll.destroy(t, e.ID))
	assertEqual(t, named(), [4]bool{true, true, true, false})
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, named(), [4]bool{})
	assertEqual(t, w.unnamed(t), []core.MediaItem(nil))
}

func deletesExpired(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", mediaFields()...)
	item := newMedia(t, w)
	first := func(e core.Entry) core.Entry {
		coll.showing(&e, at(10), item)
		return coll.add(t, e)
	}
	changed, hidden, destroyed, requested := first(draftOf("en", fields{})), first(draftOf("en", fields{})), first(draftOf("en", fields{})), coll.add(t, draftOf("en", fields{}))
	for n := range 3 {
		coll.change(t, &changed, func(e *core.Entry) { coll.showing(e, at(20+n)) })
	}
	coll.change(t, &hidden, hideEntry)
	r := w.newRequest(requested.ID)
	w.submit(t, &r)
	coll.change(t, &requested, func(e *core.Entry) {
		coll.showing(e, at(10))
		e.Publishing.RequestID, e.Publishing.Content, e.PublishedHash = r.ID, r.Item().Snapshot, r.ContentHash()
	})
	coll.change(t, &requested, func(e *core.Entry) { coll.showing(e, at(20)) })
	requireNoError(t, coll.destroy(t, destroyed.ID))
	left := func() (numbers [][]int64) {
		for _, e := range []core.Entry{changed, hidden, destroyed, requested} {
			numbers = append(numbers, ids(coll.publications(t, e), func(p core.Publication) int64 { return p.Number }))
		}
		return numbers
	}
	all := [][]int64{{4, 3, 2, 1}, {1}, {1}, {2, 1}}
	now := w.now(t)
	later := now.AddDate(1, 0, 0)
	expire := func(now, ended time.Time, limit int) int {
		t.Helper()
		return result(w.Publications.DeleteExpired(t.Context(), now, ended, limit))(t)
	}
	expire(later, later, math.MaxInt32)
	assertEqual(t, left(), all) // the Project keeps all

	w.project.PublicationDays = 100
	requireNoError(t, w.Projects.Update(t.Context(), w.project))
	expire(later, at(19), math.MaxInt32)
	expire(at(19).AddDate(0, 0, 100), later, math.MaxInt32)
	assertEqual(t, left(), all)
	expire(at(21).AddDate(0, 0, 100), later, math.MaxInt32)
	assertEqual(t, left(), [][]int64{{4, 3, 2}, {1}, {1}, {2, 1}})
	assertEqual(t, result(w.Publications.NamesMedia(t.Context(), w.project.ID, item.ID))(t), true)
	expire(later, at(22), math.MaxInt32)
	assertEqual(t, left(), [][]int64{{4, 3}, {1}, {1}, {2, 1}})
	for deleted := 1; deleted > 0 && !t.Failed(); {
		deleted = expire(later, later, 1)
	}
	assertEqual(t, left(), [][]int64{{4}, {1}, {}, {2, 1}})
	assertEqual(t, result(w.Publications.NamesMedia(t.Context(), w.project.ID, item.ID))(t), true)

	coll.change(t, &hidden, func(e *core.Entry) { coll.showing(e, at(50)) })
	coll.change(t, &changed, func(e *core.Entry) { coll.showing(e, at(50)) })
	r.Status, r.Version = review.RequestPublished, 2
	requireNoError(t, w.Requests.Update(t.Context(), &r, nil))
	for deleted := 1; deleted > 0 && !t.Failed(); {
		deleted = expire(later, later, 1)
	}
	assertEqual(t, left(), [][]int64{{5}, {2}, {}, {2}})
	assertEqual(t, result(w.Publications.NamesMedia(t.Context(), w.project.ID, item.ID))(t), false)
}
