package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
	"imprimatur/ports"
)

func uniqueTitle() *core.Field {
	f := titleField()
	f.Unique = true
	return f
}

// Entries checks a ports.EntryStore; Reader checks what it shares with ports.EntryReader.
func Entries(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of an entry":                   keepsEntries,
		"stores documents byte for byte":                   keepsDocuments,
		"creates groups and adds translations":             createsGroups,
		"updates entries of the current version":           updatesEntries,
		"ignores changes of locale, group and collection":  ignoresMoves,
		"updates the time of creation":                     updatesCreation,
		"returns many by id":                               returnsMany,
		"pages through the trash, newest first":            pagesTrash,
		"finds entries by their titles":                    findsTitles,
		"walks a collection":                               walks,
		"updates sealed media":                             updatesSealed,
		"finds published entries without sealed media":     findsUnsealed,
		"finds published texts without sealed media":       findsUnsealedTexts,
		"finds the collections of groups":                  findsCollectionsOfGroups,
		"reports the uses of an entry":                     reportsUsesOfEntries,
		"destroys permanently":                             destroys,
		"finds nothing of another project":                 isolatesProjects,
		"does not share memory with the caller":            sharesNoMemory,
		"refuses a taken value by type":                    refusesTaken,
		"names every taken field":                          namesTaken,
		"marks an index with texts of other forms":         mixesForms,
		"claims values of both versions, not of the trash": claimsVersions,
		"claims values per collection and locale":          claimsScope,
		"reports the holder of a value":                    findsHolders,
		"never returns an id twice":                        returnsIDs,
		"saves many entries":                               savesMany,
		"saves all entries or none":                        savesAllOrNone,
		"reindexes a field that gets a slot":               reindexesSlots,
		"reindexes for a new locale":                       reindexesLocales,
		"reindexes a slot that another field used before":  reusesSlot,
		"reindexes a restored field":                       reindexesReturned,
	})
}

func findsTitles(t *testing.T, w *fixture) {
	summary := &core.Field{ID: 2, Name: "summary", Type: core.TypeText, Searchable: true, SearchReady: true}
	coll, sibling := newTestCollection(t, w, "articles", titleField(), summary), newTestCollection(t, w.otherProject(t), "articles", titleField())
	titleOf := func(c *testCollection) query.TitleOf {
		return query.TitleOf{ProjectID: c.schema.Project.ID, CollectionID: c.schema.Collection.ID, FieldID: 1}
	}
	public := publicOf("en", fields{"title": "Perú 100% open"})
	public.Draft = doc(fields{"title": "Straße"})
	trashed := draftOf("en", fields{"title": "Harbour lights"})
	trashed.TrashedAt = at(3)
	harbour, street := coll.add(t, draftOf("en", fields{"title": "The HARBOUR of Łódź"})), coll.add(t, public)
	coll.add(t, trashed)
	coll.add(t, draftOf("en", fields{"title": "Other", "summary": "harbour"}))
	beside := sibling.add(t, draftOf("en", fields{"title": "A harbour beside"}))
	for _, tt := range []struct {
		text   string
		titles []query.TitleOf
		want   []core.Entry
	}{
		{"harbour", []query.TitleOf{titleOf(coll), titleOf(sibling)}, []core.Entry{harbour, beside}},
		{"harbour", []query.TitleOf{titleOf(coll)}, []core.Entry{harbour}},
		{"arbour o", []query.TitleOf{titleOf(coll)}, []core.Entry{harbour}},
		{"lodz", []query.TitleOf{titleOf(coll)}, []core.Entry{harbour}},
		{"strasse", []query.TitleOf{titleOf(coll)}, []core.Entry{street}},
		{"peru", []query.TitleOf{titleOf(coll)}, nil}, // of the published version
		{"harb_ur", []query.TitleOf{titleOf(coll)}, nil},
		{"har%our", []query.TitleOf{titleOf(coll)}, nil},
		{`harbour"`, []query.TitleOf{titleOf(coll)}, nil},
		{"ha", []query.TitleOf{titleOf(coll)}, nil}, {"", []query.TitleOf{titleOf(coll)}, nil}, {"harbour", nil, nil},
	} {
		found := result(w.Entries.Titled(t.Context(), query.TitleQuery{Titles: tt.titles, Text: tt.text, Limit: 5}))(t)
		slices.SortFunc(found, func(a, b core.Entry) int { return cmp.Compare(a.ID, b.ID) })
		assertEqual(t, found, tt.want)
	}
	some := result(w.Entries.Titled(t.Context(), query.TitleQuery{Titles: []query.TitleOf{titleOf(coll), titleOf(sibling)}, Text: "harbour", Limit: 1}))(t)
	assertEqual(t, len(some), 1)
}

