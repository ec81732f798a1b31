package contract

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// Reader checks the ports.EntryReader part of a ports.EntryStore.
func Reader(t *testing.T, open Factory) {
	run(t, open, cases{
		"compares every type by every operator":  comparesTypes,
		"compares lists by every operator":       comparesLists,
		"finds substrings in any case":           findsParts,
		"finds the text of rich text":            findsRichText,
		"finds words":                            findsWords,
		"ranks entries by words":                 ranksWords,
		"finds words in locales and versions":    findsWordsInLocales,
		"finds words up to the bounds":           findsLongTexts,
		"finds words that many entries have":     findsCommonWords,
		"forgets words":                          forgetsWords,
		"finds words in several collections":     findsWordsInSeveral,
		"compares opaque fields with null":       comparesOpaqueNull,
		"compares references by group":           comparesReferences,
		"compares system fields":                 comparesSystem,
		"follows one relation":                   followsRelations,
		"follows relations to several":           followsSeveral,
		"reveals nothing over two relations":     hidesFarTargets,
		"combines conditions":                    combinesConditions,
		"sorts every type, nulls last":           sortsTypes,
		"sorts by several keys":                  sortsKeys,
		"sorts text by its folded form":          sortsText,
		"compares the longest texts":             comparesLongestTexts,
		"compares texts without an order":        comparesUnordered,
		"falls back between locales":             fallsBack,
		"selects by state":                       selectsStates,
		"selects by status":                      selectsByStatus,
		"returns all members of rows":            returnsRows,
		"pages":                                  pages,
		"pages after a position":                 pagesAfter,
		"pages after the longest texts":          pagesAfterLongestTexts,
		"pages after a position in locales":      pagesAfterInLocales,
		"pages after a row that is gone":         pagesAfterNoRow,
		"returns one published entry":            returnsPublished,
		"returns the members that serve a group": returnsServing,
		"reads the last write":                   readsLastWrite,
		"reads only its own collection":          readsOwnCollection,
		"tells how many releases it sees":        tellsReleases,
	})
}

// tellsReleases checks that each read notes the number of published releases, also when it finds nothing.
func tellsReleases(t *testing.T, w *fixture) {
	other := w.otherProject(t)
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, publicOf("en", fields{"title": "a"}))
	publishRelease := func() {
		requireNoError(t, w.Events.Record(t.Context(), event.Event{Type: event.ReleasePublished, ProjectID: w.project.ID}))
	}
	sel := coll.all()
	none := coll.all(clause(coll, "title", query.OpEqual, text("b")))
	counted := query.Selection{Schema: sel.Schema, Locale: "en", State: sel.State, Sort: sel.Sort, Limit: 5, Offset: 9}
	reads := map[string]struct {
		read    func(r ports.EntryReader) error
		unknown bool // it may not tell
	}{
		"list":  {func(r ports.EntryReader) error { _, _, err := r.List(t.Context(), sel, false); return err }, false},
		"none":  {func(r ports.EntryReader) error { _, _, err := r.List(t.Context(), none, false); return err }, true},
		"total": {func(r ports.EntryReader) error { _, _, err := r.List(t.Context(), counted, true); return err }, true},
		"count": {func(r ports.EntryReader) error { _, err := r.Count(t.Context(), none); return err }, false},
		"published": {func(r ports.EntryReader) error {
			_, err := r.Published(t.Context(), w.project.ID, e.CollectionID, e.ID)
			return err
		}, false},
		"published none": {func(r ports.EntryReader) error {
			_, err := r.Published(t.Context(), w.project.ID, e.CollectionID, unknown)
			requireError(t, err, core.ErrNotFound)
			return nil
		}, true},
		"serving": {func(r ports.EntryReader) error {
			_, err := r.Serving(t.Context(), w.project.ID, core.StatePublished, []int64{e.Group}, 1, true)
			return err
		}, false},
		"serving ids": {func(r ports.EntryReader) error {
			_, err := r.Serving(t.Context(), w.project.ID, core.StatePublished, []int64{e.Group}, 1, false)
			return err
		}, false},
		"serving none": {func(r ports.EntryReader) error {
			_, err := r.Serving(t.Context(), w.project.ID, core.StatePublished, []int64{unknown}, 1, true)
			return err
		}, true},
	}
	for n := range int64(3) {
		assertEqual(t, result(w.Entries.ReleasesPublished(t.Context(), w.project.ID))(t), n)
		assertEqual(t, result(w.Entries.ReleasesPublished(t.Context(), other.project.ID, w.project.ID))(t), n)
		assertEqual(t, result(w.Entries.ReleasesPublished(t.Context(), other.project.ID))(t), int64(0))
		for name, row := range reads {
			for _, known := range []int64{n, n + 1} {
				seen := release.NewSeen(known)
				requireNoError(t, row.read(w.Entries.Seeing(seen)))
				seen.Saw(known) // so that they are several
				if _, whole := seen.Whole(); whole != (known == n) && (!row.unknown || !seen.Unsure()) {
					t.Errorf("%s: a read that sees %d releases is as one of %d: %v", name, n, known, whole)
				}
			}
		}
		publishRelease()
	}
}

