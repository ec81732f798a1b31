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
		"keeps an entry whole":                                        keepsEntries,
		"keeps documents byte for byte":                               keepsDocuments,
		"founds groups and joins them":                                foundsGroups,
		"updates entries with a current version":                      updatesEntries,
		"never moves an entry":                                        neverMoves,
		"returns many by id":                                          returnsMany,
		"pages through the trash, newest first":                       pagesTrash,
		"walks a collection":                                          walks,
		"destroys for good":                                           destroys,
		"finds nothing of another project":                            isolatesProjects,
		"does not share memory with the caller":                       sharesNothing,
		"refuses a taken value by type":                               refusesTaken,
		"names every taken field":                                     namesTaken,
		"claims for both versions, trash aside":                       claimsVersions,
		"claims within collection and locale":                         claimsScope,
		"reports the holder of a value":                               tellsTaken,
		"gives ids out once":                                          givesIDs,
		"saves many at once":                                          savesMany,
		"saves all or says what is wrong":                             refusesToSave,
		"reindexes a field that gets a slot":                          reindexesSlots,
		"reindexes what is served by a new locale":                    reindexesLocales,
		"reindexes a slot that changes hands":                         handsOver,
		"reindexes a name that returns with a removed field's values": reindexesReturned,
	})
}

func keepsEntries(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	user := w.newUser(t)
	full := publicOf("fr", fields{"title": "public"})
	full.Draft, full.Version, full.UpdatedAt = doc(fields{"title": "draft"}), 7, at(8)
	full.CreatedBy, full.UpdatedBy, full.TrashedAt = user.ID, user.ID, at(9)
	for _, e := range []core.Entry{full, draftOf("en", fields{}), publicOf("en", fields{})} {
		kept := shelf.add(t, e)
		same(t, value(w.Entries.Entry(t.Context(), w.project.ID, kept.ID))(t), kept)
	}
	refused(t, failure(w.Entries.Entry(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
}

func keepsDocuments(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	for _, text := range hostileTexts {
		kept := shelf.add(t, publicOf("en", fields{"title": text, "unknown": text}))
		got := value(w.Entries.Entry(t.Context(), w.project.ID, kept.ID))(t)
		same(t, string(got.Draft), string(kept.Draft))
		same(t, string(value(w.Entries.Published(t.Context(), w.project.ID, kept.CollectionID, kept.ID))(t).Document), string(kept.Published))
	}
}

func foundsGroups(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	en := shelf.add(t, publicOf("en", fields{"title": "a"}))
	same(t, en.Group, en.ID)
	fr := shelf.add(t, in(en.Group, draftOf("fr", fields{"title": "b"})))
	same(t, fr.Group, en.ID)
	shelf.add(t, publicOf("fr", fields{"title": "alone"}))
	shelf.change(t, &fr, func(e *core.Entry) { e.TrashedAt = at(9) })
	same(t, value(w.Entries.Translations(t.Context(), w.project.ID, en.Group))(t), []core.Entry{en, fr})
	same(t, value(w.Entries.Translations(t.Context(), w.project.ID, unknown))(t), []core.Entry{})

	for _, locale := range []string{"en", "fr"} {
		again := in(en.Group, draftOf(locale, fields{"title": "c"}))
		refused(t, shelf.insert(t, &again), core.ErrConflict)
	}
}

func updatesEntries(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	e := shelf.add(t, draftOf("en", fields{"title": "v1"}))
	shelf.change(t, &e, func(e *core.Entry) {
		publish(e)
		e.Draft, e.UpdatedAt, e.UpdatedBy = doc(fields{"title": "v2"}), at(6), w.newUser(t).ID
	})
	same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	for _, version := range []int64{1, 2, 4} {
		late := e
		late.Version, late.Draft = version-1, doc(fields{"title": "late"})
		refused(t, shelf.update(t, &late), core.ErrConflict)
	}
	same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	shelf.change(t, &e, func(e *core.Entry) { e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{} })
	same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	e.ID = unknown
	refused(t, shelf.update(t, &e), core.ErrNotFound)
}

func neverMoves(t *testing.T, w *world) {
	shelf, other := newShelf(t, w, "articles", titleField()), newShelf(t, w, "notes", titleField())
	e := shelf.add(t, publicOf("en", fields{"title": "v1"}))
	moved := e
	moved.Locale, moved.Group, moved.CollectionID = "fr", other.add(t, publicOf("en", fields{"title": "x"})).Group, other.schema.Collection.ID
	succeed(t, shelf.update(t, &moved))
	e.Version = 2
	same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	same(t, shelf.list(t, shelf.all(clause(shelf, "locale", core.OpEqual, text("en")))), []int64{e.ID})
}

func returnsMany(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	a, b := shelf.add(t, publicOf("en", fields{"title": "a"})), shelf.add(t, draftOf("en", fields{"title": "b"}))
	shelf.change(t, &b, func(e *core.Entry) { e.TrashedAt = at(9) })
	got := value(w.Entries.Entries(t.Context(), w.project.ID, []int64{unknown, b.ID, a.ID}))(t)
	slices.SortFunc(got, func(x, y core.Entry) int { return int(x.ID - y.ID) })
	same(t, got, []core.Entry{a, b})
	same(t, value(w.Entries.Entries(t.Context(), w.project.ID, nil))(t), []core.Entry{})
}

func pagesTrash(t *testing.T, w *world) {
	shelf, other := newShelf(t, w, "articles", titleField()), newShelf(t, w, "notes", titleField())
	var newest []int64
	for n := range 4 {
		e := shelf.add(t, publicOf("en", fields{"title": "a"}))
		shelf.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(100 + n) })
		newest = append([]int64{e.ID}, newest...)
	}
	restored := shelf.add(t, publicOf("en", fields{"title": "live"}))
	shelf.change(t, &restored, func(e *core.Entry) { e.TrashedAt = at(500) })
	shelf.change(t, &restored, func(e *core.Entry) { e.TrashedAt = time.Time{} })
	elsewhere := other.add(t, publicOf("en", fields{"title": "a"}))
	other.change(t, &elsewhere, func(e *core.Entry) { e.TrashedAt = at(100) })
	for _, page := range []struct {
		offset, limit int64
		want          []int64
	}{{0, 2, newest[:3]}, {1, 2, newest[1:4]}, {2, 2, newest[2:]}, {0, 4, newest}, {4, 2, nil}, {9, 9, nil}} {
		got := value(w.Entries.Trash(t.Context(), w.project.ID, shelf.schema.Collection.ID, page.offset, page.limit))(t)
		same(t, entryIDs(got), page.want)
	}
}

func walks(t *testing.T, w *world) {
	shelf, other := newShelf(t, w, "articles", titleField()), newShelf(t, w, "notes", titleField())
	var all []int64
	for n := range 5 {
		other.add(t, publicOf("en", fields{"title": "elsewhere"}))
		e := shelf.add(t, draftOf("en", fields{"title": "a"}))
		if n == 2 {
			shelf.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(9) })
		}
		all = append(all, e.ID)
	}
	for _, step := range []struct {
		after int64
		limit int
		want  []int64
	}{{0, 2, all[:2]}, {all[1], 2, all[2:4]}, {all[3], 2, all[4:]}, {all[4], 2, nil}, {0, 100, all}} {
		got := value(w.Entries.Walk(t.Context(), w.project.ID, shelf.schema.Collection.ID, step.after, step.limit))(t)
		same(t, entryIDs(got), step.want)
	}
}

