package contract

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Publications checks a ports.PublicationStore.
func Publications(t *testing.T, open Factory) {
	run(t, open, cases{
		"records each version that readers saw":          recordsVersions,
		"records who published and the request's number": recordsIssue,
		"records many entries at once":                   recordsMany,
		"records entries that move together":             movesTogether,
		"returns what was public at a time":              returnsPublicAt,
		"pages, newest first":                            pagesPublications,
		"numbers without gaps under concurrent writes":   numbersWithoutGaps,
		"ends publications with the entry or collection": endsWithEntry,
		"finds no publications of another collection":    isolatesPublications,
		"keeps the slugs that versions had":              keepsFormerSlugs,
		"knows the media that publications name":         knowsNamedMedia,
		"deletes expired publications":                   deletesExpired,
		"dates publications by its clock":                datesPublications,
		"dates publications after the last one":          datesInOrder,
	})
}

// publications returns the publications of e with their content, newest first.
func (s *testCollection) publications(t reporter, e core.Entry) []core.Publication {
	t.Helper()
	project, collection := s.schema.Project.ID, s.schema.Collection.ID
	list := result(s.w.Publications.Publications(t.Context(), project, collection, e.ID, 0, 100))(t)
	for i, p := range list {
		whole := result(s.w.Publications.Publication(t.Context(), project, collection, e.ID, p.Number))(t)
		p.Content = whole.Content
		assertEqual(t, whole, p)
		list[i] = whole
	}
	assertEqual(t, result(s.w.Publications.PublicationCount(t.Context(), project, collection, e.ID))(t), int64(len(list)))
	return list
}

// release makes content the published version of e at a time.
func (s *testCollection) release(t reporter, e *core.Entry, content fields, when time.Time, by core.ActorRef) {
	t.Helper()
	s.change(t, e, func(e *core.Entry) { s.publish(e, content, when, by) })
}

func (s *testCollection) publish(e *core.Entry, content fields, when time.Time, by core.ActorRef) {
	if e.Published == nil {
		e.PublishedAt = when
	}
	e.Published, e.ReleasedAt, e.Publishing = doc(content), when, &core.Publishing{By: by}
	e.Publishing.Content, e.PublishedHash, _ = s.schema.Collection.Snapshot(e.Locale, e.Published, nil)
}

func hideEntry(e *core.Entry) {
	e.Published, e.PublishedHash, e.PublishedAt, e.ReleasedAt = nil, "", time.Time{}, time.Time{}
}

var publisher = core.ActorRef{Kind: "token", ID: 3, Name: "CI é", MadeBy: 4}

func recordsVersions(t *testing.T, w *fixture) {
	secret := titleField()
	secret.Name, secret.Hidden = "secret", true
	coll := newTestCollection(t, w, "articles", titleField(), secret)
	e := coll.add(t, draftOf("fr", fields{"title": "draft"}))
	assertEqual(t, coll.publications(t, e), []core.Publication{})
	coll.release(t, &e, fields{"title": "one", "secret": "hidden"}, at(10), publisher)
	coll.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{"title": "edited"}) })
	one := core.Publication{
		ProjectID: w.project.ID, CollectionID: coll.schema.Collection.ID, EntryID: e.ID, Group: e.Group, Number: 1,
		PublishedAt: at(10), Since: at(10), CreatedAt: at(1), By: publisher,
	}
	one.Content, one.ContentHash, _ = coll.schema.Collection.Snapshot("fr", doc(fields{"title": "one"}), nil)
	assertEqual(t, one.Locale(), "fr")
	assertEqual(t, coll.publications(t, e), []core.Publication{one})

	coll.release(t, &e, fields{"title": "two \u2028 <é>"}, at(20), core.SystemActor.Ref())
	one.UnpublishedAt = at(20)
	two := one
	two.Number, two.PublishedAt, two.UnpublishedAt, two.By = 2, at(20), time.Time{}, core.SystemActor.Ref()
	two.Content, two.ContentHash, _ = coll.schema.Collection.Snapshot("fr", doc(fields{"title": "two \u2028 <é>"}), nil)
	assertEqual(t, coll.publications(t, e), []core.Publication{two, one})

	coll.change(t, &e, hideEntry)
	list := coll.publications(t, e)
	if list[0].UnpublishedAt.Before(at(20)) {
		t.Errorf("unpublished at %v", list[0].UnpublishedAt)
	}
	ended := list[0].UnpublishedAt
	coll.release(t, &e, fields{"title": "three"}, at(30), publisher)
	coll.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(40) })
	coll.change(t, &e, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	list = coll.publications(t, e)
	assertEqual(t, len(list), 4)
	assertEqual(t, list[2].UnpublishedAt, ended)
	if list[1].UnpublishedAt.IsZero() || !list[0].UnpublishedAt.IsZero() {
		t.Errorf("after the trash: %+v", list[:2])
	}
}

