package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// positionOf returns the position of a row in the order of sel.
func positionOf(sel query.Selection, row core.Row) *query.Position {
	at := &query.Position{ID: row.ID}
	moment := func(t time.Time) *core.Value {
		if t.IsZero() {
			return nil
		}
		return new(num(t.UnixMilli()))
	}
	for _, key := range sel.Sort[:len(sel.Sort)-1] {
		var value *core.Value
		switch key.Field {
		case query.RankField:
			value = &core.Value{Num: sel.Schema.Collection.Rank(sel.Search, row.Document)}
		case query.MomentField:
			value = new(num(query.Moment(row.PublishedAt, row.CreatedAt)))
		case core.SystemLocale:
			value = new(text(row.Locale))
		case core.SystemPublishedAt:
			value = moment(row.PublishedAt)
		case core.SystemCreatedAt:
			value = moment(row.CreatedAt)
		case core.SystemUpdatedAt:
			value = moment(row.UpdatedAt)
		default:
			if v, ok := key.Field.Single(row.Document); ok {
				value = &v
			}
		}
		at.Values = append(at.Values, value)
	}
	return at
}

// walks checks that the page after each row of sel has all rows that follow it.
func (s *testCollection) walks(t *testing.T, sel query.Selection) {
	t.Helper()
	rows := listed(t, s.w.Entries, sel)
	if len(rows) == 0 {
		t.Errorf("%s: no rows", described(sel))
	}
	want := ids(rows, func(r core.Row) int64 { return r.ID })
	for i, row := range rows {
		sel.After = positionOf(sel, row)
		if got := ids(listed(t, s.w.Entries, sel), func(r core.Row) int64 { return r.ID }); !slices.Equal(got, want[i+1:]) {
			t.Errorf("%s, after row %d: got %v, want %v", described(sel), i, got, want[i+1:])
		}
	}
}

// described names the conditions and the order of a selection.
func described(sel query.Selection) string {
	var parts []string
	for _, key := range sel.Sort {
		parts = append(parts, fmt.Sprint(key.Field.Name, " ", key.Desc))
	}
	for _, c := range sel.Where {
		parts = append(parts, fmt.Sprintf("%s %q", c.Field.Name, c.Op))
	}
	return fmt.Sprintf("state %d, locale %s, %d groups: %s", sel.State, sel.Locale, len(sel.Or), strings.Join(parts, ", "))
}

// sortedBy returns the keys of names, "-" before a name for descending. The id follows in the
// direction of the last key unless it is named.
func sortedBy(c *core.Collection, names ...string) (keys []query.SortKey) {
	for _, name := range names {
		name, desc := strings.CutPrefix(name, "-")
		keys = append(keys, query.SortKey{Field: c.Queryable(name), Desc: desc})
	}
	if last := keys[len(keys)-1]; last.Field != core.SystemID {
		keys = append(keys, query.SortKey{Field: core.SystemID, Desc: last.Desc})
	}
	return keys
}

// withNullsAndTies has entries whose values are often equal or absent, in two states.
func withNullsAndTies(t *testing.T, w *fixture) *testCollection {
	t.Helper()
	authors := newTestCollection(t, w, "authors", &core.Field{Name: "name", Type: core.TypeText, Slot: "t1", SlotReady: true})
	ada, bob := authors.add(t, publicOf("en", fields{"name": "Ada"})), authors.add(t, publicOf("en", fields{"name": "Bob"}))
	coll := newTestCollection(t, w, "articles",
		&core.Field{Name: "title", Type: core.TypeText, Slot: "t1", SlotReady: true, Searchable: true, SearchReady: true},
		&core.Field{Name: "kind", Type: core.TypeText, Slot: "t2", SlotReady: true},
		&core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		&core.Field{Name: "day", Type: core.TypeDate, Slot: "d1", SlotReady: true},
		&core.Field{Name: "rank", Type: core.TypeNumber},
		&core.Field{Name: "note", Type: core.TypeText},
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true},
		&core.Field{Name: "author", Type: core.TypeRelation, Collection: "authors"})
	for n := range 24 {
		content := fields{"title": fmt.Sprintf("needle %c", 'a'+n%3), "kind": fmt.Sprint("kind ", n%2), "author": ada.Group}
		if n%5 > 0 {
			content["views"], content["tags"] = float64(n%4)/2, []string{"tag"}
		}
		if n%3 > 0 {
			content["day"], content["note"] = fmt.Sprintf("2024-01-%02d", n%4+1), fmt.Sprint("note ", n%2)
		}
		if n%4 > 0 {
			content["rank"], content["author"] = n%3, bob.Group
		}
		if n%7 == 0 {
			delete(content, "title")
		}
		e := draftOf("en", content)
		e.CreatedAt, e.UpdatedAt = at(n%4), at(n%5)
		if n%6 > 0 {
			e.Published, e.PublishedAt, e.ReleasedAt = e.Draft, at(n%3), at(n%4)
		}
		e = coll.add(t, e)
		if n%6 == 1 {
			coll.change(t, &e, func(e *core.Entry) {
				e.Draft = doc(fields{"title": "needle changed", "views": n % 4, "kind": "kind 1"})
			})
		}
	}
	return coll
}

