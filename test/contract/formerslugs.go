package contract

import (
	"fmt"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// keepsFormerSlugs checks ports.FormerSlugs.
func keepsFormerSlugs(t *testing.T, w *fixture) {
	slug := &core.Field{Name: "slug", Type: core.TypeSlug}
	coll, other := newTestCollection(t, w, "articles", titleField(), slug), newTestCollection(t, w, "posts", titleField(), slug)
	field := coll.schema.Collection.SlugField()
	former := func(change func(q *query.FormerQuery)) []query.FormerSlug {
		t.Helper()
		q := query.FormerQuery{ProjectID: w.project.ID, CollectionID: coll.schema.Collection.ID, Field: field, Limit: 100}
		change(&q)
		return result(w.Publications.FormerSlugs(t.Context(), q))(t)
	}
	all := func(*query.FormerQuery) {}
	of := func(e core.Entry, locale, old, present string) query.FormerSlug {
		return query.FormerSlug{SlugIn: query.SlugIn{Locale: locale, Slug: old}, EntryID: e.ID, Present: present}
	}
	e := coll.add(t, draftOf("en", fields{"title": "x", "slug": "never-public"}))
	assertEqual(t, former(all), []query.FormerSlug{})
	coll.release(t, &e, fields{"title": "x", "slug": "a"}, at(10), publisher)
	coll.release(t, &e, fields{"title": "y", "slug": "a"}, at(20), publisher)
	assertEqual(t, former(all), []query.FormerSlug{})
	coll.release(t, &e, fields{"title": "y", "slug": "é"}, at(30), publisher)
	assertEqual(t, former(all), []query.FormerSlug{of(e, "en", "a", "é")})
	coll.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{"slug": "draft"}) })
	coll.release(t, &e, fields{"title": "y"}, at(40), publisher)
	assertEqual(t, former(all), []query.FormerSlug{}) // it has no slug
	coll.release(t, &e, fields{"slug": "b"}, at(50), publisher)
	assertEqual(t, former(all), []query.FormerSlug{of(e, "en", "a", "b"), of(e, "en", "é", "b")})

	// A later holder, also in another locale, in another collection and in the trash.
	later, french := coll.add(t, draftOf("en", fields{"title": "x"})), coll.add(t, draftOf("fr", fields{"title": "x"}))
	coll.release(t, &later, fields{"slug": "a"}, at(60), publisher)
	assertEqual(t, former(all), []query.FormerSlug{of(e, "en", "a", "b"), of(e, "en", "é", "b")})
	coll.release(t, &later, fields{"slug": "c"}, at(70), publisher)
	coll.release(t, &french, fields{"slug": "a"}, at(60), publisher)
	coll.release(t, &french, fields{"slug": "z"}, at(70), publisher)
	elsewhere := other.add(t, draftOf("en", fields{"title": "x"}))
	other.release(t, &elsewhere, fields{"slug": "a"}, at(80), publisher)
	other.release(t, &elsewhere, fields{"slug": "z"}, at(90), publisher)
	both := []query.FormerSlug{of(later, "en", "a", "c"), of(e, "en", "é", "b"), of(french, "fr", "a", "z")}
	assertEqual(t, former(all), both)
	assertEqual(t, former(func(q *query.FormerQuery) { q.Limit = 2 }), both[:2])
	assertEqual(t, former(func(q *query.FormerQuery) { q.After = both[0].SlugIn }), both[1:])
	assertEqual(t, former(func(q *query.FormerQuery) { q.Locale = "fr" }), both[2:])
	assertEqual(t, former(func(q *query.FormerQuery) { q.Slug, q.Locale = "a", "en" }), both[:1])
	assertEqual(t, former(func(q *query.FormerQuery) { q.Slug = "c" }), []query.FormerSlug{}) // present
	assertEqual(t, former(func(q *query.FormerQuery) { q.Field = &core.Field{ID: field.ID + 1, Name: "slug", Type: core.TypeSlug} }), []query.FormerSlug{})
	assertEqual(t, former(func(q *query.FormerQuery) { q.ProjectID = w.otherProject(t).project.ID }), []query.FormerSlug{})
	coll.change(t, &later, func(e *core.Entry) { e.TrashedAt = at(80) })
	both[0] = of(e, "en", "a", "b")
	assertEqual(t, former(all), both)
	coll.change(t, &later, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	coll.change(t, &e, hideEntry)
	assertEqual(t, former(all), []query.FormerSlug{of(later, "en", "a", "c"), of(french, "fr", "a", "z")})
	coll.release(t, &e, fields{"slug": "d"}, at(1_000_000_000), publisher) // "b" ended when it was hidden
	assertEqual(t, former(all), []query.FormerSlug{of(later, "en", "a", "c"), of(e, "en", "b", "d"), of(e, "en", "é", "d"), of(french, "fr", "a", "z")})

	// Of many slugs the latest are kept. A slug that the entry has again counts from then.
	coll.release(t, &e, fields{"slug": "é"}, at(1_000_000_001), publisher)
	for i := range query.MaxFormerSlugs {
		coll.release(t, &e, fields{"slug": fmt.Sprintf("n%02d", i)}, at(1_000_000_002+i), publisher)
	}
	found := former(func(q *query.FormerQuery) { q.Locale = "en" })
	assertEqual(t, len(found), query.MaxFormerSlugs+1)
	assertEqual(t, found[0], of(later, "en", "a", "c"))
	assertEqual(t, found[1], of(e, "en", "n00", "n19"))
	assertEqual(t, found[query.MaxFormerSlugs], of(e, "en", "é", "n19"))

	// Imported ones are older than all others, and there are no more of an entry than the limit.
	add := func(want int, slugs ...query.EntrySlug) {
		t.Helper()
		requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
			added, err := s.Publications.AddFormerSlugs(t.Context(), w.project.ID, field, slugs)
			assertEqual(t, added, want)
			return err
		})))
	}
	add(0)
	add(0, query.EntrySlug{EntryID: e.ID, Slug: "m"}, query.EntrySlug{EntryID: later.ID + 1_000_000, Slug: "m"}, query.EntrySlug{EntryID: later.ID, Slug: "a"})
	add(2, query.EntrySlug{EntryID: french.ID, Slug: "ß"}, query.EntrySlug{EntryID: later.ID, Slug: "n00"}, query.EntrySlug{EntryID: french.ID, Slug: "a"})
	add(0, query.EntrySlug{EntryID: french.ID, Slug: "ß"}, query.EntrySlug{EntryID: later.ID, Slug: "n00"})
	found = former(func(q *query.FormerQuery) { q.Slug = "n00" })
	assertEqual(t, found, []query.FormerSlug{of(e, "en", "n00", "n19")})
	assertEqual(t, former(func(q *query.FormerQuery) { q.Locale = "fr" }), []query.FormerSlug{of(french, "fr", "a", "z"), of(french, "fr", "ß", "z")})
	var many []query.EntrySlug
	for i := range query.MaxFormerSlugs {
		many = append(many, query.EntrySlug{EntryID: french.ID, Slug: fmt.Sprintf("old%02d", i)})
	}
	add(query.MaxFormerSlugs-2, many...)
	found = former(func(q *query.FormerQuery) { q.Locale = "fr" })
	assertEqual(t, len(found), query.MaxFormerSlugs)
	assertEqual(t, found[query.MaxFormerSlugs-2], of(french, "fr", "old17", "z"))
	coll.release(t, &french, fields{"slug": "y"}, at(1_000_000_100), publisher)
	assertEqual(t, former(func(q *query.FormerQuery) { q.Slug = "z" }), []query.FormerSlug{of(french, "fr", "z", "y")})
	found = former(func(q *query.FormerQuery) { q.Locale = "fr" })
	assertEqual(t, len(found), query.MaxFormerSlugs)

	requireNoError(t, coll.destroy(t, french.ID))
	french = coll.add(t, draftOf("fr", fields{"title": "x"}))
	coll.release(t, &french, fields{"slug": "a"}, at(60), publisher)
	coll.release(t, &french, fields{"slug": "z"}, at(70), publisher)
	requireNoError(t, coll.destroy(t, later.ID))
	requireNoError(t, coll.destroy(t, e.ID))
	assertEqual(t, former(all), []query.FormerSlug{of(french, "fr", "a", "z")})
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		return s.Collections.Delete(t.Context(), w.project.ID, coll.schema.Collection.ID)
	})))
	assertEqual(t, former(all), []query.FormerSlug{})
}