func keepsEntries(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	user := w.newUser(t)
	full := publicOf("fr", fields{"title": "public"})
	full.Draft, full.Version, full.UpdatedAt = doc(fields{"title": "draft"}), 7, at(8)
	full.CreatedBy, full.UpdatedBy, full.TrashedAt = user.ID, user.ID, at(9)
	for _, e := range []core.Entry{full, draftOf("en", fields{}), publicOf("en", fields{}), sealedWith(12, publicOf("de", fields{"title": "sealed"}))} {
		kept := coll.add(t, e)
		assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, kept.ID))(t), kept)
	}
	requireError(t, errorOf(w.Entries.Entry(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
}

func keepsDocuments(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	for _, text := range hostileTexts {
		kept := coll.add(t, publicOf("en", fields{"title": text, "unknown": text}))
		got := result(w.Entries.Entry(t.Context(), w.project.ID, kept.ID))(t)
		assertEqual(t, string(got.Draft), string(kept.Draft))
		assertEqual(t, string(result(w.Entries.Published(t.Context(), w.project.ID, kept.CollectionID, kept.ID))(t).Document), string(kept.Published))
	}
}

func createsGroups(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	en := coll.add(t, publicOf("en", fields{"title": "a"}))
	assertEqual(t, en.Group, en.ID)
	fr := coll.add(t, inGroup(en.Group, draftOf("fr", fields{"title": "b"})))
	assertEqual(t, fr.Group, en.ID)
	coll.add(t, publicOf("fr", fields{"title": "alone"}))
	coll.change(t, &fr, func(e *core.Entry) { e.TrashedAt = at(9) })
	assertEqual(t, result(w.Entries.Translations(t.Context(), w.project.ID, en.Group))(t), []core.Entry{en, fr})
	assertEqual(t, result(w.Entries.Translations(t.Context(), w.project.ID, unknown))(t), []core.Entry{})

	for _, locale := range []string{"en", "fr"} {
		again := inGroup(en.Group, draftOf(locale, fields{"title": "c"}))
		requireError(t, coll.insert(t, &again), core.ErrConflict)
	}
}

func updatesEntries(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{"title": "v1"}))
	coll.change(t, &e, func(e *core.Entry) {
		publish(e)
		e.Draft, e.UpdatedAt, e.UpdatedBy = doc(fields{"title": "v2"}), at(6), w.newUser(t).ID
	})
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	for _, version := range []int64{1, 2, 4} {
		late := e
		late.Version, late.Draft = version-1, doc(fields{"title": "late"})
		requireError(t, coll.update(t, &late), core.ErrConflict)
	}
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	coll.change(t, &e, func(e *core.Entry) { e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{} })
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	e.ID = unknown
	requireError(t, coll.update(t, &e), core.ErrNotFound)
}

// updatesCreation changes when entries were created, also of both versions of one and in the trash.
func updatesCreation(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	a, b := coll.add(t, publicOf("en", fields{"title": "a"})), coll.add(t, draftOf("en", fields{"title": "b"}))
	two, gone := coll.add(t, publicOf("en", fields{"title": "c"})), coll.add(t, publicOf("en", fields{"title": "d"}))
	coll.change(t, &two, func(e *core.Entry) { e.Draft = doc(fields{"title": "changed"}) })
	coll.change(t, &gone, func(e *core.Entry) { e.TrashedAt = at(9) })
	coll.change(t, &a, func(e *core.Entry) { e.CreatedAt = at(7) })
	coll.change(t, &two, func(e *core.Entry) { e.CreatedAt = at(5) })
	coll.change(t, &b, func(e *core.Entry) { e.CreatedAt, e.CreatedBy = at(6), 99 })
	b.CreatedBy = 0
	coll.change(t, &gone, func(e *core.Entry) { e.CreatedAt = at(8) })
	coll.change(t, &gone, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	for _, e := range []core.Entry{a, b, two, gone} {
		assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	}
	for state, want := range map[core.State][]int64{core.StateWithDraft: {two.ID, b.ID, a.ID, gone.ID}, core.StatePublished: {two.ID, a.ID, gone.ID}} {
		sel := coll.all()
		sel.State, sel.Sort = state, []query.SortKey{{Field: core.SystemCreatedAt}, {Field: core.SystemID}}
		assertEqual(t, coll.list(t, sel), want)
		after := coll.all(clause(coll, "createdAt", query.OpGreater, num(at(6).UnixMilli())))
		after.State, after.Sort = state, sel.Sort
		assertEqual(t, coll.list(t, after), []int64{a.ID, gone.ID})
	}
}

func ignoresMoves(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField())
	e := coll.add(t, publicOf("en", fields{"title": "v1"}))
	moved := e
	moved.Locale, moved.Group, moved.CollectionID = "fr", other.add(t, publicOf("en", fields{"title": "x"})).Group, other.schema.Collection.ID
	requireNoError(t, coll.update(t, &moved))
	e.Version = 2
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	assertEqual(t, coll.list(t, coll.all(clause(coll, "locale", query.OpEqual, text("en")))), []int64{e.ID})
}