func fallsBack(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	put := func(group int64, locale, title string) core.Entry {
		return coll.add(t, inGroup(group, publicOf(locale, fields{"title": title})))
	}
	en := put(0, "en", "c")
	fr := put(en.Group, "fr", "a")
	frCA := put(en.Group, "fr-CA", "d")
	en2 := put(0, "en", "b")
	ja2 := put(en2.Group, "ja", "e")
	onlyFr := put(0, "fr", "f")
	onlyDe := put(0, "de", "g")
	pages := func(locale string, where ...query.Predicate) []int64 {
		sel := coll.all(where...)
		sel.Locale, sel.Sort = locale, []query.SortKey{{Field: coll.schema.Collection.Field("title")}, {Field: core.SystemID}}
		return coll.list(t, sel)
	}
	assertEqual(t, pages("en"), []int64{en2.ID, en.ID})
	assertEqual(t, pages("fr"), []int64{fr.ID, en2.ID, onlyFr.ID})
	assertEqual(t, pages("fr-CA"), []int64{en2.ID, frCA.ID, onlyFr.ID})
	assertEqual(t, pages("de"), []int64{en2.ID, en.ID, onlyDe.ID})
	assertEqual(t, pages("ja"), []int64{fr.ID, ja2.ID, onlyFr.ID})
	assertEqual(t, pages(query.AllLocales), []int64{fr.ID, en2.ID, en.ID, frCA.ID, ja2.ID, onlyFr.ID, onlyDe.ID})
	// Entries that are not served are not found.
	assertEqual(t, pages("fr-CA", equals(coll, "title", text("a"))), nilIDs)
	assertEqual(t, pages("fr-CA", equals(coll, "title", text("d"))), []int64{frCA.ID})
	assertEqual(t, pages("ja", clause(coll, "locale", query.OpEqual, text("fr"))), []int64{fr.ID, onlyFr.ID})

	// The served locales follow changes of the members.
	coll.change(t, &frCA, func(e *core.Entry) { e.TrashedAt = at(9) })
	assertEqual(t, pages("fr-CA"), []int64{fr.ID, en2.ID, onlyFr.ID})
	coll.change(t, &fr, func(e *core.Entry) { e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{} })
	assertEqual(t, pages("fr-CA"), []int64{en2.ID, en.ID, onlyFr.ID})
	coll.change(t, &frCA, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	assertEqual(t, pages("fr-CA"), []int64{en2.ID, frCA.ID, onlyFr.ID})
	assertEqual(t, pages("fr"), []int64{en2.ID, en.ID, onlyFr.ID})
	coll.change(t, &fr, func(e *core.Entry) { publish(e) })
	assertEqual(t, pages("fr"), []int64{fr.ID, en2.ID, onlyFr.ID})
	requireNoError(t, coll.destroy(t, en.ID))
	assertEqual(t, pages("de"), []int64{en2.ID, onlyDe.ID})
	assertEqual(t, pages("ja"), []int64{fr.ID, ja2.ID, onlyFr.ID})
}

var nilIDs []int64

func selectsStates(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	live := coll.add(t, publicOf("en", fields{"title": "live", "tags": []string{"old"}}))
	coll.change(t, &live, func(e *core.Entry) { e.Draft = doc(fields{"title": "edited", "tags": []string{"new"}}) })
	draft := coll.add(t, draftOf("en", fields{"title": "draft"}))
	frDraft := coll.add(t, inGroup(live.Group, draftOf("fr", fields{"title": "brouillon"})))
	binned := coll.add(t, publicOf("en", fields{"title": "live", "tags": []string{"old", "new"}}))
	coll.change(t, &binned, func(e *core.Entry) { e.TrashedAt = at(9) })
	for _, c := range []struct {
		state  core.State
		locale string
		where  []query.Predicate
		want   []int64
	}{
		{core.StatePublished, query.AllLocales, nil, []int64{live.ID}},
		{core.StateOnlyDraft, query.AllLocales, nil, []int64{draft.ID, frDraft.ID}},
		{core.StateWithDraft, query.AllLocales, nil, []int64{live.ID, draft.ID, frDraft.ID}},
		{core.StatePublished, "fr", nil, []int64{live.ID}},
		{core.StateOnlyDraft, "fr", nil, []int64{draft.ID, frDraft.ID}},
		{core.StateOnlyDraft, "en", nil, []int64{draft.ID}},
		{core.StateWithDraft, "fr", nil, []int64{draft.ID, frDraft.ID}},
		{core.StateWithDraft, "en", nil, []int64{live.ID, draft.ID}},
		{core.StatePublished, "en", []query.Predicate{equals(coll, "title", text("live"))}, []int64{live.ID}},
		{core.StatePublished, "en", []query.Predicate{equals(coll, "title", text("edited"))}, nil},
		{core.StateWithDraft, "en", []query.Predicate{equals(coll, "title", text("edited"))}, []int64{live.ID}},
		{core.StateWithDraft, "en", []query.Predicate{equals(coll, "title", text("live"))}, nil},
		{core.StatePublished, "en", []query.Predicate{equals(coll, "tags", text("old"))}, []int64{live.ID}},
		{core.StatePublished, "en", []query.Predicate{equals(coll, "tags", text("new"))}, nil},
		{core.StateWithDraft, "en", []query.Predicate{equals(coll, "tags", text("new"))}, []int64{live.ID}},
		{core.StateWithDraft, "en", []query.Predicate{equals(coll, "tags", text("old"))}, nil},
		{core.StateOnlyDraft, "en", []query.Predicate{equals(coll, "title", text("draft"))}, []int64{draft.ID}},
		{core.StatePublished, "en", []query.Predicate{like(coll, "title", "EDIT")}, nil},
		{core.StateWithDraft, "en", []query.Predicate{like(coll, "title", "EDIT")}, []int64{live.ID}},
	} {
		sel := coll.all(c.where...)
		sel.State, sel.Locale = c.state, c.locale
		if got := coll.list(t, sel); !slices.Equal(got, c.want) {
			t.Errorf("state %d, locale %s, %v: got %v, want %v", c.state, c.locale, c.where, got, c.want)
		}
	}
}

func returnsRows(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	live := coll.add(t, publicOf("en", fields{"title": "live"}))
	coll.change(t, &live, func(e *core.Entry) { e.Draft, e.UpdatedAt = doc(fields{"title": "edited"}), at(77) })
	fr := coll.add(t, inGroup(live.Group, sealedWith(12, publicOf("fr", fields{"title": "vif"}))))
	draft := coll.add(t, draftOf("ja", fields{"title": "draft"}))
	bit := func(locales ...string) (mask uint64) {
		for _, l := range locales {
			mask |= 1 << w.project.LocaleNumber(l)
		}
		return mask
	}
	row := func(e core.Entry, state core.State, locales ...string) core.Row {
		r := e.Row(state)
		r.Serves = bit(locales...)
		return r
	}
	for _, c := range []struct {
		state core.State
		want  []core.Row
	}{
		{core.StatePublished, []core.Row{row(live, core.StatePublished, "en", "de"), row(fr, core.StatePublished, "fr", "fr-CA", "ja")}},
		{core.StateWithDraft, []core.Row{
			row(live, core.StateWithDraft, "en", "de"), row(fr, core.StateWithDraft, "fr", "fr-CA", "ja"), row(draft, core.StateWithDraft, "ja"),
		}},
		{core.StateOnlyDraft, []core.Row{row(draft, core.StateOnlyDraft, "ja")}},
	} {
		sel := coll.all()
		sel.State = c.state
		assertEqual(t, listed(t, w.Entries, sel), c.want)
		for without := range (query.RowDates | query.RowGroup | query.RowDocument) + 1 {
			sel.Without = without
			want := slices.Clone(c.want)
			for i := range want {
				if without&query.RowDates != 0 {
					want[i].CreatedAt, want[i].UpdatedAt = time.Time{}, time.Time{}
				}
				if without&query.RowGroup != 0 {
					want[i].Group, want[i].Serves = 0, 0
				}
				if without&query.RowDocument != 0 {
					want[i].Document, want[i].Media = nil, nil
				}
			}
			assertEqual(t, listed(t, w.Entries, sel), want)
		}
	}
	assertEqual(t, result(w.Entries.Published(t.Context(), w.project.ID, live.CollectionID, live.ID))(t), row(live, core.StatePublished, "en", "de"))
}

func pages(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	var all []int64
	for n := range 7 {
		all = append(all, coll.add(t, publicOf("en", fields{"title": fmt.Sprint(n % 2)})).ID)
	}
	for _, c := range []struct {
		offset, limit int64
		want          []int64
	}{
		{0, 3, all[:4]}, {3, 3, all[3:7]}, {4, 3, all[4:]}, {6, 1, all[6:]}, {7, 5, nil}, {500, 5, nil}, {query.MaxOffset, 500, nil}, {0, 7, all}, {0, 6, all}, {0, 1, all[:2]},
	} {
		for _, locale := range []string{query.AllLocales, "fr-CA", "en"} {
			sel := coll.all()
			sel.Offset, sel.Limit, sel.Locale = c.offset, c.limit, locale
			rows := listed(t, w.Entries, sel)
			if got := ids(rows, func(r core.Row) int64 { return r.ID }); !slices.Equal(got, c.want) {
				t.Errorf("offset %d, limit %d, locale %s: got %v, want %v", c.offset, c.limit, locale, got, c.want)
			}
			assertEqual(t, result(w.Entries.Count(t.Context(), sel))(t), int64(len(all)))
			both, total, err := w.Entries.List(t.Context(), sel, true)
			requireNoError(t, err)
			assertEqual(t, total, int64(len(all)))
			assertEqual(t, both, rows)
		}
	}
}

func returnsPublished(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField())
	live, draft := coll.add(t, publicOf("fr", fields{"title": "a"})), coll.add(t, draftOf("en", fields{"title": "b"}))
	published := func(collectionID, id int64) (core.Row, error) {
		return w.Entries.Published(t.Context(), w.project.ID, collectionID, id)
	}
	here := coll.schema.Collection.ID
	assertEqual(t, string(result(published(here, live.ID))(t).Document), string(live.Published))
	requireError(t, errorOf(published(here, draft.ID)), core.ErrNotFound)
	requireError(t, errorOf(published(here, unknown)), core.ErrNotFound)
	requireError(t, errorOf(published(other.schema.Collection.ID, live.ID)), core.ErrNotFound)
	coll.change(t, &live, func(e *core.Entry) { e.TrashedAt = at(9) })
	requireError(t, errorOf(published(here, live.ID)), core.ErrNotFound)
}