func recordsIssue(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{"title": "draft"}))
	r := w.newRequest(e.ID)
	w.submit(t, &r)
	coll.change(t, &e, func(e *core.Entry) {
		publish(e)
		e.PublishedHash, e.Publishing = r.ContentHash(), &core.Publishing{By: publisher, RequestID: r.ID, Content: r.Item().Snapshot}
	})
	got := coll.publications(t, e)[0]
	assertEqual(t, []any{got.RequestID, got.ReleaseNumber, string(got.Content), got.ContentHash, got.By}, []any{r.ID, r.ReleaseNumber(), string(r.Item().Snapshot), r.ContentHash(), publisher})
	assertEqual(t, []time.Time{got.PublishedAt, got.Since}, []time.Time{at(4), at(3)})
	read := result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t)
	if read.Publishing != nil {
		t.Errorf("a read returned the issue %+v", read.Publishing)
	}
}

func recordsMany(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	const count = 40
	ids := result(w.Entries.NewIDs(t.Context(), count))(t)
	entries := make([]*core.Entry, count)
	for i, id := range ids {
		e := draftOf("en", fields{"title": "x"})
		e.ID, e.Group, e.ProjectID, e.CollectionID = id, id, w.project.ID, coll.schema.Collection.ID
		if i%2 == 0 {
			coll.publish(&e, fields{"title": fmt.Sprint(i)}, at(10), publisher)
		}
		entries[i] = &e
	}
	save := func(inserted, updated []*core.Entry) {
		t.Helper()
		requireNoError(t, w.do(t, inTx(func(s ports.Stores) error { return s.Entries.Save(t.Context(), coll.schema, inserted, updated) })))
	}
	save(entries, nil)
	for i, e := range entries {
		e.Version++
		switch i % 3 {
		case 0:
			coll.publish(e, fields{"title": "again"}, at(20), publisher)
		case 1:
			hideEntry(e)
		}
	}
	save(nil, entries)
	for i, e := range entries {
		var numbers []int64
		list := coll.publications(t, *e)
		for _, p := range list {
			numbers = append(numbers, p.Number)
		}
		want := map[[2]bool][]int64{{true, true}: {2, 1}, {true, false}: {1}, {false, true}: {1}, {false, false}: {}}[[2]bool{i%2 == 0, i%3 == 0}]
		assertEqual(t, numbers, want)
		if len(list) > 0 && list[0].UnpublishedAt.IsZero() != (i%3 != 1) {
			t.Errorf("entry %d: %+v", i, list[0])
		}
	}
}

func returnsPublicAt(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	a, b := coll.add(t, draftOf("en", fields{})), coll.add(t, draftOf("en", fields{}))
	german := draftOf("de", fields{})
	german.Group = a.Group
	c := coll.add(t, german)
	coll.release(t, &a, fields{"title": "one"}, at(10), publisher)
	coll.release(t, &a, fields{"title": "two"}, at(20), publisher)
	coll.release(t, &b, fields{"title": "other"}, at(15), publisher)
	coll.release(t, &c, fields{"title": "zwei"}, at(20), publisher)
	coll.change(t, &b, hideEntry)
	var none []core.Publication
	groups := func(n int, groups ...int64) (found []core.Publication) {
		t.Helper()
		found = result(w.Publications.GroupsPublicAt(t.Context(), w.project.ID, groups, at(n)))(t)
		slices.SortFunc(found, func(a, b core.Publication) int { return cmp.Compare(a.EntryID, b.EntryID) })
		return found
	}
	for range 2 { // the second time, without the entries
		one, two, other, translation := coll.publication(t, a, 1), coll.publication(t, a, 2), coll.publication(t, b, 1), coll.publication(t, c, 1)
		for after, want := range [][]core.Publication{{one, two, other}, {two, other, translation}, {other, translation}} {
			entry := a.ID
			if after == 0 {
				entry = 0
			}
			assertEqual(t, result(w.Publications.Walk(t.Context(), w.project.ID, entry, int64(after), 3))(t), want)
		}
		assertEqual(t, result(w.Publications.Walk(t.Context(), w.project.ID, c.ID, 1, 3))(t), none)
		assertEqual(t, result(w.Publications.Walk(t.Context(), w.otherProject(t).project.ID, 0, 0, 3))(t), none)
		assertEqual(t, []int64{one.Group, translation.Group, other.Group}, []int64{a.Group, a.Group, b.Group})
		assertEqual(t, groups(9, a.Group, b.Group), none)
		assertEqual(t, groups(10, a.Group, b.Group), []core.Publication{one})
		assertEqual(t, groups(15, a.Group, b.Group), []core.Publication{one, other})
		assertEqual(t, groups(20, a.Group), []core.Publication{two, translation})
		assertEqual(t, groups(20, c.ID), none)
		assertEqual(t, groups(20), none)
		assertEqual(t, len(result(w.Publications.GroupsPublicAt(t.Context(), w.otherProject(t).project.ID, []int64{a.Group}, at(20)))(t)), 0)

		requireError(t, errorOf(w.Publications.PublicAt(t.Context(), w.project.ID, a.ID, at(9))), core.ErrNotFound)
		assertEqual(t, result(w.Publications.PublicAt(t.Context(), w.project.ID, a.ID, at(19)))(t), one)
		assertEqual(t, result(w.Publications.PublicAt(t.Context(), w.project.ID, a.ID, at(20)))(t), two)
		assertEqual(t, result(w.Publications.PublicAt(t.Context(), w.project.ID, c.ID, at(20)))(t), translation)
		requireError(t, errorOf(w.Publications.PublicAt(t.Context(), w.project.ID, b.ID, w.now(t).Add(time.Hour))), core.ErrNotFound)
		requireError(t, errorOf(w.Publications.PublicAt(t.Context(), w.otherProject(t).project.ID, a.ID, at(20))), core.ErrNotFound)
		for _, e := range []core.Entry{a, b, c} {
			_ = coll.destroy(t, e.ID)
		}
	}
}