func returnsMany(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	a, b := coll.add(t, publicOf("en", fields{"title": "a"})), coll.add(t, draftOf("en", fields{"title": "b"}))
	coll.change(t, &b, func(e *core.Entry) { e.TrashedAt = at(9) })
	got := result(w.Entries.Entries(t.Context(), w.project.ID, []int64{unknown, b.ID, a.ID}))(t)
	slices.SortFunc(got, func(x, y core.Entry) int { return int(x.ID - y.ID) })
	assertEqual(t, got, []core.Entry{a, b})
	assertEqual(t, result(w.Entries.Entries(t.Context(), w.project.ID, nil))(t), []core.Entry{})
}

func pagesTrash(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField())
	var newest []int64
	for n := range 4 {
		e := coll.add(t, publicOf("en", fields{"title": "a"}))
		coll.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(100 + n) })
		newest = append([]int64{e.ID}, newest...)
	}
	restored := coll.add(t, publicOf("en", fields{"title": "live"}))
	coll.change(t, &restored, func(e *core.Entry) { e.TrashedAt = at(500) })
	coll.change(t, &restored, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	elsewhere := other.add(t, publicOf("en", fields{"title": "a"}))
	other.change(t, &elsewhere, func(e *core.Entry) { e.TrashedAt = at(100) })
	for _, page := range []struct {
		offset, limit int64
		want          []int64
	}{{0, 2, newest[:3]}, {1, 2, newest[1:4]}, {2, 2, newest[2:]}, {0, 4, newest}, {4, 2, nil}, {9, 9, nil}} {
		got := result(w.Entries.Trash(t.Context(), w.project.ID, coll.schema.Collection.ID, page.offset, page.limit))(t)
		assertEqual(t, entryIDs(got), page.want)
	}
}

func walks(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", titleField()), newTestCollection(t, w, "notes", titleField())
	var all []int64
	for n := range 5 {
		other.add(t, publicOf("en", fields{"title": "elsewhere"}))
		e := coll.add(t, draftOf("en", fields{"title": "a"}))
		if n == 2 {
			coll.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(9) })
		}
		all = append(all, e.ID)
	}
	for _, step := range []struct {
		after int64
		limit int
		want  []int64
	}{{0, 2, all[:2]}, {all[1], 2, all[2:4]}, {all[3], 2, all[4:]}, {all[4], 2, nil}, {0, 100, all}} {
		got := result(w.Entries.Walk(t.Context(), w.project.ID, coll.schema.Collection.ID, step.after, step.limit))(t)
		assertEqual(t, entryIDs(got), step.want)
	}
}

func destroys(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", uniqueTitle(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	founder := coll.add(t, publicOf("en", fields{"title": "a", "tags": []string{"x", "y"}}))
	member := coll.add(t, inGroup(founder.Group, publicOf("fr", fields{"title": "b", "tags": []string{"x"}})))
	requireNoError(t, coll.destroy(t, founder.ID))
	requireError(t, errorOf(w.Entries.Entry(t.Context(), w.project.ID, founder.ID)), core.ErrNotFound)
	requireError(t, coll.destroy(t, founder.ID), core.ErrNotFound)
	assertEqual(t, coll.list(t, coll.all(equals(coll, "tags", text("x")))), []int64{member.ID})
	assertEqual(t, result(w.Entries.Translations(t.Context(), w.project.ID, founder.Group))(t), []core.Entry{member})
	again := coll.add(t, publicOf("en", fields{"title": "a"}))
	if again.ID == founder.ID {
		t.Errorf("id %d was used twice", founder.ID)
	}
}

