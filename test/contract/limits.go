package contract

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Limits checks that a ports.EntryStore holds what the limits of the service let
// through: it is no smaller itself.
func Limits(t *testing.T, open Factory) {
	runInTurn(t, open, cases{
		"takes as many locales as a project may have":      takesLocales,
		"takes as many conditions as a query may have":     takesConditions,
		"takes many ids at once":                           takesIDs,
		"saves many entries at once":                       savesThousands,
		"reports holders of thousands of values":           tellsManyHolders,
		"takes texts that do not compress":                 takesNoise,
		"takes large documents":                            takesLarge,
		"takes many values of one field":                   takesValues,
		"takes any name of a field":                        takesNames,
		"looks one relation away on what was just written": looksAwayFresh,
	})
}

func takesLocales(t *testing.T, w *world) {
	var locales []string
	for n := range core.MaxLocales {
		locales = append(locales, fmt.Sprintf("x%c-%c", 'a'+n/26, 'a'+n%26))
	}
	w.project.Locales, w.project.DefaultLocale, w.project.Fallbacks = locales, locales[0], map[string][]string{locales[59]: locales[30:50]}
	succeed(t, w.Projects.Update(t.Context(), w.project))
	shelf := newShelf(t, w, "articles", titleField(), &core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true}, &core.Field{Name: "note", Type: core.TypeText})
	first := shelf.add(t, publicOf(locales[0], fields{"title": "a", "views": 1}))
	last := shelf.add(t, in(first.Group, publicOf(locales[59], fields{"title": "b", "views": 2})))
	near := shelf.add(t, publicOf(locales[49], fields{"title": "c"}))
	field := shelf.schema.Collection.Field
	for locale, want := range map[string][]int64{
		core.AllLocales: {near.ID, last.ID, first.ID}, locales[59]: {near.ID, last.ID}, locales[0]: {first.ID}, locales[58]: {first.ID}, locales[49]: {near.ID, first.ID},
	} {
		for _, where := range [][]core.Clause{nil, {clause(shelf, "title", core.OpNotNull), clause(shelf, "note", core.OpNull)}} {
			sel := shelf.all(where...)
			sel.Locale = locale
			sel.Sort = []core.SortKey{{Field: field("note")}, {Field: field("title"), Desc: true}, {Field: field("views")}, {Field: core.SystemID}}
			same(t, shelf.list(t, sel), want)
		}
	}
	rows := value(w.Entries.Serving(t.Context(), w.project.ID, core.StatePublished, []int64{first.Group}, 1<<59, false))(t)
	same(t, ids(rows, func(r core.Row) int64 { return r.ID }), []int64{last.ID})
}

func takesConditions(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField(),
		&core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		&core.Field{Name: "note", Type: core.TypeText},
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true},
		&core.Field{Name: "next", Type: core.TypeRelation, Collection: "articles"})
	e := shelf.add(t, publicOf("en", fields{"title": "t499", "views": 499, "note": "t499", "tags": []string{"t499"}}))
	shelf.change(t, &e, func(e *core.Entry) {
		e.Draft = doc(fields{"title": "t499", "views": 499, "note": "t499", "tags": []string{"t499"}, "next": e.Group})
		publish(e)
	})
	shelf.add(t, publicOf("en", fields{"title": "t500", "views": 500, "note": "t500", "tags": []string{"t500"}}))
	var words, numbers, entries []core.Value
	for n := range core.MaxInValues {
		words, numbers = append(words, text(fmt.Sprint("t", n))), append(numbers, num(n))
		entries = append(entries, num(unknown+int64(n)))
	}
	entries[0] = num(e.ID)
	clauses := []core.Clause{
		clause(shelf, "title", core.OpIn, words...), clause(shelf, "note", core.OpIn, words...), clause(shelf, "tags", core.OpIn, words...),
		clause(shelf, "views", core.OpIn, numbers...), clause(shelf, "next", core.OpIn, entries...), clause(shelf, "id", core.OpIn, entries...),
		away(shelf, "next", "title", core.OpIn, words...), away(shelf, "next", "note", core.OpIn, words...),
		away(shelf, "next", "tags", core.OpIn, words...), away(shelf, "next", "views", core.OpLess, num(500)),
	}
	var most []core.Clause
	for len(most) < core.MaxConditions {
		most = append(most, clauses[len(most)%len(clauses)])
	}
	joined := shelf.all(most...)
	same(t, shelf.list(t, joined), []int64{e.ID})
	either := shelf.all()
	either.Locale = "fr-CA"
	for _, c := range most {
		either.Or = append(either.Or, []core.Clause{c})
	}
	same(t, shelf.list(t, either), []int64{e.ID})
	long := text(strings.Repeat("a", core.MaxValueLength))
	for _, field := range []string{"title", "note", "tags"} {
		for _, op := range []core.Op{core.OpEqual, core.OpLike, core.OpGreater, core.OpIn} {
			want := []int64{}
			if op == core.OpGreater { // "t…" comes after "a…"
				want = shelf.list(t, shelf.all())
			}
			same(t, shelf.list(t, shelf.all(clause(shelf, field, op, long))), want)
		}
	}
}