func destroys(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", uniqueTitle(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	founder := shelf.add(t, publicOf("en", fields{"title": "a", "tags": []string{"x", "y"}}))
	member := shelf.add(t, in(founder.Group, publicOf("fr", fields{"title": "b", "tags": []string{"x"}})))
	succeed(t, shelf.destroy(t, founder.ID))
	refused(t, failure(w.Entries.Entry(t.Context(), w.project.ID, founder.ID)), core.ErrNotFound)
	refused(t, shelf.destroy(t, founder.ID), core.ErrNotFound)
	same(t, shelf.list(t, shelf.all(is(shelf, "tags", text("x")))), []int64{member.ID})
	same(t, value(w.Entries.Translations(t.Context(), w.project.ID, founder.Group))(t), []core.Entry{member})
	again := shelf.add(t, publicOf("en", fields{"title": "a"}))
	if again.ID == founder.ID {
		t.Errorf("id %d was given twice", founder.ID)
	}
}

func isolatesProjects(t *testing.T, w *world) {
	other := w.beside(t)
	mine, theirs := newShelf(t, w, "articles", uniqueTitle()), newShelf(t, other, "articles", uniqueTitle())
	e := mine.add(t, publicOf("en", fields{"title": "a"}))
	theirs.add(t, publicOf("en", fields{"title": "a"}))
	trashed := mine.add(t, publicOf("en", fields{"title": "b"}))
	mine.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = at(9) })
	foreign, collection := other.project.ID, mine.schema.Collection.ID

	refused(t, failure(w.Entries.Entry(t.Context(), foreign, e.ID)), core.ErrNotFound)
	refused(t, failure(w.Entries.Published(t.Context(), foreign, collection, e.ID)), core.ErrNotFound)
	for _, read := range []struct {
		entries []core.Entry
		err     error
	}{
		pair(w.Entries.Entries(t.Context(), foreign, []int64{e.ID})),
		pair(w.Entries.Translations(t.Context(), foreign, e.Group)),
		pair(w.Entries.Trash(t.Context(), foreign, collection, 0, 9)),
		pair(w.Entries.Walk(t.Context(), foreign, collection, 0, 9)),
	} {
		succeed(t, read.err)
		same(t, read.entries, []core.Entry{})
	}
	same(t, value(w.Entries.Serving(t.Context(), foreign, core.StatePublished, []int64{e.Group}, ^uint64(0)>>4, true))(t), []core.Row{})

	stolen := e
	stolen.ProjectID = foreign
	refused(t, theirs.update(t, &stolen), core.ErrNotFound)
	refused(t, theirs.destroy(t, e.ID), core.ErrNotFound)
	same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
}