func isolatesProjects(t *testing.T, w *fixture) {
	other := w.otherProject(t)
	mine, theirs := newTestCollection(t, w, "articles", uniqueTitle()), newTestCollection(t, other, "articles", uniqueTitle())
	e := mine.add(t, publicOf("en", fields{"title": "a"}))
	theirs.add(t, publicOf("en", fields{"title": "a"}))
	trashed := mine.add(t, publicOf("en", fields{"title": "b"}))
	mine.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = at(9) })
	foreign, collection := other.project.ID, mine.schema.Collection.ID

	requireError(t, errorOf(w.Entries.Entry(t.Context(), foreign, e.ID)), core.ErrNotFound)
	requireError(t, errorOf(w.Entries.Published(t.Context(), foreign, collection, e.ID)), core.ErrNotFound)
	for _, read := range []struct {
		entries []core.Entry
		err     error
	}{
		pair(w.Entries.Entries(t.Context(), foreign, []int64{e.ID})),
		pair(w.Entries.Translations(t.Context(), foreign, e.Group)),
		pair(w.Entries.Trash(t.Context(), foreign, collection, 0, 9)),
		pair(w.Entries.Walk(t.Context(), foreign, collection, 0, 9)),
	} {
		requireNoError(t, read.err)
		assertEqual(t, read.entries, []core.Entry{})
	}
	assertEqual(t, result(w.Entries.Serving(t.Context(), foreign, core.StatePublished, []int64{e.Group}, ^uint64(0)>>4, true))(t), []core.Row{})

	stolen := e
	stolen.ProjectID = foreign
	requireError(t, theirs.update(t, &stolen), core.ErrNotFound)
	requireError(t, theirs.destroy(t, e.ID), core.ErrNotFound)
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
}

// pair returns the two results of a call as one value.
func pair(entries []core.Entry, err error) struct {
	entries []core.Entry
	err     error
} {
	return struct {
		entries []core.Entry
		err     error
	}{entries, err}
}

func sharesNoMemory(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, publicOf("en", fields{"title": "a"}))
	want := string(e.Draft)
	overwrite := func(documents ...core.Document) {
		for _, d := range documents {
			copy(d, strings.Repeat("!", len(d)))
		}
	}
	e.Draft, e.Published = core.Document(want), core.Document(want)
	coll.change(t, &e, func(*core.Entry) {})
	overwrite(e.Draft, e.Published)
	read := result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t)
	assertEqual(t, string(read.Draft), want)
	overwrite(read.Draft, read.Published)
	rows := listed(t, w.Entries, coll.all())
	assertEqual(t, string(rows[0].Document), want)
	overwrite(rows[0].Document)
	assertEqual(t, string(result(w.Entries.Published(t.Context(), w.project.ID, e.CollectionID, e.ID))(t).Document), want)
}

func refusesTaken(t *testing.T, w *fixture) {
	long := strings.Repeat("a/", 990)
	for i, c := range []struct {
		kind         core.FieldType
		slot         string
		held         any
		taken, other []any
	}{
		{core.TypeText, "t1", "a", []any{"a"}, []any{"A", "a ", " a", "á", "", "b"}},
		{core.TypeText, "", "ß", []any{"ß"}, []any{"ẞ", "ss", "SS"}},
		{core.TypeText, "t1", "é", []any{"\u00e9"}, []any{"e\u0301"}},
		{core.TypeText, "t1", strings.Repeat("é", 500), []any{strings.Repeat("é", 500)}, []any{strings.Repeat("é", 499) + "e", strings.Repeat("é", 400)}},
		{core.TypeURL, "t1", "https://example.org/" + long, []any{"https://example.org/" + long}, []any{"https://example.org/" + long[:1900], "https://EXAMPLE.org/" + long}},
		{core.TypeSlug, "t2", "a-b", []any{"a-b"}, []any{"a-c", "ab"}},
		{core.TypeEmail, "t3", "a@example.org", []any{"a@example.org"}, []any{"A@example.org"}},
		{core.TypeEnumeration, "", "red", []any{"red"}, []any{"green"}},
		{core.TypeNumber, "n1", 1.0, []any{1, 1.0}, []any{1.0000000000000002, -1, 0}},
		{core.TypeNumber, "", 1 << 53, []any{1 << 53}, []any{1<<53 - 1, -1 << 53}},
		{core.TypeDate, "d1", "2024-02-29", []any{"2024-02-29"}, []any{"2024-03-01"}},
		{core.TypeTime, "", "12:00:00", []any{"12:00:00"}, []any{"12:00:00.001"}},
		{core.TypeDateTime, "d2", "2024-02-29T12:00:00.000Z", []any{"2024-02-29T12:00:00.000Z"}, []any{"2024-02-29T12:00:00.001Z"}},
	} {
		t.Run(fmt.Sprint(i, " ", c.kind, " ", c.slot), func(t *testing.T) {
			coll := newTestCollection(t, w, fmt.Sprint("unique-", i), &core.Field{Name: "code", Type: c.kind, Unique: true, Slot: c.slot, SlotReady: c.slot != ""})
			holder := coll.add(t, publicOf("en", fields{"code": c.held}))
			coll.change(t, &holder, func(e *core.Entry) { e.UpdatedAt = at(50) })
			for _, v := range c.taken {
				e := draftOf("en", fields{"code": v})
				requireError(t, coll.insert(t, &e), core.ErrInvalid)
			}
			for _, v := range c.other {
				coll.add(t, draftOf("en", fields{"code": v}))
			}
			coll.add(t, draftOf("en", fields{}))
			coll.add(t, draftOf("en", fields{}))
			if c.kind != core.TypeText {
				return
			}
			for _, blank := range []string{"", "  ", "\u00a0", "\u200b\u3000"} {
				coll.add(t, draftOf("en", fields{"code": blank}))
				coll.add(t, publicOf("en", fields{"code": blank}))
			}
			coll.reindex(t)
		})
	}
}