func takesIDs(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	e := shelf.add(t, publicOf("en", fields{"title": "a"}))
	many := make([]int64, 20000)
	used := map[int64]time.Time{}
	for n := range many {
		many[n] = unknown + int64(n)
		used[many[n]] = at(1)
	}
	many[7777] = e.ID
	same(t, entryIDs(value(w.Entries.Entries(t.Context(), w.project.ID, many))(t)), []int64{e.ID})
	same(t, len(value(w.Entries.Serving(t.Context(), w.project.ID, core.StatePublished, many, 1, true))(t)), 1)
	same(t, len(value(w.Media.MediaByIDs(t.Context(), w.project.ID, many))(t)), 0)
	same(t, len(value(w.Projects.ProjectsByIDs(t.Context(), append([]int64{w.project.ID}, many[:7000]...)))(t)), 1)
	succeed(t, w.Tokens.Touch(t.Context(), used))
}

func takesNoise(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles",
		&core.Field{Name: "one", Type: core.TypeText, Unique: true, Searchable: true, Slot: "t1", SlotReady: true},
		&core.Field{Name: "two", Type: core.TypeText, Slot: "t2", SlotReady: true},
		&core.Field{Name: "many", Type: core.TypeText, Multiple: true, Searchable: true})
	dice := rand.New(rand.NewPCG(1, 2))
	noise := func(length int) string {
		runes := make([]rune, length)
		for i := range runes {
			runes[i] = 0x4e00 + dice.Int32N(0x5000)
		}
		return string(runes)
	}
	for _, length := range []int{600, 666, 667, 900, 20000} {
		v, other := noise(length), noise(length)
		e := shelf.add(t, publicOf("en", fields{"one": v, "two": v, "many": []string{v, v + "x"}}))
		middle := string([]rune(v)[length/2 : length/2+50])
		for _, c := range []core.Clause{
			is(shelf, "one", text(v)), is(shelf, "two", text(v)), is(shelf, "many", text(v+"x")), like(shelf, "one", middle), like(shelf, "many", middle),
		} {
			same(t, shelf.list(t, shelf.all(c)), []int64{e.ID})
		}
		same(t, shelf.list(t, shelf.all(is(shelf, "one", text(other)))), []int64{})
		again := draftOf("en", fields{"one": v})
		refused(t, shelf.insert(t, &again), core.ErrInvalid)
	}
}

func takesLarge(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField(), &core.Field{Name: "body", Type: core.TypeLongText, Searchable: true}, &core.Field{Name: "data", Type: core.TypeJSON})
	body := strings.Repeat("Lörem ipsum 😀 ", 60000) + "THE END"
	deep := any("leaf")
	for range 500 {
		deep = []any{deep}
	}
	e := shelf.add(t, publicOf("en", fields{"title": "a", "body": body, "data": deep}))
	same(t, shelf.list(t, shelf.all(like(shelf, "body", "the end"), clause(shelf, "data", core.OpNotNull))), []int64{e.ID})
	same(t, shelf.list(t, shelf.all(is(shelf, "body", text(body[1:])))), []int64{})
	got := value(w.Entries.Published(t.Context(), w.project.ID, e.CollectionID, e.ID))(t)
	if string(got.Document) != string(e.Published) {
		t.Error("a large document came back changed")
	}
}

func takesValues(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField(),
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true}, &core.Field{Name: "scores", Type: core.TypeNumber, Multiple: true},
		&core.Field{Name: "links", Type: core.TypeRelation, Collection: "articles", Multiple: true})
	target := shelf.add(t, publicOf("en", fields{"title": "target"}))
	var tags []string
	var scores []int
	var links []int64
	for n := range 800 {
		tags, scores, links = append(tags, fmt.Sprint("tag ", n)), append(scores, n), append(links, unknown+int64(n))
	}
	links[799] = target.Group
	e := shelf.add(t, publicOf("en", fields{"title": "holder", "tags": tags, "scores": scores, "links": links}))
	holds := func(want bool) {
		t.Helper()
		for _, c := range []core.Clause{
			is(shelf, "tags", text("tag 799")), clause(shelf, "scores", core.OpGreater, num(798)), is(shelf, "links", num(target.ID)),
			away(shelf, "links", "title", core.OpEqual, text("target")),
		} {
			same(t, slices.Contains(shelf.list(t, shelf.all(c)), e.ID), want)
		}
	}
	holds(true)
	shelf.change(t, &e, func(e *core.Entry) {
		e.Draft = doc(fields{"title": "holder", "tags": tags[:1], "scores": scores[:1], "links": links[:1]})
		publish(e)
	})
	holds(false)
}