func pagesAfter(t *testing.T, w *fixture) {
	coll := withNullsAndTies(t, w)
	c := coll.schema.Collection
	conditions := map[string]func(*query.Selection){
		"all":  func(*query.Selection) {},
		"kind": func(sel *query.Selection) { sel.Where = []query.Predicate{equals(coll, "kind", text("kind 1"))} },
		"kind in a list": func(sel *query.Selection) {
			sel.Where = []query.Predicate{clause(coll, "kind", query.OpIn, text("kind 0"), text("kind 1"))}
		},
		"range": func(sel *query.Selection) {
			sel.Where = []query.Predicate{clause(coll, "views", query.OpGreaterEq, num(1))}
		},
		"not":  func(sel *query.Selection) { sel.Where = []query.Predicate{clause(coll, "views", query.OpNot, num(1))} },
		"like": func(sel *query.Selection) { sel.Where = []query.Predicate{like(coll, "title", "needle")} },
		"tags": func(sel *query.Selection) { sel.Where = []query.Predicate{equals(coll, "tags", text("tag"))} },
		"relation": func(sel *query.Selection) {
			sel.Where = []query.Predicate{related(coll, "author", "name", query.OpEqual, text("Bob"))}
		},
		"groups": func(sel *query.Selection) {
			sel.Or = [][]query.Predicate{{equals(coll, "kind", text("kind 1"))}, {clause(coll, "views", query.OpNull)}}
		},
		"status": func(sel *query.Selection) { sel.State, sel.Status = core.StateWithDraft, entrystatus.Draft },
	}
	for _, order := range [][]string{
		{"id"}, {"-id"}, {"title"}, {"-title"}, {"views"}, {"-views"}, {"-views", "id"}, {"views", "-id"}, {"rank"}, {"-note"},
		{"-publishedAt"}, {"createdAt"}, {"-updatedAt"}, {"kind", "-views"}, {"-views", "day"}, {"rank", "-title"}, {"-title", "views"},
		{"-views", "day", "-title"}, {"day", "-note", "updatedAt"}, {"locale", "-views"}, {"-publishedAt", "views", "rank"},
	} {
		for _, locale := range []string{query.AllLocales, "fr"} {
			sel := coll.all()
			sel.Sort, sel.Locale = sortedBy(c, order...), locale
			for _, state := range []core.State{core.StatePublished, core.StateWithDraft, core.StateOnlyDraft} {
				sel.State = state
				coll.walks(t, sel)
			}
		}
		for _, change := range conditions {
			sel := coll.all()
			sel.Sort, sel.Locale = sortedBy(c, order...), "en"
			change(&sel)
			coll.walks(t, sel)
		}
	}
}