// mixesForms writes entries of a collection whose index has texts of other forms than this program's.
func mixesForms(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, publicOf("en", fields{"title": "a"}))
	for name, write := range map[string]func(){
		"insert":  func() { coll.add(t, publicOf("en", fields{"title": "b"})) },
		"update":  func() { coll.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{"title": "c"}) }) },
		"reindex": func() { coll.reindex(t) },
	} {
		for forms, kept := range map[string]bool{words.Version: true, "": true, "0 older": false} {
			c := coll.schema.Collection
			c.Forms, c.FormsReady = forms, true
			c.Version++
			requireNoError(t, w.do(t, inTx(func(stores ports.Stores) error { return stores.Collections.Update(t.Context(), c) })))
			write()
			coll.reload(t)
			is := coll.schema.Collection
			if kept && (is.Forms != forms || !is.FormsReady || is.Version != c.Version) || !kept && (is.Forms != "" || is.FormsReady || is.Version <= c.Version) {
				t.Errorf("%s in an index of forms %q: forms %q, ready %v, version %d after %d", name, forms, is.Forms, is.FormsReady, is.Version, c.Version)
			}
		}
	}
}

func namesTaken(t *testing.T, w *fixture) {
	unique := func(name, slot string) *core.Field {
		return &core.Field{Name: name, Type: core.TypeText, Unique: true, Slot: slot, SlotReady: slot != ""}
	}
	coll := newTestCollection(t, w, "articles", unique("code", "t1"), unique("name", ""), unique("free", "t2"), titleField())
	one := coll.add(t, publicOf("en", fields{"code": "a", "name": "b", "free": "c", "title": "d"}))
	two := coll.add(t, publicOf("en", fields{"code": "x", "name": "y", "free": "z", "title": "d"}))

	clash := draftOf("en", fields{"code": "a", "name": "y", "free": "new", "title": "d"})
	locations(t, coll.insert(t, &clash), "fields.code", "fields.name")
	two.Draft = doc(fields{"code": "x", "name": "b", "title": "d"})
	locations(t, coll.update(t, &two), "fields.name")
	assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, two.ID))(t).Version, int64(1))
	coll.change(t, &one, func(e *core.Entry) { e.Draft = doc(fields{"code": "a", "name": "b2", "free": "c"}) })
	// The published version still holds b.
	two.Version = 1
	locations(t, coll.update(t, &two), "fields.name")

	two = result(w.Entries.Entry(t.Context(), w.project.ID, two.ID))(t)
	three, four := coll.add(t, draftOf("en", fields{"title": "e"})), coll.add(t, draftOf("en", fields{"title": "f"}))
	var fault *core.Error
	err := w.do(t, func(ctx context.Context, stores ports.Stores) error {
		for i, e := range []*core.Entry{&two, &three, &four} {
			e.Version++
			e.Draft = doc([]fields{{"code": "a", "name": "y"}, {"free": "new", "title": "e"}, {"free": "new", "title": "f"}}[i])
		}
		return stores.Entries.Save(ctx, coll.schema, nil, []*core.Entry{&four, &three, &two})
	})
	if !errors.As(err, &fault) {
		t.Fatalf("saved: %v", err)
	}
	var found [][2]any
	for _, f := range fault.Fields {
		found = append(found, [2]any{f.Location, f.Entry})
	}
	assertEqual(t, found, [][2]any{{"fields.code", two.ID}, {"fields.free", three.ID}, {"fields.free", four.ID}})
}

