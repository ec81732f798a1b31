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
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// Limits checks that a ports.EntryStore supports everything up to the limits of the service.
func Limits(t *testing.T, open Factory) {
	runSequentially(t, open, cases{
		"supports the maximum of locales":         supportsLocales,
		"supports the maximum of conditions":      supportsConditions,
		"supports many ids per call":              supportsIDs,
		"saves many entries per call":             savesThousands,
		"reports holders of thousands of values":  findsManyHolders,
		"stores incompressible texts":             storesNoise,
		"stores large documents":                  storesLarge,
		"stores many values of one field":         storesValues,
		"supports any field name":                 supportsNames,
		"follows relations right after an import": followsFreshRelations,
	})
}

func supportsLocales(t *testing.T, w *fixture) {
	var locales []string
	for n := range core.MaxLocales {
		locales = append(locales, fmt.Sprintf("x%c-%c", 'a'+n/26, 'a'+n%26))
	}
	w.project.Locales, w.project.DefaultLocale, w.project.Fallbacks = locales, locales[0], map[string][]string{locales[59]: locales[30:50]}
	requireNoError(t, w.Projects.Update(t.Context(), w.project))
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true}, &core.Field{Name: "note", Type: core.TypeText})
	first := coll.add(t, publicOf(locales[0], fields{"title": "a", "views": 1}))
	last := coll.add(t, inGroup(first.Group, publicOf(locales[59], fields{"title": "b", "views": 2})))
	near := coll.add(t, publicOf(locales[49], fields{"title": "c"}))
	field := coll.schema.Collection.Field
	for locale, want := range map[string][]int64{
		query.AllLocales: {near.ID, last.ID, first.ID}, locales[59]: {near.ID, last.ID}, locales[0]: {first.ID}, locales[58]: {first.ID}, locales[49]: {near.ID, first.ID},
	} {
		for _, where := range [][]query.Predicate{nil, {clause(coll, "title", query.OpNotNull), clause(coll, "note", query.OpNull)}} {
			sel := coll.all(where...)
			sel.Locale = locale
			sel.Sort = []query.SortKey{{Field: field("note")}, {Field: field("title"), Desc: true}, {Field: field("views")}, {Field: core.SystemID}}
			assertEqual(t, coll.list(t, sel), want)
		}
	}
	rows := result(w.Entries.Serving(t.Context(), w.project.ID, core.StatePublished, []int64{first.Group}, 1<<59, false))(t)
	assertEqual(t, ids(rows, func(r core.Row) int64 { return r.ID }), []int64{last.ID})
}

func supportsConditions(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(),
		&core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		&core.Field{Name: "note", Type: core.TypeText},
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true},
		&core.Field{Name: "next", Type: core.TypeRelation, Collection: "articles"})
	e := coll.add(t, publicOf("en", fields{"title": "t499", "views": 499, "note": "t499", "tags": []string{"t499"}}))
	coll.change(t, &e, func(e *core.Entry) {
		e.Draft = doc(fields{"title": "t499", "views": 499, "note": "t499", "tags": []string{"t499"}, "next": e.Group})
		publish(e)
	})
	coll.add(t, publicOf("en", fields{"title": "t500", "views": 500, "note": "t500", "tags": []string{"t500"}}))
	var words, numbers, entries []core.Value
	for n := range query.MaxInValues {
		words, numbers = append(words, text(fmt.Sprint("t", n))), append(numbers, num(n))
		entries = append(entries, num(unknown+int64(n)))
	}
	entries[0] = num(e.ID)
	clauses := []query.Predicate{
		clause(coll, "title", query.OpIn, words...), clause(coll, "note", query.OpIn, words...), clause(coll, "tags", query.OpIn, words...),
		clause(coll, "views", query.OpIn, numbers...), clause(coll, "next", query.OpIn, entries...), clause(coll, "id", query.OpIn, entries...),
		related(coll, "next", "title", query.OpIn, words...), related(coll, "next", "note", query.OpIn, words...),
		related(coll, "next", "tags", query.OpIn, words...), related(coll, "next", "views", query.OpLess, num(500)),
	}
	var most []query.Predicate
	for len(most) < query.MaxConditions {
		most = append(most, clauses[len(most)%len(clauses)])
	}
	joined := coll.all(most...)
	assertEqual(t, coll.list(t, joined), []int64{e.ID})
	either := coll.all()
	either.Locale = "fr-CA"
	for _, c := range most {
		either.Or = append(either.Or, []query.Predicate{c})
	}
	assertEqual(t, coll.list(t, either), []int64{e.ID})
	long := text(strings.Repeat("a", query.MaxValueLength))
	for _, field := range []string{"title", "note", "tags"} {
		for _, op := range []query.Op{query.OpEqual, query.OpLike, query.OpGreater, query.OpIn} {
			want := []int64{}
			if op == query.OpGreater { // "t…" comes after "a…"
				want = coll.list(t, coll.all())
			}
			assertEqual(t, coll.list(t, coll.all(clause(coll, field, op, long))), want)
		}
	}
}

