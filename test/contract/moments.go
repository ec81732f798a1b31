package contract

import (
	"fmt"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// issue makes content the published version of e, at the time of the store.
func (s *testCollection) issue(t reporter, e *core.Entry, content fields) {
	t.Helper()
	s.change(t, e, func(e *core.Entry) {
		s.publish(e, content, time.Time{}, publisher)
	})
	e.Publishing = nil
}

func datesPublications(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	begun := w.now(t)
	e := coll.add(t, draftOf("en", fields{"title": "draft"}))
	coll.issue(t, &e, fields{"title": "one"})
	first := e.ReleasedAt
	if first.Before(begun) || first.After(w.now(t)) {
		t.Errorf("published at %v, between %v and %v", first, begun, w.now(t))
	}
	assertEqual(t, e.PublishedAt, first)
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	coll.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{"title": "edited"}) })
	assertEqual(t, []time.Time{e.ReleasedAt, e.PublishedAt}, []time.Time{first, first})
	coll.change(t, &e, func(e *core.Entry) { // as a writer that has not read the times
		e.Draft, e.ReleasedAt, e.PublishedAt = doc(fields{"title": "edited again"}), time.Time{}, time.Time{}
	})
	assertEqual(t, []time.Time{e.ReleasedAt, e.PublishedAt}, []time.Time{first, first})
	assertEqual(t, len(coll.publications(t, e)), 1)

	coll.change(t, &e, func(e *core.Entry) {
		coll.publish(e, fields{"title": "one"}, time.Time{}, publisher)
		e.PublishedAt = at(3)
	})
	e.Publishing = nil
	list := coll.publications(t, e)
	assertEqual(t, []time.Time{list[0].PublishedAt, list[0].Since}, []time.Time{e.ReleasedAt, at(3)})
	coll.issue(t, &e, fields{"title": "two"})
	assertEqual(t, e.PublishedAt, at(3))

	added := draftOf("en", fields{"title": "new"})
	coll.publish(&added, fields{"title": "new"}, time.Time{}, publisher)
	added = coll.add(t, added)
	assertEqual(t, added.PublishedAt, added.ReleasedAt)
	if added.ReleasedAt.Before(begun) {
		t.Errorf("a new entry is public since %v", added.ReleasedAt)
	}
	assertEqual(t, coll.publications(t, added)[0].PublishedAt, added.ReleasedAt)
}

func datesInOrder(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{"title": "draft"}))
	for n := range 5 {
		coll.issue(t, &e, fields{"title": fmt.Sprint("fast ", n)})
	}
	ahead := w.now(t).Add(time.Hour).Truncate(time.Millisecond) // as of another clock
	coll.release(t, &e, fields{"title": "ahead"}, ahead, publisher)
	coll.issue(t, &e, fields{"title": "next"})
	coll.change(t, &e, hideEntry)
	coll.issue(t, &e, fields{"title": "again"})
	coll.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(40) })
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		restored := e
		hideEntry(&restored)
		restored.TrashedAt, restored.Version = time.Time{}, restored.Version+1
		coll.publish(&restored, fields{"title": "restored"}, time.Time{}, publisher)
		return s.Entries.Save(t.Context(), coll.schema, nil, []*core.Entry{&restored})
	})))
	list := coll.publications(t, e)
	assertEqual(t, len(list), 9)
	since := list[0].Since
	assertEqual(t, since, list[0].PublishedAt)
	for i, at := range []int{5, 3, 1, 0} { // unpublished and trashed between
		assertEqual(t, list[i].PublishedAt, ahead.Add(time.Duration(at)*time.Millisecond))
	}
	for i, p := range list[1:] {
		next := list[i].PublishedAt
		if gap := i < 2; !p.PublishedAt.Before(p.UnpublishedAt) || gap != p.UnpublishedAt.Before(next) || p.UnpublishedAt.After(next) {
			t.Errorf("publication %d is from %v to %v, the next from %v", p.Number, p.PublishedAt, p.UnpublishedAt, next)
		}
	}
}