// locations requires that err is core.ErrInvalid with exactly these error locations.
func locations(t *testing.T, err error, want ...string) {
	t.Helper()
	requireError(t, err, core.ErrInvalid)
	var fault *core.Error
	errors.As(err, &fault)
	var got []string
	for _, f := range fault.Fields {
		got = append(got, f.Location)
	}
	slices.Sort(got)
	assertEqual(t, got, want)
}

func claimsVersions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", uniqueTitle())
	e := coll.add(t, publicOf("en", fields{"title": "public"}))
	coll.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{"title": "draft"}) })
	attempt := func(title string) error {
		other := draftOf("en", fields{"title": title})
		err := coll.insert(t, &other)
		if err == nil {
			requireNoError(t, coll.destroy(t, other.ID))
		}
		return err
	}
	requireError(t, attempt("public"), core.ErrInvalid)
	requireError(t, attempt("draft"), core.ErrInvalid)

	coll.change(t, &e, func(e *core.Entry) { publish(e) })
	requireNoError(t, attempt("public"))
	requireError(t, attempt("draft"), core.ErrInvalid)

	coll.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(9) })
	holder := coll.add(t, draftOf("en", fields{"title": "draft"}))
	e.TrashedAt = time.Time{}
	locations(t, coll.update(t, &e), "fields.title")
	requireNoError(t, coll.destroy(t, holder.ID))
	e.Version--
	coll.change(t, &e, func(*core.Entry) {})
	requireError(t, attempt("draft"), core.ErrInvalid)
	assertEqual(t, coll.list(t, coll.all()), []int64{e.ID})

	coll.change(t, &e, func(e *core.Entry) {
		e.Draft, e.Published, e.PublishedAt, e.ReleasedAt = doc(fields{}), nil, time.Time{}, time.Time{}
	})
	requireNoError(t, attempt("draft"))
}

func claimsScope(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", uniqueTitle()), newTestCollection(t, w, "notes", uniqueTitle())
	elsewhere := newTestCollection(t, w.otherProject(t), "articles", uniqueTitle())
	en := coll.add(t, publicOf("en", fields{"title": "a"}))
	coll.add(t, inGroup(en.Group, publicOf("fr", fields{"title": "a"})))
	coll.add(t, publicOf("de", fields{"title": "a"}))
	other.add(t, publicOf("en", fields{"title": "a"}))
	elsewhere.add(t, publicOf("en", fields{"title": "a"}))
	again := publicOf("fr", fields{"title": "a"})
	requireError(t, coll.insert(t, &again), core.ErrInvalid)
}

func findsHolders(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", uniqueTitle(), &core.Field{Name: "code", Type: core.TypeNumber, Unique: true, Slot: "n1", SlotReady: true})
	e := coll.add(t, publicOf("en", fields{"title": "a", "code": 1}))
	coll.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{"title": "b", "code": 1}) })
	binned := coll.add(t, publicOf("en", fields{"title": "trashed"}))
	coll.change(t, &binned, func(e *core.Entry) { e.TrashedAt = at(9) })
	french := coll.add(t, inGroup(e.Group, draftOf("fr", fields{"title": "b"})))
	holder := func(locale, field string, v core.Value, id int64) core.Holder {
		return core.Holder{UniqueValue: core.UniqueValue{Field: field, Value: v}, Locale: locale, Entry: id}
	}
	code, title := holder("en", "code", num(1), e.ID), holder("en", "title", text("b"), e.ID)
	for _, c := range []struct {
		locales []string
		doc     fields
		want    []core.Holder
	}{
		{[]string{"en"}, fields{"title": "a", "code": 2}, []core.Holder{holder("en", "title", text("a"), e.ID)}},
		{[]string{"en"}, fields{"title": "b", "code": 1}, []core.Holder{code, title}},
		{[]string{"en", "fr", "de"}, fields{"title": "b", "code": 1}, []core.Holder{code, title, holder("fr", "title", text("b"), french.ID)}},
		{[]string{"de"}, fields{"title": "b", "code": 1}, nil},
		{nil, fields{"title": "b"}, nil},
		{[]string{"en"}, fields{"title": "A", "code": 3}, nil},
		{[]string{"en"}, fields{"title": "trashed"}, nil},
		{[]string{"en"}, fields{}, nil},
	} {
		got := result(w.Entries.Holders(t.Context(), coll.schema, c.locales, coll.schema.Collection.UniqueValues(doc(c.doc))))(t)
		slices.SortFunc(got, func(a, b core.Holder) int {
			return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Entry, b.Entry))
		})
		assertEqual(t, got, c.want)
	}
}