func supportsIDs(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, publicOf("en", fields{"title": "a"}))
	many := make([]int64, 20000)
	used := make([]core.TokenUse, len(many))
	for n := range many {
		many[n] = unknown + int64(n)
		used[n] = core.TokenUse{TokenID: many[n], UsedAt: at(1), Reads: 1}
	}
	many[7777] = e.ID
	assertEqual(t, entryIDs(result(w.Entries.Entries(t.Context(), w.project.ID, many))(t)), []int64{e.ID})
	assertEqual(t, len(result(w.Entries.Serving(t.Context(), w.project.ID, core.StatePublished, many, 1, true))(t)), 1)
	assertEqual(t, len(result(w.Media.MediaByIDs(t.Context(), w.project.ID, many))(t)), 0)
	assertEqual(t, len(result(w.Projects.ProjectsByIDs(t.Context(), append([]int64{w.project.ID}, many[:7000]...)))(t)), 1)
	requireNoError(t, w.Tokens.Touch(t.Context(), core.Day(at(1)), used))
}

func storesNoise(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles",
		&core.Field{Name: "one", Type: core.TypeText, Unique: true, Searchable: true, Slot: "t1", SlotReady: true},
		&core.Field{Name: "two", Type: core.TypeText, Slot: "t2", SlotReady: true},
		&core.Field{Name: "many", Type: core.TypeText, Multiple: true, Searchable: true},
		&core.Field{Name: "story", Type: core.TypeLongText, Searchable: true})
	dice := rand.New(rand.NewPCG(1, 2))
	noise := func(length int) string {
		runes := make([]rune, length)
		for i := range runes {
			runes[i] = 0x4e00 + dice.Int32N(0x5000)
		}
		return string(runes)
	}
	for _, length := range []int{100, 300, fieldtype.MaxText / 3} { // a character has three bytes
		v, other, story := noise(length), noise(length), noise(20000)
		e := coll.add(t, publicOf("en", fields{"one": v, "two": v, "many": []string{v, v + "x"}, "story": story}))
		middle := string([]rune(v)[length/2 : length/2+50])
		for _, c := range []query.Predicate{
			equals(coll, "one", text(v)), equals(coll, "two", text(v)), equals(coll, "many", text(v+"x")), like(coll, "one", middle), like(coll, "many", middle),
			like(coll, "story", string([]rune(story)[9000:9050])),
		} {
			assertEqual(t, coll.list(t, coll.all(c)), []int64{e.ID})
		}
		assertEqual(t, coll.list(t, coll.all(equals(coll, "one", text(other)))), []int64{})
		again := draftOf("en", fields{"one": v})
		requireError(t, coll.insert(t, &again), core.ErrInvalid)
	}
}

func storesLarge(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "body", Type: core.TypeLongText, Searchable: true}, &core.Field{Name: "data", Type: core.TypeJSON})
	body := strings.Repeat("Lörem ipsum 😀 ", 60000) + "THE END"
	deep := any("leaf")
	for range 500 {
		deep = []any{deep}
	}
	e := coll.add(t, publicOf("en", fields{"title": "a", "body": body, "data": deep}))
	assertEqual(t, coll.list(t, coll.all(like(coll, "body", "the end"), clause(coll, "data", query.OpNotNull))), []int64{e.ID})
	assertEqual(t, coll.list(t, coll.all(like(coll, "body", "the end."))), []int64{})
	got := result(w.Entries.Published(t.Context(), w.project.ID, e.CollectionID, e.ID))(t)
	if string(got.Document) != string(e.Published) {
		t.Error("a large document was changed")
	}
}

func storesValues(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(),
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true}, &core.Field{Name: "scores", Type: core.TypeNumber, Multiple: true},
		&core.Field{Name: "links", Type: core.TypeRelation, Collection: "articles", Multiple: true})
	target := coll.add(t, publicOf("en", fields{"title": "target"}))
	var tags []string
	var scores []int
	var links []int64
	for n := range 800 {
		tags, scores, links = append(tags, fmt.Sprint("tag ", n)), append(scores, n), append(links, unknown+int64(n))
	}
	links[799] = target.Group
	e := coll.add(t, publicOf("en", fields{"title": "holder", "tags": tags, "scores": scores, "links": links}))
	holds := func(want bool) {
		t.Helper()
		for _, c := range []query.Predicate{
			equals(coll, "tags", text("tag 799")), clause(coll, "scores", query.OpGreater, num(798)), equals(coll, "links", num(target.ID)),
			related(coll, "links", "title", query.OpEqual, text("target")),
		} {
			assertEqual(t, slices.Contains(coll.list(t, coll.all(c)), e.ID), want)
		}
	}
	holds(true)
	coll.change(t, &e, func(e *core.Entry) {
		e.Draft = doc(fields{"title": "holder", "tags": tags[:1], "scores": scores[:1], "links": links[:1]})
		publish(e)
	})
	holds(false)
}