// pair holds both parts of a call's answer.
func pair(entries []core.Entry, err error) struct {
	entries []core.Entry
	err     error
} {
	return struct {
		entries []core.Entry
		err     error
	}{entries, err}
}

func sharesNothing(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	e := shelf.add(t, publicOf("en", fields{"title": "a"}))
	want := string(e.Draft)
	spoil := func(documents ...core.Document) {
		for _, d := range documents {
			copy(d, strings.Repeat("!", len(d)))
		}
	}
	e.Draft, e.Published = core.Document(want), core.Document(want)
	shelf.change(t, &e, func(*core.Entry) {})
	spoil(e.Draft, e.Published)
	read := value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t)
	same(t, string(read.Draft), want)
	spoil(read.Draft, read.Published)
	rows := value(w.Entries.List(t.Context(), shelf.all()))(t)
	same(t, string(rows[0].Document), want)
	spoil(rows[0].Document)
	same(t, string(value(w.Entries.Published(t.Context(), w.project.ID, e.CollectionID, e.ID))(t).Document), want)
}

func refusesTaken(t *testing.T, w *world) {
	for i, c := range []struct {
		kind         core.FieldType
		slot         string
		held         any
		taken, other []any
	}{
		{core.TypeText, "t1", "a", []any{"a"}, []any{"A", "a ", " a", "á", "", "b"}},
		{core.TypeText, "t1", "", []any{""}, []any{" "}},
		{core.TypeText, "", "ß", []any{"ß"}, []any{"ẞ", "ss", "SS"}},
		{core.TypeText, "t1", "é", []any{"\u00e9"}, []any{"e\u0301"}},
		{core.TypeLongText, "", strings.Repeat("é", 3000), []any{strings.Repeat("é", 3000)}, []any{strings.Repeat("é", 2999) + "e", strings.Repeat("é", 1000)}},
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
			shelf := newShelf(t, w, fmt.Sprint("unique-", i), &core.Field{Name: "code", Type: c.kind, Unique: true, Slot: c.slot, SlotReady: c.slot != ""})
			holder := shelf.add(t, publicOf("en", fields{"code": c.held}))
			shelf.change(t, &holder, func(e *core.Entry) { e.UpdatedAt = at(50) })
			for _, v := range c.taken {
				e := draftOf("en", fields{"code": v})
				refused(t, shelf.insert(t, &e), core.ErrInvalid)
			}
			for _, v := range c.other {
				shelf.add(t, draftOf("en", fields{"code": v}))
			}
			shelf.add(t, draftOf("en", fields{}))
			shelf.add(t, draftOf("en", fields{}))
		})
	}
}