// publication returns one publication of e with its content.
func (s *testCollection) publication(t reporter, e core.Entry, number int64) core.Publication {
	t.Helper()
	p := result(s.w.Publications.Publication(t.Context(), s.schema.Project.ID, s.schema.Collection.ID, e.ID, number))(t)
	if len(p.Content) == 0 {
		t.Errorf("no content: %+v", p)
	}
	return p
}

func pagesPublications(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{}))
	for n := range 5 {
		coll.release(t, &e, fields{"title": fmt.Sprint(n)}, at(10+n), publisher)
	}
	for _, page := range []struct {
		offset, limit int64
		want          []int64
	}{{0, 2, []int64{5, 4, 3}}, {3, 2, []int64{2, 1}}, {4, 1, []int64{1}}, {9, 2, nil}} {
		list := result(w.Publications.Publications(t.Context(), w.project.ID, coll.schema.Collection.ID, e.ID, page.offset, page.limit))(t)
		assertEqual(t, ids(list, func(p core.Publication) int64 { return p.Number }), page.want)
		if len(list) > 0 && list[0].Content != nil {
			t.Error("a list has content")
		}
	}
}

func numbersWithoutGaps(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{}))
	const writers, each = 4, 5
	var group sync.WaitGroup
	for n := range writers {
		group.Go(func() {
			for i := 0; i < each && !t.Failed(); {
				err := w.tx.Do(t.Context(), core.SystemActor, inTx(func(s ports.Stores) error {
					now, err := s.Entries.Lock(t.Context(), w.project.ID, e.ID)
					if err != nil {
						return err
					}
					now.Version++
					coll.publish(&now, fields{"title": fmt.Sprint(n, i)}, at(10+int(now.Version)), publisher)
					return s.Entries.Update(t.Context(), coll.schema, &now)
				}))
				if err == nil {
					i++
				} else if core.KindOf(err) != core.KindConflict {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	list := coll.publications(t, e)
	assertEqual(t, len(list), writers*each)
	for i, p := range list {
		assertEqual(t, p.Number, int64(len(list)-i))
		if i > 0 {
			assertEqual(t, p.UnpublishedAt, list[i-1].PublishedAt)
		}
	}
}

func endsWithEntry(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	first, second := coll.add(t, publicOf("en", fields{"title": "a"})), coll.add(t, publicOf("en", fields{"title": "b"}))
	requireNoError(t, coll.destroy(t, first.ID))
	if coll.publications(t, first)[0].UnpublishedAt.IsZero() || !coll.publications(t, second)[0].UnpublishedAt.IsZero() {
		t.Error("destroying an entry ends its publication and no other")
	}
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		return s.Collections.Delete(t.Context(), w.project.ID, coll.schema.Collection.ID)
	})))
	if coll.publications(t, second)[0].UnpublishedAt.IsZero() {
		t.Error("deleting a collection ends its publications")
	}
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, coll.publications(t, second), []core.Publication{})
}

func isolatesPublications(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	other := newTestCollection(t, w, "posts", titleField())
	e := coll.add(t, publicOf("en", fields{"title": "a"}))
	assertEqual(t, other.publications(t, e), []core.Publication{})
	requireError(t, errorOf(w.Publications.Publication(t.Context(), w.project.ID, other.schema.Collection.ID, e.ID, 1)), core.ErrNotFound)
	requireError(t, errorOf(w.Publications.Publication(t.Context(), w.project.ID, coll.schema.Collection.ID, e.ID, 2)), core.ErrNotFound)
	requireError(t, errorOf(w.Publications.Publication(t.Context(), w.otherProject(t).project.ID, coll.schema.Collection.ID, e.ID, 1)), core.ErrNotFound)
}