func supportsNames(t *testing.T, w *fixture) {
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
	coll := newTestCollection(t, w, "select", list...)
	content := fields{}
	for _, f := range list {
		content[f.Name] = any(f.Name)
		if f.Multiple {
			content[f.Name] = []string{f.Name}
		}
	}
	e := coll.add(t, publicOf("en", content))
	for _, f := range list {
		assertEqual(t, coll.list(t, coll.all(equals(coll, f.Name, text(f.Name)))), []int64{e.ID})
		assertEqual(t, coll.list(t, coll.all(like(coll, f.Name, strings.ToUpper(f.Name)))), []int64{e.ID})
		assertEqual(t, coll.list(t, coll.all(equals(coll, f.Name, text("other")))), []int64{})
		if !f.Multiple {
			sel := coll.all()
			sel.Sort = []query.SortKey{{Field: f}, {Field: core.SystemID}}
			assertEqual(t, coll.list(t, sel), []int64{e.ID})
		}
	}
}

// followsFreshRelations queries relations right after an import, before the planner has
// statistics.
func followsFreshRelations(t *testing.T, w *fixture) {
	const number, patience = 1000, 20 * time.Second
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "next", Type: core.TypeRelation, Collection: "articles"})
	var groups []int64
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		groups = nil
		for n := range number {
			content := fields{"title": fmt.Sprint(n % 40)}
			if n > 0 {
				content["next"] = groups[n-1]
			}
			e := publicOf("en", content)
			e.ProjectID, e.CollectionID = w.project.ID, coll.schema.Collection.ID
			if err := s.Entries.Insert(ctx, coll.schema, &e); err != nil {
				return err
			}
			groups = append(groups, e.Group)
		}
		return nil
	}))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, c := range []query.Predicate{
		related(coll, "next", "title", query.OpEqual, text("7")), related(coll, "next", "title", query.OpLess, text("0")), equals(coll, "next", num(groups[7])),
	} {
		sel := coll.all(c)
		sel.Locale = "fr-CA"
		rows, _, err := w.Entries.List(ctx, sel, false)
		requireNoError(t, err)
		assertEqual(t, result(w.Entries.Count(ctx, sel))(t), int64(len(rows)))
	}
}

func savesThousands(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", uniqueTitle(), &core.Field{Name: "tags", Type: core.TypeText, Multiple: true})
	var all []*core.Entry
	for n := range 1200 {
		e := publicOf("en", fields{"title": fmt.Sprint(n), "tags": []string{fmt.Sprint(n % 5), "all"}})
		all = append(all, &e)
	}
	requireNoError(t, coll.save(t, all...))
	assertEqual(t, result(w.Entries.Count(t.Context(), coll.all(equals(coll, "tags", text("all")))))(t), int64(1200))
	for n, e := range all {
		e.Draft = doc(fields{"title": fmt.Sprint(n), "tags": []string{"new"}})
	}
	requireNoError(t, coll.save(t, all...))
	drafts := coll.all(equals(coll, "tags", text("new")))
	assertEqual(t, result(w.Entries.Count(t.Context(), drafts))(t), int64(0))
	drafts.State = core.StateWithDraft
	assertEqual(t, result(w.Entries.Count(t.Context(), drafts))(t), int64(1200))
	assertEqual(t, len(result(w.Entries.Translations(t.Context(), w.project.ID, ids(all, func(e *core.Entry) int64 { return e.Group })...))(t)), 1200)
}

// findsManyHolders looks up more values than one statement can have parameters.
func findsManyHolders(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", uniqueTitle())
	first, last := coll.add(t, draftOf("en", fields{"title": "0"})), coll.add(t, draftOf("en", fields{"title": "2999"}))
	var values []core.UniqueValue
	for n := range 3000 {
		values = append(values, core.UniqueValue{Field: "title", Value: text(fmt.Sprint(n))})
	}
	holders := result(w.Entries.Holders(t.Context(), coll.schema, w.project.Locales, values))(t)
	got := ids(holders, func(h core.Holder) int64 { return h.Entry })
	slices.Sort(got)
	assertEqual(t, got, []int64{first.ID, last.ID})
}