func namesTaken(t *testing.T, w *world) {
	unique := func(name, slot string) *core.Field {
		return &core.Field{Name: name, Type: core.TypeText, Unique: true, Slot: slot, SlotReady: slot != ""}
	}
	shelf := newShelf(t, w, "articles", unique("code", "t1"), unique("name", ""), unique("free", "t2"), titleField())
	one := shelf.add(t, publicOf("en", fields{"code": "a", "name": "b", "free": "c", "title": "d"}))
	two := shelf.add(t, publicOf("en", fields{"code": "x", "name": "y", "free": "z", "title": "d"}))

	clash := draftOf("en", fields{"code": "a", "name": "y", "free": "new", "title": "d"})
	locations(t, shelf.insert(t, &clash), "fields.code", "fields.name")
	two.Draft = doc(fields{"code": "x", "name": "b", "title": "d"})
	locations(t, shelf.update(t, &two), "fields.name")
	same(t, value(w.Entries.Entry(t.Context(), w.project.ID, two.ID))(t).Version, int64(1))
	shelf.change(t, &one, func(e *core.Entry) { e.Draft = doc(fields{"code": "a", "name": "b2", "free": "c"}) })
	// The published version still holds b.
	two.Version = 1
	locations(t, shelf.update(t, &two), "fields.name")
}

// locations checks that err is core.ErrInvalid at exactly those places.
func locations(t *testing.T, err error, want ...string) {
	t.Helper()
	refused(t, err, core.ErrInvalid)
	var fault *core.Error
	errors.As(err, &fault)
	var got []string
	for _, f := range fault.Fields {
		got = append(got, f.Location)
	}
	slices.Sort(got)
	same(t, got, want)
}

func claimsVersions(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", uniqueTitle())
	e := shelf.add(t, publicOf("en", fields{"title": "public"}))
	shelf.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{"title": "draft"}) })
	attempt := func(title string) error {
		other := draftOf("en", fields{"title": title})
		err := shelf.insert(t, &other)
		if err == nil {
			succeed(t, shelf.destroy(t, other.ID))
		}
		return err
	}
	refused(t, attempt("public"), core.ErrInvalid)
	refused(t, attempt("draft"), core.ErrInvalid)

	shelf.change(t, &e, func(e *core.Entry) { publish(e) })
	succeed(t, attempt("public"))
	refused(t, attempt("draft"), core.ErrInvalid)

	shelf.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(9) })
	usurper := shelf.add(t, draftOf("en", fields{"title": "draft"}))
	e.TrashedAt = time.Time{}
	locations(t, shelf.update(t, &e), "fields.title")
	succeed(t, shelf.destroy(t, usurper.ID))
	e.Version--
	shelf.change(t, &e, func(*core.Entry) {})
	refused(t, attempt("draft"), core.ErrInvalid)
	same(t, shelf.list(t, shelf.all()), []int64{e.ID})

	shelf.change(t, &e, func(e *core.Entry) {
		e.Draft, e.Published, e.PublishedAt, e.ReleasedAt = doc(fields{}), nil, time.Time{}, time.Time{}
	})
	succeed(t, attempt("draft"))
}

func claimsScope(t *testing.T, w *world) {
	shelf, other := newShelf(t, w, "articles", uniqueTitle()), newShelf(t, w, "notes", uniqueTitle())
	elsewhere := newShelf(t, w.beside(t), "articles", uniqueTitle())
	en := shelf.add(t, publicOf("en", fields{"title": "a"}))
	shelf.add(t, in(en.Group, publicOf("fr", fields{"title": "a"})))
	shelf.add(t, publicOf("de", fields{"title": "a"}))
	other.add(t, publicOf("en", fields{"title": "a"}))
	elsewhere.add(t, publicOf("en", fields{"title": "a"}))
	again := publicOf("fr", fields{"title": "a"})
	refused(t, shelf.insert(t, &again), core.ErrInvalid)
}

func tellsTaken(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", uniqueTitle(), &core.Field{Name: "code", Type: core.TypeNumber, Unique: true, Slot: "n1", SlotReady: true})
	e := shelf.add(t, publicOf("en", fields{"title": "a", "code": 1}))
	shelf.change(t, &e, func(e *core.Entry) { e.Draft = doc(fields{"title": "b", "code": 1}) })
	binned := shelf.add(t, publicOf("en", fields{"title": "trashed"}))
	shelf.change(t, &binned, func(e *core.Entry) { e.TrashedAt = at(9) })
	french := shelf.add(t, in(e.Group, draftOf("fr", fields{"title": "b"})))
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
		got := value(w.Entries.Holders(t.Context(), shelf.schema, c.locales, shelf.schema.Collection.UniqueValues(doc(c.doc))))(t)
		slices.SortFunc(got, func(a, b core.Holder) int {
			return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Entry, b.Entry))
		})
		same(t, got, c.want)
	}
}