func returnsServing(t *testing.T, w *fixture) {
	countries, people := newTestCollection(t, w, "countries", titleField()), newTestCollection(t, w, "people", titleField())
	en := countries.add(t, publicOf("en", fields{"title": "a"}))
	fr := countries.add(t, inGroup(en.Group, publicOf("fr", fields{"title": "b"})))
	germanDraft := countries.add(t, inGroup(en.Group, draftOf("de", fields{"title": "c"})))
	person := people.add(t, publicOf("en", fields{"title": "p"}))
	binned := people.add(t, publicOf("en", fields{"title": "q"}))
	people.change(t, &binned, func(e *core.Entry) { e.TrashedAt = at(9) })
	bit := func(locale string) uint64 { return 1 << w.project.LocaleNumber(locale) }
	groups := []int64{en.Group, person.Group, binned.Group, unknown}
	for _, c := range []struct {
		state  core.State
		groups []int64
		mask   uint64
		want   []core.Entry
	}{
		{core.StatePublished, groups, bit("en"), []core.Entry{en, person}},
		{core.StatePublished, groups, bit("fr-CA"), []core.Entry{fr, person}},
		{core.StatePublished, groups, bit("de"), []core.Entry{en, person}},
		{core.StateWithDraft, groups, bit("de"), []core.Entry{germanDraft, person}},
		{core.StateOnlyDraft, groups, bit("de"), []core.Entry{germanDraft}},
		{core.StatePublished, groups, bit("en") | bit("ja"), []core.Entry{en, fr, person}},
		{core.StatePublished, []int64{en.Group, en.Group}, bit("en"), []core.Entry{en}},
		{core.StatePublished, nil, bit("en"), nil},
		{core.StatePublished, groups, 0, nil},
	} {
		for _, documents := range []bool{true, false} {
			want := map[int64]core.Row{}
			for _, e := range c.want {
				want[e.ID] = e.Row(c.state)
				if !documents {
					want[e.ID] = core.Row{ID: e.ID, CollectionID: e.CollectionID, Group: e.Group}
				}
			}
			got := map[int64]core.Row{}
			rows := result(w.Entries.Serving(t.Context(), w.project.ID, c.state, c.groups, c.mask, documents))(t)
			for _, r := range rows {
				if r.Serves&c.mask == 0 {
					t.Errorf("row %d serves %b, want %b", r.ID, r.Serves, c.mask)
				}
				r.Serves = 0
				got[r.ID] = r
			}
			assertEqual(t, got, want)
			assertEqual(t, len(rows), len(c.want))
		}
	}
}