func pagesAfterLongestTexts(t *testing.T, w *fixture) {
	long := strings.Repeat("é", fieldtype.MaxText/2-1)
	for _, slot := range []string{"t1", ""} {
		coll := newTestCollection(t, w, "long"+slot, &core.Field{Name: "title", Type: core.TypeText, Slot: slot, SlotReady: slot != ""},
			&core.Field{Name: "kind", Type: core.TypeText, Slot: "t2", SlotReady: true})
		for n, title := range []string{long + "b", long + "a", long, long + "B", long + "ä", "short", "Short", "shört", long[:len(long)-2], long + "a", "", "short"} {
			coll.add(t, publicOf("en", fields{"title": title, "kind": fmt.Sprint(n % 2)}))
		}
		coll.add(t, publicOf("en", fields{"kind": "1"}))
		coll.add(t, publicOf("en", fields{"kind": long}))
		for _, order := range [][]string{{"title"}, {"-title"}, {"-title", "id"}, {"kind", "-title"}, {"title", "-kind"}, {"-title", "createdAt", "kind"}} {
			for _, where := range [][]query.Predicate{nil, {equals(coll, "kind", text("1"))}} {
				sel := coll.all(where...)
				sel.Sort = sortedBy(coll.schema.Collection, order...)
				coll.walks(t, sel)
				sel.Locale = "en"
				coll.walks(t, sel)
			}
		}
	}
}

func pagesAfterInLocales(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField(), &core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true})
	for n, locales := range [][]string{{"en"}, {"fr", "en"}, {"ja"}, {"fr", "de"}, {"en", "fr-CA"}, {"de", "en"}, {"fr"}, {"en", "ja"}} {
		group := int64(0)
		for i, locale := range locales {
			content := fields{"title": fmt.Sprint(n%3 + i)}
			if n%4 > 0 {
				content["views"] = n % 2
			}
			group = coll.add(t, inGroup(group, publicOf(locale, content))).Group
		}
		if !slices.Contains(locales, "fr-CA") {
			coll.add(t, inGroup(group, draftOf("fr-CA", fields{"views": n % 3})))
		}
	}
	for _, order := range [][]string{
		{"-id"}, {"title"}, {"-views"}, {"-locale"}, {"locale", "id"}, {"-locale", "views"}, {"views", "locale"}, {"-title", "-locale", "views"},
	} {
		for _, locale := range []string{query.AllLocales, "fr", "fr-CA"} {
			for _, state := range []core.State{core.StatePublished, core.StateWithDraft} {
				for _, where := range [][]query.Predicate{nil, {clause(coll, "views", query.OpIn, num(0), num(1))}} {
					sel := coll.all(where...)
					sel.Sort, sel.Locale, sel.State = sortedBy(coll.schema.Collection, order...), locale, state
					coll.walks(t, sel)
				}
			}
		}
	}
}

// pagesAfterNoRow begins pages at positions that no row has, and checks that counts ignore them.
func pagesAfterNoRow(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", &core.Field{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true})
	var e []int64
	for _, content := range []fields{{"views": 1}, {"views": 2}, {"views": 2}, {"views": 3}, {}, {}} {
		e = append(e, coll.add(t, publicOf("en", content)).ID)
	}
	value := func(n float64) []*core.Value { return []*core.Value{{Num: n}} }
	null := []*core.Value{nil}
	for _, c := range []struct {
		desc  bool
		after query.Position
		want  []int
	}{
		{false, query.Position{Values: value(0)}, []int{0, 1, 2, 3, 4, 5}},
		{false, query.Position{Values: value(1.5), ID: unknown}, []int{1, 2, 3, 4, 5}},
		{false, query.Position{Values: value(2), ID: e[0]}, []int{1, 2, 3, 4, 5}},
		{false, query.Position{Values: value(2), ID: unknown}, []int{3, 4, 5}},
		{false, query.Position{Values: value(9)}, []int{4, 5}},
		{false, query.Position{Values: null}, []int{4, 5}},
		{false, query.Position{Values: null, ID: unknown}, nil},
		{true, query.Position{Values: value(2.5), ID: e[0]}, []int{2, 1, 0, 5, 4}},
		{true, query.Position{Values: value(0), ID: e[0]}, []int{5, 4}},
		{true, query.Position{Values: null, ID: e[5]}, []int{4}},
	} {
		sel := coll.all()
		sel.Sort = []query.SortKey{{Field: coll.schema.Collection.Field("views"), Desc: c.desc}, {Field: core.SystemID, Desc: c.desc}}
		sel.After, sel.Locale = &c.after, "en"
		rows, total, err := w.Entries.List(t.Context(), sel, true)
		requireNoError(t, err)
		assertEqual(t, ids(rows, func(r core.Row) int64 { return r.ID }), elementsAt(e, c.want))
		assertEqual(t, total, int64(len(e)))
		assertEqual(t, result(w.Entries.Count(t.Context(), sel))(t), int64(len(e)))
	}
}