func givesIDs(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	var given []int64
	for _, n := range []int{1, 3, 2} {
		some := value(w.Entries.NewIDs(t.Context(), n))(t)
		same(t, len(some), n)
		given = append(given, some...)
		given = append(given, shelf.add(t, draftOf("en", fields{})).ID)
	}
	if !slices.IsSorted(given) || len(slices.Compact(slices.Clone(given))) != len(given) {
		t.Errorf("the ids %v were given", given)
	}
}

// save stores entries at once; those with an ID are updated.
func (s *shelf) save(t reporter, entries ...*core.Entry) error {
	t.Helper()
	return s.w.do(t, func(ctx context.Context, stores ports.Stores) error {
		var inserted, updated []*core.Entry
		for _, e := range entries {
			if e.ID != 0 {
				e.Version++
				updated = append(updated, e)
				continue
			}
			e.ID = value(stores.Entries.NewIDs(ctx, 1))(t)[0]
			e.ProjectID, e.CollectionID = s.schema.Project.ID, s.schema.Collection.ID
			if e.Group == 0 {
				e.Group = e.ID
			}
			inserted = append(inserted, e)
		}
		return stores.Entries.Save(ctx, s.schema, inserted, updated)
	})
}

func savesMany(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", uniqueTitle(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	a, b := shelf.add(t, publicOf("en", fields{"title": "a", "tags": []string{"x"}})), shelf.add(t, publicOf("en", fields{"title": "b"}))
	lone := publicOf("fr", fields{"title": "a", "tags": []string{"y", "y"}})
	german := in(a.Group, publicOf("de", fields{"title": "a"}))
	// Their titles change hands, one of them leaves for the trash.
	a.Draft = doc(fields{"title": "b", "tags": []string{"z"}})
	publish(&a)
	b.Draft, b.TrashedAt = doc(fields{"title": "c"}), at(9)
	late := draftOf("en", fields{"title": "a", "tags": []string{"x"}})
	succeed(t, shelf.save(t, &a, &lone, &b, &german, &late))
	for _, e := range []core.Entry{a, b, lone, german, late} {
		same(t, value(w.Entries.Entry(t.Context(), w.project.ID, e.ID))(t), e)
	}
	same(t, shelf.list(t, shelf.all()), []int64{a.ID, lone.ID, german.ID})
	same(t, shelf.list(t, shelf.all(is(shelf, "title", text("a")))), []int64{lone.ID, german.ID})
	same(t, shelf.list(t, shelf.all(is(shelf, "tags", text("z")))), []int64{a.ID})
	same(t, shelf.list(t, shelf.all(is(shelf, "tags", text("y")))), []int64{lone.ID})
	same(t, shelf.list(t, shelf.all(is(shelf, "tags", text("x")))), []int64{})
	french := shelf.all()
	french.Locale = "fr"
	same(t, shelf.list(t, french), []int64{a.ID, lone.ID})
	french.State = core.StateOnlyDraft
	same(t, shelf.list(t, french), []int64{late.ID})
	again := draftOf("en", fields{"title": "b"})
	refused(t, shelf.insert(t, &again), core.ErrInvalid)
	succeed(t, shelf.save(t))
}

func refusesToSave(t *testing.T, w *world) {
	shelf, other := newShelf(t, w, "articles", uniqueTitle()), newShelf(t, w, "notes", uniqueTitle())
	a := shelf.add(t, publicOf("en", fields{"title": "a"}))
	elsewhere := other.add(t, publicOf("en", fields{"title": "b"}))
	fresh := func() *core.Entry {
		e := publicOf("en", fields{"title": "fresh"})
		return &e
	}
	taken, clash := draftOf("en", fields{"title": "a"}), *fresh()
	locations(t, shelf.save(t, fresh(), &taken), "fields.title")
	locations(t, shelf.save(t, fresh(), &clash), "fields.title")
	crowded := in(a.Group, publicOf("en", fields{"title": "b"}))
	refused(t, shelf.save(t, fresh(), &crowded), core.ErrConflict)
	late := a
	late.Version = 4
	refused(t, shelf.save(t, fresh(), &late), core.ErrConflict)
	gone := a
	gone.ID = unknown
	refused(t, shelf.save(t, fresh(), &gone), core.ErrNotFound)
	refused(t, shelf.save(t, fresh(), &elsewhere), core.ErrNotFound)
	same(t, shelf.list(t, shelf.all()), []int64{a.ID})
	succeed(t, shelf.save(t, fresh()))
}

