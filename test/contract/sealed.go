package contract

import (
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// sealedWith returns e with sealed media of the item and the hash of a version.
func sealedWith(id int64, e core.Entry) core.Entry {
	e.PublishedHash = strings.Repeat("0f", 32)
	e.PublishedMedia = core.Seal([]core.MediaItem{{ID: id, Hash: "ab", FileName: "a.jpg", Caption: "\"Harbour\"\n港", Tags: []string{"x"}}})
	return e
}

func mediaFields() []*core.Field {
	return []*core.Field{
		{Name: "cover", Type: core.TypeMedia}, {Name: "pages", Type: core.TypeMedia, Multiple: true},
		{Name: "title", Type: core.TypeText}, {Name: "proof", Type: core.TypeMedia, Hidden: true},
	}
}

func updatesSealed(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", mediaFields()...)
	e := coll.add(t, publicOf("en", fields{"cover": 12}))
	for _, next := range []core.Entry{sealedWith(12, e), sealedWith(13, e), e} {
		coll.change(t, &e, func(e *core.Entry) { e.PublishedHash, e.PublishedMedia = next.PublishedHash, next.PublishedMedia })
		assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
		assertEqual(t, result(w.Entries.Published(t.Context(), w.project.ID, e.CollectionID, e.ID))(t).Media, e.PublishedMedia)
		served := result(w.Entries.Serving(t.Context(), w.project.ID, core.StatePublished, []int64{e.Group}, 1, true))(t)
		assertEqual(t, served[0].Media, e.PublishedMedia)
	}
}

func findsUnsealed(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", mediaFields()...)
	plain := newTestCollection(t, w, "plain", titleField())
	cover := coll.add(t, publicOf("en", fields{"cover": 12}))
	pages := coll.add(t, publicOf("en", fields{"cover": 12, "pages": []any{13, 12}}))
	replaced := coll.add(t, publicOf("en", fields{"cover": 12}))
	coll.change(t, &replaced, func(e *core.Entry) { e.Draft = doc(fields{}) })
	added := coll.add(t, publicOf("en", fields{"title": "without"}))
	coll.change(t, &added, func(e *core.Entry) { e.Draft = doc(fields{"cover": 12}) })
	coll.add(t, draftOf("en", fields{"cover": 12}))
	coll.add(t, sealedWith(12, publicOf("en", fields{"cover": 12})))
	coll.add(t, publicOf("en", fields{"proof": 12}))
	trashed := publicOf("en", fields{"cover": 12})
	trashed.TrashedAt = at(9)
	coll.add(t, trashed)
	plain.add(t, publicOf("en", fields{"title": "x"}))
	unsealed := func(projectID int64) []int64 { return result(w.Entries.Unsealed(t.Context(), projectID))(t) }
	assertEqual(t, unsealed(w.project.ID), []int64{cover.ID, pages.ID, replaced.ID})
	assertEqual(t, unsealed(w.otherProject(t).project.ID), []int64(nil))
	coll.redefine(t, func(c *core.Collection) { c.Removed, c.Fields = append(c.Removed, c.Fields[0]), c.Fields[1:] })
	assertEqual(t, unsealed(w.project.ID), []int64{pages.ID})
}

func reportsSealedUses(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", mediaFields()...)
	item, other := newMedia(t, w), newMedia(t, w)
	uses := func(limit int) []library.Use {
		return result(w.Media.SealedUses(t.Context(), w.project.ID, item.ID, limit))(t)
	}
	assertEqual(t, uses(9), []library.Use{})
	use := func(e core.Entry, published, requested bool) library.Use {
		return library.Use{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Published: published, Requested: requested}
	}
	coll.add(t, draftOf("en", fields{"cover": item.ID}))
	sealed := func(locale string, values fields) core.Entry { return sealedWith(item.ID, publicOf(locale, values)) }
	coll.add(t, publicOf("en", fields{"cover": item.ID}))
	public := coll.add(t, sealed("en", fields{"cover": item.ID, "pages": []any{item.ID}}))
	replaced := coll.add(t, sealed("de", fields{"pages": []any{other.ID, item.ID}}))
	coll.change(t, &replaced, func(e *core.Entry) { e.Draft = doc(fields{}) })
	added := coll.add(t, sealedWith(other.ID, publicOf("en", fields{"cover": other.ID})))
	coll.change(t, &added, func(e *core.Entry) { e.Draft = doc(fields{"cover": item.ID}) })
	coll.add(t, sealedWith(other.ID, publicOf("en", fields{"proof": item.ID})))
	trashed := sealed("en", fields{"cover": item.ID})
	trashed.TrashedAt = at(9)
	coll.add(t, trashed)
	asked := coll.add(t, draftOf("fr", fields{"cover": item.ID}))
	hidden := coll.add(t, draftOf("fr", fields{"proof": item.ID}))

	var requests []review.Request
	for _, e := range []core.Entry{asked, replaced, hidden} {
		r := w.newRequest(e.ID)
		r.Item().CollectionID, r.Item().Locale = e.CollectionID, e.Locale
		r.Item().Snapshot, _, r.Item().Withheld = coll.schema.Collection.Snapshot(e.Locale, doc(fields{"cover": item.ID}), nil)
		if e.ID == hidden.ID {
			r.Item().Snapshot, _, r.Item().Withheld = coll.schema.Collection.Snapshot(e.Locale, e.Draft, nil)
		}
		requireNoError(t, w.do(t, inTx(func(s ports.Stores) error { return w.trySubmit(t, s, &r) })))
		requests = append(requests, r)
	}
	all := []library.Use{use(public, true, false), use(replaced, true, true), use(asked, false, true)}
	assertEqual(t, uses(9), all)
	assertEqual(t, uses(2), all[:2])
	for _, r := range requests {
		r.Status, r.Version = review.RequestWithdrawn, r.Version+1
		requireNoError(t, w.Requests.Update(t.Context(), &r, nil))
	}
	assertEqual(t, uses(9), []library.Use{use(public, true, false), use(replaced, true, false)})
	coll.redefine(t, func(c *core.Collection) { c.Removed, c.Fields = append(c.Removed, c.Fields...), nil })
	assertEqual(t, uses(9), []library.Use{use(public, true, false), use(replaced, true, false)})
	assertEqual(t, result(w.Media.SealedUses(t.Context(), w.otherProject(t).project.ID, item.ID, 9))(t), []library.Use{})
}
