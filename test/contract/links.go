package contract

import (
	"fmt"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/ports"
)

// linkFields are fields whose values can refer to media and entries inside rich text.
func linkFields() []*core.Field {
	return []*core.Field{
		{Name: "body", Type: core.TypeRichText}, {Name: "parts", Type: core.TypeRichText, Multiple: true},
		{Name: "note", Type: core.TypeRichText, Hidden: true}, {Name: "title", Type: core.TypeText}, {Name: "near", Type: core.TypeRelation},
	}
}

// textOf returns rich text with an element, as a write stores it.
func textOf(element string, id int64) string { return fmt.Sprintf("<p>"+element+"</p>", id) }

const (
	shownByID = `<img data-media="%d" alt="a">`
	fileLink  = `<a data-media="%d">a</a>`
	entryLink = `<a data-entry="%d">a</a>`
)

// address returns rich text with the address of a blob, as texts had it before they knew ids.
func address(blob string) string {
	dot := strings.LastIndex(blob, ".")
	return `<p><img src="https://old.example/files/` + blob[:dot] + `/name` + blob[dot:] + `"></p>`
}

// newFile adds a media item with files of its own, with the names of real ones.
func newFile(t *testing.T, w *fixture, n int) core.MediaItem {
	t.Helper()
	name := func(rendition int, extension string) string {
		return fmt.Sprintf("%s/%064x%s", w.project.UUID, n*10+rendition, extension)
	}
	return newMedia(t, w, func(m *core.MediaItem) {
		m.Full, m.Thumb, m.ThumbWebP, m.FullWebP = name(1, ".png"), name(2, ".png"), name(3, ".webp"), name(4, ".webp")
		m.Uploaded = fmt.Sprintf("%064x", n*10+5)
	})
}

func findsMediaByFiles(t *testing.T, w *fixture) {
	a, b := newFile(t, w, 1), newFile(t, w, 2)
	twin := newMedia(t, w, func(m *core.MediaItem) { m.Full = a.Full })
	found := func(names ...string) []int64 {
		return mediaIDs(result(w.Media.MediaByFiles(t.Context(), w.project.ID, names))(t))
	}
	assertEqual(t, found(a.Full), []int64{a.ID, twin.ID})
	for _, name := range a.Files()[1:] {
		assertEqual(t, found(name), []int64{a.ID})
	}
	assertEqual(t, found(a.ThumbWebP, b.FullWebP, "none"), []int64{a.ID, b.ID})
	assertEqual(t, len(found()), 0)
	assertEqual(t, len(result(w.Media.MediaByFiles(t.Context(), w.otherProject(t).project.ID, []string{a.Full}))(t)), 0)
	requireNoError(t, w.Media.Delete(t.Context(), w.project.ID, a.ID))
	assertEqual(t, found(a.Thumb, a.Full), []int64{twin.ID})
}

func reportsUsesInText(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", linkFields()...)
	item, other := newFile(t, w, 1), newFile(t, w, 2)
	uses := func() []library.Use { return result(w.Media.Uses(t.Context(), w.project.ID, item.ID, 100))(t) }
	assertEqual(t, uses(), []library.Use{})
	use := func(e core.Entry, draft, published bool) library.Use {
		return library.Use{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Draft: draft, Published: published}
	}
	sealedOf := func(locale string, values fields) core.Entry { return sealedWith(item.ID, publicOf(locale, values)) }
	var all []library.Use
	all = append(all, use(coll.add(t, draftOf("fr", fields{"body": textOf(shownByID, item.ID)})), true, false))
	all = append(all, use(coll.add(t, sealedOf("en", fields{"parts": []any{"<p>x</p>", textOf(fileLink, item.ID)}})), true, true))
	coll.add(t, sealedWith(other.ID, publicOf("en", fields{"body": textOf(shownByID, other.ID) + textOf(entryLink, item.ID), "title": textOf(shownByID, item.ID)})))
	for _, blob := range item.Files() {
		all = append(all, use(coll.add(t, sealedOf("en", fields{"body": address(blob)})), true, true))
	}
	replaced := coll.add(t, sealedOf("de", fields{"body": textOf(shownByID, item.ID)}))
	coll.change(t, &replaced, func(e *core.Entry) { e.Draft = doc(fields{"body": address(other.Thumb)}) })
	hidden := coll.add(t, sealedWith(other.ID, publicOf("en", fields{"note": textOf(shownByID, item.ID)})))
	all = append(all, use(replaced, false, true), use(hidden, true, true))
	for _, text := range []string{textOf(shownByID, item.ID), address(item.Thumb)} {
		trashed := sealedOf("en", fields{"body": text})
		trashed.TrashedAt = at(9)
		binned := use(coll.add(t, trashed), true, true)
		binned.Trashed = true
		all = append(all, binned)
	}
	assertEqual(t, uses(), all)

	asked := coll.add(t, draftOf("fr", fields{"title": "asked"}))
	request := w.newRequest(asked.ID)
	request.Item().CollectionID, request.Item().Locale = asked.CollectionID, asked.Locale
	request.Item().Snapshot, _, request.Item().Withheld = coll.schema.Collection.Snapshot("fr", doc(fields{"body": address(item.FullWebP)}), nil)
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error { return w.trySubmit(t, s, &request) })))
	requested := use(asked, false, false)
	requested.Requested = true
	assertEqual(t, uses(), append(all, requested))

	var public []library.Use
	for _, u := range append(all, requested) {
		if u.Draft = false; (u.Published || u.Requested) && !u.Trashed && u.EntryID != hidden.ID {
			public = append(public, u)
		}
	}
	assertEqual(t, result(w.Media.SealedUses(t.Context(), w.project.ID, item.ID, 100))(t), public)
	assertEqual(t, result(w.Media.SealedUses(t.Context(), w.project.ID, item.ID, 2))(t), public[:2])
	coll.redefine(t, func(c *core.Collection) { c.Removed, c.Fields = append(c.Removed, c.Fields[0]), c.Fields[1:] })
	assertEqual(t, ids(uses(), func(u library.Use) int64 { return u.EntryID }), []int64{all[1].EntryID, hidden.ID})
}