func reindexesSlots(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", &core.Field{Name: "title", Type: core.TypeText}, &core.Field{Name: "views", Type: core.TypeNumber})
	var want []int64
	for n := range 7 {
		e := shelf.add(t, publicOf("en", fields{"title": fmt.Sprint("t", n%2), "views": n}))
		switch {
		case n == 6:
			shelf.change(t, &e, func(e *core.Entry) { e.TrashedAt = at(9) })
		case n%2 == 0:
			want = append([]int64{e.ID}, want...)
		}
	}
	check := func() {
		t.Helper()
		sel := shelf.all(is(shelf, "title", text("t0")), clause(shelf, "views", core.OpLess, num(6)))
		sel.Sort = []core.SortKey{{Field: shelf.schema.Collection.Field("views"), Desc: true}, {Field: core.SystemID, Desc: true}}
		same(t, shelf.list(t, sel), want)
	}
	check()
	shelf.redefine(t, func(c *core.Collection) { c.Fields[0].Slot, c.Fields[1].Slot = "t8", "n8" })
	check()
	// Writes fill the slot already, while the others wait.
	late := shelf.add(t, publicOf("en", fields{"title": "t0", "views": -1}))
	want = append(want, late.ID)
	check()
	shelf.reindex(t)
	shelf.redefine(t, func(c *core.Collection) { c.Fields[0].SlotReady, c.Fields[1].SlotReady = true, true })
	check()
}

func reindexesLocales(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	en := shelf.add(t, publicOf("en", fields{"title": "a"}))
	fr := shelf.add(t, in(en.Group, publicOf("fr", fields{"title": "b"})))
	lone := shelf.add(t, publicOf("de", fields{"title": "c"}))
	w.project.Locales = append(w.project.Locales, "pt")
	w.project.Fallbacks = map[string][]string{"pt": {"fr"}}
	succeed(t, w.do(t, inTx(func(s ports.Stores) error { return s.Projects.Update(t.Context(), w.project) })))
	shelf.reload(t)
	shelf.reindex(t)
	inLocale := func(locale string) core.Selection {
		sel := shelf.all()
		sel.Locale = locale
		return sel
	}
	same(t, shelf.list(t, inLocale("pt")), []int64{fr.ID})
	same(t, shelf.list(t, inLocale("ja")), []int64{en.ID})
	same(t, shelf.list(t, inLocale("de")), []int64{en.ID, lone.ID})
	same(t, shelf.list(t, inLocale("en")), []int64{en.ID})
}

func reindexesReturned(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	e := shelf.add(t, publicOf("en", fields{"title": "a", "tags": []string{"x"}}))
	shelf.redefine(t, func(c *core.Collection) { c.Removed, c.Fields = c.Fields, nil })
	shelf.reindex(t)
	same(t, shelf.list(t, shelf.all()), []int64{e.ID})
	shelf.redefine(t, func(c *core.Collection) { c.Removed, c.Fields = nil, c.Removed })
	shelf.reindex(t)
	same(t, shelf.list(t, shelf.all(is(shelf, "title", text("a")), is(shelf, "tags", text("x")))), []int64{e.ID})
}

// handsOver checks that a slot holds nothing of the field that had it before.
func handsOver(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	a := shelf.add(t, publicOf("en", fields{"title": "old", "other": "new"}))
	b := shelf.add(t, publicOf("en", fields{"title": "old"}))
	shelf.redefine(t, func(c *core.Collection) {
		c.Fields[0].Slot, c.Fields[0].SlotReady = "", false
		c.Removed, c.Fields = c.Fields, []*core.Field{{ID: 2, Name: "other", Label: "other", Type: core.TypeText, Slot: "t1"}}
	})
	check := func() {
		t.Helper()
		same(t, shelf.list(t, shelf.all(is(shelf, "other", text("old")))), []int64{})
		same(t, shelf.list(t, shelf.all(is(shelf, "other", text("new")))), []int64{a.ID})
		same(t, shelf.list(t, shelf.all(clause(shelf, "other", core.OpNull))), []int64{b.ID})
	}
	check()
	succeed(t, w.do(t, inTx(func(s ports.Stores) error {
		_, err := s.Entries.Reindex(t.Context(), shelf.schema, 0, 100)
		return err
	})))
	shelf.redefine(t, func(c *core.Collection) { c.Fields[0].SlotReady = true })
	check()
}
