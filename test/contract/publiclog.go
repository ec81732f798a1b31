package contract

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// PublicLog checks a ports.PublicLog and ports.PublicEntries.
func PublicLog(t *testing.T, open Factory) {
	run(t, open, cases{
		"has only what readers see":                  hasPublicEvents,
		"has public entries that are destroyed":      hasDestroyedEntries,
		"pages through the events between two marks": pagesPublicEvents,
		"misses no event of concurrent transactions": followsConcurrentTransactions,
		"finds published entries by their ids":       findsPublicEntries,
		"walks through a library":                    walksLibrary,
	})
}

// mark returns the present mark.
func (w *fixture) mark(t reporter) event.Mark {
	t.Helper()
	now, _, err := w.Log.Mark(t.Context())
	requireNoError(t, err)
	return now
}

// publicSince returns the public events since a mark.
func (w *fixture) publicSince(t reporter, since event.Mark, how ...func(*ports.PublicQuery)) []event.PublicEvent {
	t.Helper()
	q := ports.PublicQuery{ProjectID: w.project.ID, Since: since, Until: w.mark(t), Limit: 1 << 20}
	for _, change := range how {
		change(&q)
	}
	return result(w.Log.Public(t.Context(), q))(t)
}

func publicTypes(events []event.PublicEvent) []event.Type {
	list := make([]event.Type, len(events))
	for i, e := range events {
		list[i] = e.Type
	}
	return list
}

func hasPublicEvents(t *testing.T, w *fixture) {
	since := w.mark(t)
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{"title": "a"}))
	for i, step := range []struct {
		change func()
		want   []event.Type
	}{
		{func() { e.Draft, e.UpdatedAt = doc(fields{"title": "b"}), at(20) }, nil},
		{func() { e.TrashedAt = at(21) }, nil},
		{func() { e.TrashedAt = time.Time{} }, nil},
		{func() { publish(&e) }, []event.Type{event.EntryPublished}},
		{func() { e.Draft, e.UpdatedAt = doc(fields{"title": "c"}), at(22) }, nil},
		{func() { e.Published, e.ReleasedAt = e.Draft, at(23) }, []event.Type{event.EntryPublished}},
		{func() { e.TrashedAt = at(24) }, []event.Type{event.EntryTrashed}},
		{func() { e.TrashedAt = time.Time{} }, []event.Type{event.EntryRestored}},
		{func() { e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{} }, []event.Type{event.EntryUnpublished}},
		{func() { publish(&e) }, []event.Type{event.EntryPublished}},
		{func() { e.TrashedAt = at(25) }, []event.Type{event.EntryTrashed}},
		{func() {
			e.Published, e.PublishedAt, e.ReleasedAt, e.TrashedAt = nil, time.Time{}, time.Time{}, time.Time{}
		}, nil},
	} {
		before := w.mark(t)
		step.change()
		requireNoError(t, coll.update(t, &e))
		if got := publicTypes(w.publicSince(t, before)); !slices.Equal(got, step.want) {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
	requireNoError(t, coll.destroy(t, e.ID))
	coll.redefine(t, func(c *core.Collection) { c.Name = "Other" })
	requireNoError(t, w.Projects.Update(t.Context(), w.project))
	item := newMedia(t, w)
	requireNoError(t, w.Media.Update(t.Context(), &item))
	requireNoError(t, w.Media.Delete(t.Context(), w.project.ID, item.ID))
	requireNoError(t, w.Collections.Delete(t.Context(), w.project.ID, coll.schema.Collection.ID))
	requireNoError(t, w.Events.Record(t.Context(), event.Event{Type: event.ProjectRepaired, ProjectID: w.project.ID}))
	events := w.publicSince(t, since)
	assertEqual(t, publicTypes(events)[6:], []event.Type{
		event.EntryTrashed, event.MediaCreated, event.MediaUpdated, event.MediaDeleted, event.CollectionDeleted, event.ProjectRepaired,
	})
	assertEqual(t, events[0].EntryID, e.ID)
	assertEqual(t, events[0].Group, e.Group)
	assertEqual(t, events[0].Locale, "en")
	assertEqual(t, events[0].Collection, "articles")
	assertEqual(t, events[7].SubjectID, item.ID)
	assertEqual(t, w.publicSince(t, w.mark(t)), []event.PublicEvent{})
	other := w.otherProject(t)
	assertEqual(t, other.publicSince(t, since), []event.PublicEvent{})
}

// hasDestroyedEntries destroys entries that readers see, which an import may have to do.
func hasDestroyedEntries(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e, draft := coll.add(t, publicOf("de", fields{"title": "a"})), coll.add(t, draftOf("en", fields{"title": "b"}))
	since := w.mark(t)
	requireNoError(t, coll.destroy(t, draft.ID))
	requireNoError(t, coll.destroy(t, e.ID))
	events := w.publicSince(t, since)
	assertEqual(t, publicTypes(events), []event.Type{event.EntryDestroyed})
	assertEqual(t, publicIDs(events), []int64{e.ID})
}

func pagesPublicEvents(t *testing.T, w *fixture) {
	since := w.mark(t)
	a, b := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "pages", titleField())
	var want []int64
	for range 3 {
		want = append(want, a.add(t, publicOf("en", fields{"title": "a"})).ID, b.add(t, publicOf("de", fields{"title": "b"})).ID)
	}
	item := newMedia(t, w)
	until := w.mark(t)
	a.add(t, publicOf("en", fields{"title": "later"}))
	var got []int64
	q := ports.PublicQuery{ProjectID: w.project.ID, Since: since, Until: until, Limit: 2}
	for range 10 {
		page := result(w.Log.Public(t.Context(), q))(t)
		for _, e := range page {
			got = append(got, e.EntryID)
			q.Transaction, q.ID = e.Transaction, e.ID
		}
	}
	assertEqual(t, got, append(want, 0))
	q.Transaction, q.ID, q.Limit = 0, 0, 100
	q.Collection = "articles"
	assertEqual(t, publicIDs(result(w.Log.Public(t.Context(), q))(t)), []int64{want[0], want[2], want[4], 0})
	q.Collection, q.Locale = "", "de"
	found := result(w.Log.Public(t.Context(), q))(t)
	assertEqual(t, publicIDs(found), []int64{want[1], want[3], want[5], 0})
	assertEqual(t, found[3].SubjectID, item.ID)
}