func reportsUsesOfEntries(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", append(linkFields(), &core.Field{Name: "others", Type: core.TypeRelation, Multiple: true})...)
	target := coll.add(t, publicOf("en", fields{"title": "target"}))
	uses := func(limit int) []library.Use {
		return result(w.Entries.Uses(t.Context(), w.project.ID, target.Group, limit))(t)
	}
	assertEqual(t, uses(9), []library.Use{})
	use := func(e core.Entry, draft, published bool) library.Use {
		return library.Use{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Draft: draft, Published: published}
	}
	var all []library.Use
	all = append(all, use(coll.add(t, draftOf("en", fields{"near": target.Group})), true, false))
	all = append(all, use(coll.add(t, publicOf("en", fields{"others": []any{target.Group + 1000, target.Group}})), true, true))
	coll.add(t, publicOf("en", fields{"body": textOf(shownByID, target.Group)}))
	all = append(all, use(coll.add(t, publicOf("de", fields{"body": textOf(entryLink, target.Group)})), true, true))
	replaced := coll.add(t, publicOf("de", fields{"note": textOf(entryLink, target.Group), "near": target.Group}))
	coll.change(t, &replaced, func(e *core.Entry) { e.Draft = doc(fields{}) })
	all = append(all, use(replaced, false, true))
	for _, values := range []fields{{"parts": []any{textOf(entryLink, target.Group)}}, {"near": target.Group}} {
		trashed := draftOf("en", values)
		trashed.TrashedAt = at(9)
		binned := use(coll.add(t, trashed), true, false)
		binned.Trashed = true
		all = append(all, binned)
	}
	asked := coll.add(t, draftOf("fr", fields{"title": "asked"}))
	request := w.newRequest(asked.ID)
	request.Item().CollectionID, request.Item().Locale = asked.CollectionID, asked.Locale
	request.Item().Snapshot, _, request.Item().Withheld = coll.schema.Collection.Snapshot("fr", doc(fields{"near": target.Group}), nil)
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error { return w.trySubmit(t, s, &request) })))
	requested := use(asked, false, false)
	requested.Requested = true
	assertEqual(t, uses(9), append(all, requested))
	assertEqual(t, uses(3), all[:3])
	assertEqual(t, result(w.Entries.Uses(t.Context(), w.otherProject(t).project.ID, target.Group, 9))(t), []library.Use{})
}

func findsCollectionsOfGroups(t *testing.T, w *fixture) {
	a, b := newTestCollection(t, w, "a", titleField()), newTestCollection(t, w, "b", titleField())
	first, second := a.add(t, publicOf("en", fields{"title": "x"})), b.add(t, draftOf("de", fields{"title": "y"}))
	trashed := draftOf("en", fields{"title": "z"})
	trashed.TrashedAt = at(9)
	third := b.add(t, trashed)
	translation := a.add(t, inGroup(first.Group, publicOf("de", fields{"title": "x"})))
	other := w.otherProject(t)
	found := func(projectID int64, groups ...int64) map[int64]string {
		return result(w.Entries.GroupCollections(t.Context(), projectID, groups))(t)
	}
	all := []int64{first.Group, second.Group, third.Group, unknown}
	want := map[int64]string{first.Group: "a", second.Group: "b", third.Group: "b"}
	assertEqual(t, found(w.project.ID, all...), want)
	assertEqual(t, found(w.project.ID), map[int64]string{})
	// A group is known after its entries, and after its collection.
	for _, e := range []core.Entry{first, translation} {
		requireNoError(t, a.destroy(t, e.ID))
		assertEqual(t, found(w.project.ID, all...), want)
	}
	requireNoError(t, w.Collections.Delete(t.Context(), w.project.ID, b.schema.Collection.ID))
	assertEqual(t, found(w.project.ID, all...), want)
	again := newTestCollection(t, w, "b", titleField())
	assertEqual(t, found(w.project.ID, second.Group, again.add(t, draftOf("en", fields{"title": "n"})).Group)[second.Group], "b")
	assertEqual(t, found(other.project.ID, all...), map[int64]string{})
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, found(w.project.ID, all...), map[int64]string{})
}

func findsUnsealedTexts(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", linkFields()...)
	item := newFile(t, w, 1)
	byID := coll.add(t, publicOf("en", fields{"body": textOf(shownByID, item.ID)}))
	byAddress := coll.add(t, publicOf("en", fields{"parts": []any{address(item.Thumb)}}))
	coll.add(t, publicOf("en", fields{"body": textOf(entryLink, item.ID), "note": textOf(shownByID, item.ID), "title": textOf(shownByID, item.ID)}))
	coll.add(t, draftOf("en", fields{"body": textOf(shownByID, item.ID)}))
	assertEqual(t, result(w.Entries.Unsealed(t.Context(), w.project.ID))(t), []int64{byID.ID, byAddress.ID})
}