func readsLastWrite(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true}, &core.Field{Name: "body", Type: core.TypeLongText, Searchable: true})
	e := coll.add(t, publicOf("en", fields{"title": "0", "tags": []string{"0"}, "body": "word0"}))
	find := func(v string) []bool {
		var found []bool
		for _, c := range []query.Predicate{equals(coll, "title", text(v)), equals(coll, "tags", text(v)), like(coll, "body", "WORD"+v)} {
			found = append(found, len(coll.list(t, coll.all(c))) == 1)
		}
		return found
	}
	for n := range 3 {
		assertEqual(t, find(fmt.Sprint(n)), []bool{true, true, true})
		assertEqual(t, find(fmt.Sprint(n+1)), []bool{false, false, false})
		coll.change(t, &e, func(e *core.Entry) {
			next := fmt.Sprint(n + 1)
			e.Draft = doc(fields{"title": next, "tags": []string{next}, "body": "word" + next})
			publish(e)
		})
		assertEqual(t, find(fmt.Sprint(n)), []bool{false, false, false})
	}
	coll.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{}); publish(e) })
	assertEqual(t, find("3"), []bool{false, false, false})
	assertEqual(t, coll.list(t, coll.all(clause(coll, "title", query.OpNull), clause(coll, "tags", query.OpNull), clause(coll, "body", query.OpNull))), []int64{e.ID})
}

func readsOwnCollection(t *testing.T, w *fixture) {
	other := w.otherProject(t)
	here, next, there := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField()), newTestCollection(t, other, "articles", titleField())
	mine := here.add(t, publicOf("en", fields{"title": "a"})).ID
	next.add(t, publicOf("en", fields{"title": "a"}))
	there.add(t, publicOf("en", fields{"title": "a"}))
	for _, locale := range []string{query.AllLocales, "en", "fr-CA"} {
		for _, where := range [][]query.Predicate{nil, {equals(here, "title", text("a"))}, {clause(here, "title", query.OpNot, text("b"))}, {like(here, "title", "A")}} {
			sel := here.all(where...)
			sel.Locale = locale
			assertEqual(t, here.list(t, sel), []int64{mine})
		}
	}
}