func takesNames(t *testing.T, w *world) {
	names := []string{"order", "select", "userName", "username", "t1", "a", "draft", "published", "state", "serves", "group_id", "x" + strings.Repeat("y", 200)}
	var list []*core.Field
	for i, name := range names {
		f := &core.Field{Name: name, Type: core.TypeText}
		if i%3 == 1 {
			f.Slot, f.SlotReady = fmt.Sprint("t", i/3+1), true
		}
		f.Multiple = i%3 == 2
		list = append(list, f)
	}
	shelf := newShelf(t, w, "select", list...)
	content := fields{}
	for _, f := range list {
		content[f.Name] = any(f.Name)
		if f.Multiple {
			content[f.Name] = []string{f.Name}
		}
	}
	e := shelf.add(t, publicOf("en", content))
	for _, f := range list {
		same(t, shelf.list(t, shelf.all(is(shelf, f.Name, text(f.Name)))), []int64{e.ID})
		same(t, shelf.list(t, shelf.all(like(shelf, f.Name, strings.ToUpper(f.Name)))), []int64{e.ID})
		same(t, shelf.list(t, shelf.all(is(shelf, f.Name, text("other")))), []int64{})
		if !f.Multiple {
			sel := shelf.all()
			sel.Sort = []core.SortKey{{Field: f}, {Field: core.SystemID}}
			same(t, shelf.list(t, sel), []int64{e.ID})
		}
	}
}

// looksAwayFresh asks right after an import, when a planner knows nothing yet of
// how many rows there are.
func looksAwayFresh(t *testing.T, w *world) {
	const number, patience = 1000, 20 * time.Second
	shelf := newShelf(t, w, "articles", titleField(), &core.Field{Name: "next", Type: core.TypeRelation, Collection: "articles"})
	var groups []int64
	succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		groups = nil
		for n := range number {
			content := fields{"title": fmt.Sprint(n % 40)}
			if n > 0 {
				content["next"] = groups[n-1]
			}
			e := publicOf("en", content)
			e.ProjectID, e.CollectionID = w.project.ID, shelf.schema.Collection.ID
			if err := s.Entries.Insert(ctx, shelf.schema, &e); err != nil {
				return err
			}
			groups = append(groups, e.Group)
		}
		return nil
	}))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, c := range []core.Clause{
		away(shelf, "next", "title", core.OpEqual, text("7")), away(shelf, "next", "title", core.OpLess, text("0")), is(shelf, "next", num(groups[7])),
	} {
		sel := shelf.all(c)
		sel.Locale = "fr-CA"
		rows := value(w.Entries.List(ctx, sel))(t)
		same(t, value(w.Entries.Count(ctx, sel))(t), int64(len(rows)))
	}
}

func savesThousands(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", uniqueTitle(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	var all []*core.Entry
	for n := range 1200 {
		e := publicOf("en", fields{"title": fmt.Sprint(n), "tags": []string{fmt.Sprint(n % 5), "all"}})
		all = append(all, &e)
	}
	succeed(t, shelf.save(t, all...))
	same(t, value(w.Entries.Count(t.Context(), shelf.all(is(shelf, "tags", text("all")))))(t), int64(1200))
	for n, e := range all {
		e.Draft = doc(fields{"title": fmt.Sprint(n), "tags": []string{"new"}})
	}
	succeed(t, shelf.save(t, all...))
	drafts := shelf.all(is(shelf, "tags", text("new")))
	same(t, value(w.Entries.Count(t.Context(), drafts))(t), int64(0))
	drafts.State = core.StateWithDraft
	same(t, value(w.Entries.Count(t.Context(), drafts))(t), int64(1200))
	same(t, len(value(w.Entries.Translations(t.Context(), w.project.ID, ids(all, func(e *core.Entry) int64 { return e.Group })...))(t)), 1200)
}

// tellsManyHolders asks about more values at once than one statement may name.
func tellsManyHolders(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", uniqueTitle())
	first, last := shelf.add(t, draftOf("en", fields{"title": "0"})), shelf.add(t, draftOf("en", fields{"title": "2999"}))
	var values []core.UniqueValue
	for n := range 3000 {
		values = append(values, core.UniqueValue{Field: "title", Value: text(fmt.Sprint(n))})
	}
	holders := value(w.Entries.Holders(t.Context(), shelf.schema, w.project.Locales, values))(t)
	got := ids(holders, func(h core.Holder) int64 { return h.Entry })
	slices.Sort(got)
	same(t, got, []int64{first.ID, last.ID})
}