func publicIDs(events []event.PublicEvent) []int64 {
	return ids(events, func(e event.PublicEvent) int64 { return e.EntryID })
}

// followsConcurrentTransactions runs transactions of different lengths side by side. A reader that goes
// from mark to mark sees each event once.
func followsConcurrentTransactions(t *testing.T, w *fixture) {
	const writers, writes = 4, 12
	since := w.mark(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	want, done := []int64{}, make(chan struct{})
	for n := range writers {
		wait.Go(func() {
			for i := range writes {
				var made core.MediaItem
				err := w.do(t, func(ctx context.Context, s ports.Stores) error {
					made = core.MediaItem{ProjectID: w.project.ID, FileName: strconv.Itoa(n) + ".jpg", CreatedAt: at(1), UpdatedAt: at(1)}
					if err := s.Media.Insert(ctx, &made); err != nil {
						return err
					}
					time.Sleep(time.Duration((n*writes+i)%5) * time.Millisecond) // others are numbered and committed meanwhile
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				want = append(want, made.ID)
				mu.Unlock()
			}
		})
	}
	go func() { wait.Wait(); close(done) }()
	var got []int64
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		until := w.mark(t)
		for _, e := range result(w.Log.Public(t.Context(), ports.PublicQuery{ProjectID: w.project.ID, Since: since, Until: until, Limit: 1000}))(t) {
			got = append(got, e.SubjectID)
			if since.Has(e.Transaction) || !until.Has(e.Transaction) {
				t.Errorf("transaction %d is not between %+v and %+v", e.Transaction, since, until)
			}
		}
		since = until
	}
	slices.Sort(got)
	slices.Sort(want)
	assertEqual(t, got, want)
}

func findsPublicEntries(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "pages", titleField())
	a, d := coll.add(t, publicOf("en", fields{"title": "a"})), coll.add(t, draftOf("en", fields{"title": "d"}))
	b := coll.add(t, inGroup(a.Group, publicOf("de", fields{"title": "b"})))
	coll.change(t, &a, func(e *core.Entry) { e.Draft = doc(fields{"title": "changed"}) })
	gone := coll.add(t, publicOf("en", fields{"title": "gone"}))
	coll.change(t, &gone, func(e *core.Entry) { e.TrashedAt = at(30) })
	c := coll.add(t, publicOf("de", fields{"title": "c"}))
	elsewhere := other.add(t, publicOf("en", fields{"title": "p"}))
	foreign := newTestCollection(t, w.otherProject(t), "articles", titleField()).add(t, publicOf("en", fields{"title": "f"}))

	first, second := coll.schema.Collection.ID, other.schema.Collection.ID
	number := func(locale string) int { return slices.Index(w.project.Locales, locale) }
	place := func(collection int64, e core.Entry) core.PublicPlace {
		return core.PublicPlace{CollectionID: collection, Locale: number(e.Locale), ID: e.ID}
	}
	places := []core.PublicPlace{place(first, a), place(first, b), place(first, c), place(second, elsewhere)}
	slices.SortFunc(places, core.PublicPlace.Compare)
	assertEqual(t, ids(places, func(p core.PublicPlace) int64 { return p.ID }), []int64{a.ID, b.ID, c.ID, elsewhere.ID})
	foreignID := foreign.CollectionID
	for _, q := range []struct {
		collections []int64
		locale      string
		after       core.PublicPlace
		limit       int
		want        []core.PublicPlace
	}{
		{[]int64{first}, "", core.PublicPlace{}, 10, places[:3]},
		{[]int64{first, second}, "", core.PublicPlace{}, 10, places},
		{[]int64{second, first}, "", core.PublicPlace{}, 10, places},
		{[]int64{first, second}, "", core.PublicPlace{}, 2, places[:2]},
		{[]int64{first, second}, "", places[0], 10, places[1:]},
		{[]int64{first, second}, "", core.PublicPlace{CollectionID: first, Locale: number("de")}, 10, places[1:]},
		{[]int64{first, second}, "", core.PublicPlace{CollectionID: second}, 10, places[3:]},
		{[]int64{first, second}, "", places[3], 10, []core.PublicPlace{}},
		{[]int64{first, second}, "de", core.PublicPlace{}, 10, places[1:3]},
		{[]int64{first, second}, "de", places[1], 1, places[2:3]},
		{[]int64{first, second}, "en", places[0], 10, places[3:]},
		{[]int64{first, second}, "xx", core.PublicPlace{}, 10, []core.PublicPlace{}},
		{[]int64{foreignID, unknown}, "", core.PublicPlace{}, 10, []core.PublicPlace{}},
		{nil, "", core.PublicPlace{}, 10, []core.PublicPlace{}},
	} {
		assertEqual(t, result(w.Entries.PublicPlaces(t.Context(), w.project, q.collections, q.locale, q.after, q.limit))(t), q.want)
	}
	all := []int64{a.ID, b.ID, d.ID, gone.ID, elsewhere.ID, foreign.ID, unknown}
	for _, documents := range []bool{false, true} {
		found := result(w.Entries.PublicVersions(t.Context(), w.project.ID, all, documents))(t)
		slices.SortFunc(found, func(a, b core.PublicVersion) int { return int(a.ID - b.ID) })
		assertEqual(t, ids(found, func(v core.PublicVersion) int64 { return v.ID }), []int64{a.ID, b.ID, elsewhere.ID})
		assertEqual(t, found[0].ContentHash, a.PublishedHash)
		assertEqual(t, found[0].Size, len(a.Published))
		assertEqual(t, found[0].PublishedAt, a.PublishedAt)
		assertEqual(t, found[0].UpdatedAt, a.ReleasedAt)
		assertEqual(t, found[1].Group, a.Group)
		assertEqual(t, found[1].Locale, "de")
		assertEqual(t, found[1].CollectionID, coll.schema.Collection.ID)
		if documents {
			assertEqual(t, string(found[0].Document), string(a.Published))
		} else {
			assertEqual(t, found[0].Document == nil, true)
		}
	}
	assertEqual(t, len(result(w.Entries.PublicVersions(t.Context(), w.project.ID, nil, true))(t)), 0)
}

func walksLibrary(t *testing.T, w *fixture) {
	a, b, c := newMedia(t, w), newMedia(t, w), newMedia(t, w)
	newMedia(t, w.otherProject(t))
	requireNoError(t, w.Media.Keep(t.Context(), w.project.ID, b.ID))
	assertEqual(t, mediaIDs(result(w.Media.Following(t.Context(), w.project.ID, 0, 10))(t)), []int64{a.ID, c.ID})
	assertEqual(t, mediaIDs(result(w.Media.Following(t.Context(), w.project.ID, 0, 1))(t)), []int64{a.ID})
	assertEqual(t, mediaIDs(result(w.Media.Following(t.Context(), w.project.ID, a.ID, 10))(t)), []int64{c.ID})
	assertEqual(t, mediaIDs(result(w.Media.Following(t.Context(), w.project.ID, c.ID, 10))(t)), []int64{})
}

// keepsSince uses a database of its own, because it deletes all events.
func keepsSince(t *testing.T, open Factory) {
	stores, _ := open(t)
	since := func() time.Time {
		_, since, err := stores.Log.Mark(t.Context())
		requireNoError(t, err)
		return since
	}
	requireNoError(t, stores.Tenants.Insert(t.Context(), &core.Tenant{Name: "T", CreatedAt: at(1), UpdatedAt: at(1)}))
	now := result(stores.Clock.Now(t.Context()))(t)
	initial := since()
	if initial.Unix() > 0 {
		t.Errorf("events are kept since %v in a new database", initial)
	}
	result(stores.Aging.Delete(t.Context(), ports.AgedEvents, now.Add(-time.Hour), 10))(t) // deletes none
	assertEqual(t, since(), initial)
	result(stores.Aging.Delete(t.Context(), ports.AgedEvents, now.Add(time.Hour), 10))(t)
	assertEqual(t, since(), now.Add(time.Hour))
	requireNoError(t, stores.Tenants.Insert(t.Context(), &core.Tenant{Name: "U", CreatedAt: at(1), UpdatedAt: at(1)}))
	result(stores.Aging.Delete(t.Context(), ports.AgedEvents, now.Add(time.Minute), 10))(t)
	assertEqual(t, since(), now.Add(time.Hour))
}