func returnsIDs(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	var given []int64
	for _, n := range []int{1, 3, 2} {
		some := result(w.Entries.NewIDs(t.Context(), n))(t)
		assertEqual(t, len(some), n)
		given = append(given, some...)
		given = append(given, coll.add(t, draftOf("en", fields{})).ID)
	}
	if !slices.IsSorted(given) || len(slices.Compact(slices.Clone(given))) != len(given) {
		t.Errorf("ids are not ascending and distinct: %v", given)
	}
}

// save stores entries in one call; those with an id are updated.
func (s *testCollection) save(t reporter, entries ...*core.Entry) error {
	t.Helper()
	return s.w.do(t, func(ctx context.Context, stores ports.Stores) error {
		var inserted, updated []*core.Entry
		for _, e := range entries {
			if e.ID != 0 {
				e.Version++
				updated = append(updated, e)
				continue
			}
			e.ID = result(stores.Entries.NewIDs(ctx, 1))(t)[0]
			e.ProjectID, e.CollectionID = s.schema.Project.ID, s.schema.Collection.ID
			if e.Group == 0 {
				e.Group = e.ID
			}
			inserted = append(inserted, e)
		}
		return stores.Entries.Save(ctx, s.schema, inserted, updated)
	})
}

func savesMany(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", uniqueTitle(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	a, b := coll.add(t, publicOf("en", fields{"title": "a", "tags": []string{"x"}})), coll.add(t, publicOf("en", fields{"title": "b"}))
	lone := publicOf("fr", fields{"title": "a", "tags": []string{"y", "y"}})
	german := inGroup(a.Group, publicOf("de", fields{"title": "a"}))
	// The entries exchange unique titles, and one moves to the trash.
	a.Draft = doc(fields{"title": "b", "tags": []string{"z"}})
	publish(&a)
	b.Draft, b.TrashedAt = doc(fields{"title": "c"}), at(9)
	late := draftOf("en", fields{"title": "a", "tags": []string{"x"}})
	requireNoError(t, coll.save(t, &a, &lone, &b, &german, &late))
	for _, e := range []core.Entry{a, b, lone, german, late} {
		assertEqual(t, result(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	}
	assertEqual(t, coll.list(t, coll.all()), []int64{a.ID, lone.ID, german.ID})
	assertEqual(t, coll.list(t, coll.all(equals(coll, "title", text("a")))), []int64{lone.ID, german.ID})
	assertEqual(t, coll.list(t, coll.all(equals(coll, "tags", text("z")))), []int64{a.ID})
	assertEqual(t, coll.list(t, coll.all(equals(coll, "tags", text("y")))), []int64{lone.ID})
	assertEqual(t, coll.list(t, coll.all(equals(coll, "tags", text("x")))), []int64{})
	french := coll.all()
	french.Locale = "fr"
	assertEqual(t, coll.list(t, french), []int64{a.ID, lone.ID})
	french.State = core.StateOnlyDraft
	assertEqual(t, coll.list(t, french), []int64{late.ID})
	again := draftOf("en", fields{"title": "b"})
	requireError(t, coll.insert(t, &again), core.ErrInvalid)
	requireNoError(t, coll.save(t))
}

func savesAllOrNone(t *testing.T, w *fixture) {
	coll, other := newTestCollection(t, w, "articles", uniqueTitle()), newTestCollection(t, w, "notes", uniqueTitle())
	a := coll.add(t, publicOf("en", fields{"title": "a"}))
	elsewhere := other.add(t, publicOf("en", fields{"title": "b"}))
	fresh := func() *core.Entry {
		e := publicOf("en", fields{"title": "fresh"})
		return &e
	}
	taken, clash := draftOf("en", fields{"title": "a"}), *fresh()
	locations(t, coll.save(t, fresh(), &taken), "fields.title")
	locations(t, coll.save(t, fresh(), &clash), "fields.title", "fields.title")
	second := inGroup(a.Group, publicOf("en", fields{"title": "b"}))
	requireError(t, coll.save(t, fresh(), &second), core.ErrConflict)
	late := a
	late.Version = 4
	requireError(t, coll.save(t, fresh(), &late), core.ErrConflict)
	gone := a
	gone.ID = unknown
	requireError(t, coll.save(t, fresh(), &gone), core.ErrNotFound)
	requireError(t, coll.save(t, fresh(), &elsewhere), core.ErrNotFound)
	assertEqual(t, coll.list(t, coll.all()), []int64{a.ID})
	requireNoError(t, coll.save(t, fresh()))
}

func reindexesSlots(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", &core.Field{Name: "title", Type: core.TypeText}, &core.Field{Name: "views", Type: core.TypeNumber})
	var want []int64
	for n := range 7 {
		e := coll.add(t, publicOf("en", fields{"title": fmt.Sprint("t", n%2), "views": n}))
		switch {
		case n == 6:
			coll.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(9) })
		case n%2 == 0:
			want = append([]int64{e.ID}, want...)
		}
	}
	check := func() {
		t.Helper()
		sel := coll.all(equals(coll, "title", text("t0")), clause(coll, "views", query.OpLess, num(6)))
		sel.Sort = []query.SortKey{{Field: coll.schema.Collection.Field("views"), Desc: true}, {Field: core.SystemID, Desc: true}}
		assertEqual(t, coll.list(t, sel), want)
	}
	check()
	coll.redefine(t, func(c *core.Collection) { c.Fields[0].Slot, c.Fields[1].Slot = "t8", "n8" })
	check()
	// New writes fill the slot before it is ready.
	late := coll.add(t, publicOf("en", fields{"title": "t0", "views": -1}))
	want = append(want, late.ID)
	check()
	coll.reindex(t)
	coll.redefine(t, func(c *core.Collection) { c.Fields[0].SlotReady, c.Fields[1].SlotReady = true, true })
	check()
}

func reindexesLocales(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	en := coll.add(t, publicOf("en", fields{"title": "a"}))
	fr := coll.add(t, inGroup(en.Group, publicOf("fr", fields{"title": "b"})))
	lone := coll.add(t, publicOf("de", fields{"title": "c"}))
	w.project.Locales = append(w.project.Locales, "pt")
	w.project.Fallbacks = map[string][]string{"pt": {"fr"}}
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		_, err := s.Entries.Serve(t.Context(), w.project, 0, 100)
		return errors.Join(err, s.Projects.Update(t.Context(), w.project))
	})))
	coll.reload(t)
	coll.reindex(t)
	inLocale := func(locale string) query.Selection {
		sel := coll.all()
		sel.Locale = locale
		return sel
	}
	assertEqual(t, coll.list(t, inLocale("pt")), []int64{fr.ID})
	assertEqual(t, coll.list(t, inLocale("ja")), []int64{en.ID})
	assertEqual(t, coll.list(t, inLocale("de")), []int64{en.ID, lone.ID})
	assertEqual(t, coll.list(t, inLocale("en")), []int64{en.ID})
}

func reindexesReturned(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	e := coll.add(t, publicOf("en", fields{"title": "a", "tags": []string{"x"}}))
	coll.redefine(t, func(c *core.Collection) { c.Removed, c.Fields = c.Fields, nil })
	coll.reindex(t)
	assertEqual(t, coll.list(t, coll.all()), []int64{e.ID})
	coll.redefine(t, func(c *core.Collection) { c.Removed, c.Fields = nil, c.Removed })
	coll.reindex(t)
	assertEqual(t, coll.list(t, coll.all(equals(coll, "title", text("a")), equals(coll, "tags", text("x")))), []int64{e.ID})
}

// reusesSlot checks that a slot contains no values of the field that used it before.
func reusesSlot(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	a := coll.add(t, publicOf("en", fields{"title": "old", "other": "new"}))
	b := coll.add(t, publicOf("en", fields{"title": "old"}))
	coll.redefine(t, func(c *core.Collection) {
		c.Fields[0].Slot, c.Fields[0].SlotReady = "", false
		c.Removed, c.Fields = c.Fields, []*core.Field{{ID: 2, Name: "other", Label: "other", Type: core.TypeText, Slot: "t1"}}
	})
	check := func() {
		t.Helper()
		assertEqual(t, coll.list(t, coll.all(equals(coll, "other", text("old")))), []int64{})
		assertEqual(t, coll.list(t, coll.all(equals(coll, "other", text("new")))), []int64{a.ID})
		assertEqual(t, coll.list(t, coll.all(clause(coll, "other", query.OpNull))), []int64{b.ID})
	}
	check()
	requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
		_, err := s.Entries.Reindex(t.Context(), coll.schema, 0, 100)
		return err
	})))
	coll.redefine(t, func(c *core.Collection) { c.Fields[0].SlotReady = true })
	check()
}
