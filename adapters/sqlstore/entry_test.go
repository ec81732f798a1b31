package sqlstore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/zeebo/xxh3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/ports"
)

func TestEachReadIsOneStatement(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		e := article{title: "a", category: "b", tag: "c"}.entry("en", schema)
		ok(t, entries.Insert(t.Context(), schema, &e))
		searching := newest(schema, "de")
		searching.Where = []query.Predicate{{Field: schema.Collection.Field("title"), Op: query.OpLike, Values: []core.Value{{Text: "needle"}}}}
		for name, read := range map[string]func(ctx context.Context) error{
			"list": func(ctx context.Context) error {
				_, _, err := entries.List(ctx, newest(schema, query.AllLocales), false)
				return err
			},
			"search":    func(ctx context.Context) error { _, _, err := entries.List(ctx, searching, false); return err },
			"count":     func(ctx context.Context) error { _, err := entries.Count(ctx, searching); return err },
			"count all": func(ctx context.Context) error { _, err := entries.Count(ctx, newest(schema, "de")); return err },
			"published": func(ctx context.Context) error {
				_, err := entries.Published(ctx, e.ProjectID, e.CollectionID, e.ID)
				return err
			},
			"serving": func(ctx context.Context) error {
				_, err := entries.Serving(ctx, e.ProjectID, core.StateWithDraft, []int64{e.Group, 7, 8}, 1, true)
				return err
			},
		} {
			ctx, count := sqldb.WithStatementCount(t.Context())
			if err := read(ctx); err != nil || count.Load() != 1 {
				t.Errorf("%s: %d statements, %v", name, count.Load(), err)
			}
		}
	})
}

// TestTargetsLeaveOutDeletedCollections reads an entry while another collection of its Project is being deleted, and its own.
func TestTargetsLeaveOutDeletedCollections(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		e := article{title: "a", category: "b", tag: "c"}.entry("en", schema)
		ok(t, entries.Insert(t.Context(), schema, &e))
		for id, want := range map[int64]int{e.CollectionID + 1: 1, e.CollectionID: 0} {
			_, err := db.Writer().ExecContext(t.Context(), fmt.Sprintf(
				"DELETE FROM deletions; INSERT INTO deletions (project_id, collection_id, slug, began_at) VALUES (%d, %d, 'gone', 0)", e.ProjectID, id))
			ok(t, err)
			for _, documents := range []bool{true, false} {
				rows, err := entries.Serving(t.Context(), e.ProjectID, core.StatePublished, []int64{e.Group}, 1, documents)
				if err != nil || len(rows) != want {
					t.Errorf("deleted collection %d of %d: %d rows, %v, want %d", id, e.CollectionID, len(rows), err, want)
				}
			}
			alternates, err := entries.Alternates(t.Context(), schema.Project, []int64{e.Group}, nil)
			if err != nil || len(alternates) != want {
				t.Errorf("deleted collection %d of %d: %d alternates, %v, want %d", id, e.CollectionID, len(alternates), err, want)
			}
		}
	})
}

// TestSampledAndScannedPages compares pages of values with few rows, read from a sample, and of
// values with many rows, read by a scan, with a filter in Go.
func TestSampledAndScannedPages(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema := newArticles(t, db)
		articles := insertArticles(t, db, schema, 4300)
		field := schema.Collection.Field
		text := func(s string) []core.Value { return []core.Value{{Text: s}} }
		for _, c := range []struct {
			clause query.Predicate
			match  func(article) bool
		}{
			{query.Predicate{Field: field("category"), Values: text("rare")}, func(a article) bool { return a.category == "rare" }},
			{query.Predicate{Field: field("category"), Values: text("common")}, func(a article) bool { return a.category == "common" }},
			{query.Predicate{Field: field("category"), Values: text("none")}, func(article) bool { return false }},
			{query.Predicate{Field: field("tags"), Values: text("rare")}, func(a article) bool { return a.tag == "rare" }},
			{query.Predicate{Field: field("tags"), Values: text("common")}, func(a article) bool { return a.tag == "common" }},
			{query.Predicate{Field: field("title"), Op: query.OpLike, Values: text("seldom")}, func(a article) bool { return strings.Contains(a.title, "seldom") }},
			{query.Predicate{Field: field("title"), Op: query.OpLike, Values: text("title")}, func(article) bool { return true }},
			{query.Predicate{Field: field("category"), Op: query.OpIn, Values: append(text("common"), text("rare")...)}, func(article) bool { return true }},
			{query.Predicate{Field: field("title"), Op: query.OpIn, Values: append(text("title 7"), text("title 9")...)}, func(a article) bool {
				return a.title == "title 7" || a.title == "title 9"
			}},
		} {
			for _, desc := range []bool{false, true} {
				want := sorted(articles, c.match, desc)
				for _, offset := range []int{0, 5, 90, 250, 4290} {
					sel := newest(schema, "fr")
					sel.Where, sel.Offset, sel.Limit = []query.Predicate{c.clause}, int64(offset), 10
					sel.Sort = []query.SortKey{{Field: field("views"), Desc: desc}, {Field: core.SystemID, Desc: desc}}
					expectTwice(t, db, sel, want[min(offset, len(want)):min(offset+11, len(want))])
					ids := slices.Sorted(slices.Values(want))
					if desc {
						slices.Reverse(ids)
					}
					sel.Locale, sel.Sort = "en", sel.Sort[1:]
					expectTwice(t, db, sel, ids[min(offset, len(ids)):min(offset+11, len(ids))])
				}
				sel := newest(schema, "fr")
				sel.Where = []query.Predicate{c.clause}
				if n, err := db.Stores().Entries.Count(t.Context(), sel); err != nil || n != int64(len(want)) {
					t.Errorf("%s %v: %d in all, %v, want %d", c.clause.Field.Name, c.clause.Values, n, err, len(want))
				}
			}
		}
	})
}

// TestEqualSignatures filters entries whose values have equal signatures. Some are texts of the
// maximum length that differ only at their end.
func TestEqualSignatures(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", fieldtype.MaxText-1)
	categories := []string{"a", long + "a", long + "b", likeSigned("a"), likeSigned(likeSigned("a"))}
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema := newArticles(t, db)
		var articles []article
		ok(t, db.Do(t.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
			for i := range 1100 {
				a := article{title: "title", category: categories[i%len(categories)], tag: fmt.Sprint(i % 3), views: i * 37 % 400}
				e := a.entry("en", schema)
				if err := stores.Entries.Insert(ctx, schema, &e); err != nil {
					return err
				}
				a.id = e.ID
				articles = append(articles, a)
			}
			return nil
		}))
		field := schema.Collection.Field
		value := func(texts ...string) (values []core.Value) {
			for _, text := range texts {
				values = append(values, core.Value{Text: text})
			}
			return values
		}
		tagged := query.Predicate{Field: field("tags"), Op: query.OpNot, Values: value("1")}
		for _, wanted := range [][]string{categories[:1], categories[1:2], categories[2:4], categories} {
			sel := newest(schema, "de")
			sel.Where = []query.Predicate{{Field: field("category"), Op: query.OpIn, Values: value(wanted...)}, tagged}
			sel.Sort, sel.Limit = []query.SortKey{{Field: field("views"), Desc: true}, {Field: core.SystemID, Desc: true}}, 30
			want := sorted(articles, func(a article) bool { return slices.Contains(wanted, a.category) && a.tag != "1" }, true)
			expectTwice(t, db, sel, want[:31])
			sel.Where = sel.Where[:1]
			want = sorted(articles, func(a article) bool { return slices.Contains(wanted, a.category) }, true)
			for _, offset := range []int{40, 150, 0} {
				sel.Offset = int64(offset)
				expectTwice(t, db, sel, want[offset:offset+31])
			}
		}
	})
}

// describe returns the conditions and the order of a selection as text.
func describe(sel query.Selection) string {
	var text strings.Builder
	for _, c := range sel.Where {
		fmt.Fprintf(&text, "%s %q %.100q, ", c.Field.Name, c.Op, fmt.Sprint(c.Values))
	}
	for _, key := range sel.Sort {
		fmt.Fprintf(&text, "by %s, descending %v, ", key.Field.Name, key.Desc)
	}
	return text.String()
}

// TestOffsetsSkipOnlyMatches pages over entries of which all but the first match. The signature of
// the first entry is equal to that of the others or not. A translation that does not match
// serves another locale.
func TestOffsetsSkipOnlyMatches(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		for _, other := range []string{"b", likeSigned("a")} {
			schema := newArticles(t, db)
			articles := make([]article, 400)
			entries := make([]core.Entry, len(articles))
			for i := range articles {
				articles[i] = article{title: "title", category: "a", tag: "b", views: i}
				if i == 0 {
					articles[i].category = other
				}
				entries[i] = articles[i].entry("en", schema)
			}
			insert(t, db, schema, entries)
			translation := article{title: "title", category: other, views: 1}.entry("de", schema)
			translation.Group = entries[1].Group
			ok(t, db.Stores().Entries.Insert(t.Context(), schema, &translation))
			for locale, first := range map[string]int64{"en": 1, "de": 2} {
				sel := newest(schema, locale)
				sel.Where = []query.Predicate{
					{Field: schema.Collection.Field("category"), Values: []core.Value{{Text: "a"}}},
					{Field: schema.Collection.Field("title"), Values: []core.Value{{Text: "title"}}},
				}
				total, err := db.Stores().Entries.Count(t.Context(), sel)
				if err != nil || total != 400-first {
					t.Errorf("%q in %s: a total of %d, %v, want %d", other, locale, total, err, 400-first)
				}
				sel.Sort, sel.Limit = []query.SortKey{{Field: schema.Collection.Field("views")}, {Field: core.SystemID}}, 10
				for _, offset := range []int64{20, 150, 300, 10, 0} {
					sel.Offset = offset
					var want []int64
					for _, e := range entries[offset+first : offset+first+11] {
						want = append(want, e.ID)
					}
					expectTwice(t, db, sel, want)
				}
			}
		}
	})
}

// expectTwice reads a page twice and checks both results.
func expectTwice(t *testing.T, db *sqlstore.DB, sel query.Selection, want []int64) {
	t.Helper()
	for _, again := range []bool{false, true} {
		rows, _, err := db.Stores().Entries.List(t.Context(), sel, false)
		ok(t, err)
		if got := rowIDs(rows); !slices.Equal(got, want) {
			t.Errorf("%s from %d, again %v: %v, want %v", describe(sel), sel.Offset, again, got, want)
		}
	}
}

// TestRowsWithoutAValueComeLast sorts by views in both directions, at small and large offsets.
// Articles without views are at the end.
func TestRowsWithoutAValueComeLast(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema := newArticles(t, db)
		articles := insertArticles(t, db, schema, 1300)
		views := schema.Collection.Field("views")
		for _, desc := range []bool{false, true} {
			want := sorted(articles, func(article) bool { return true }, desc)
			for _, offset := range []int{0, 900, 1023, 1024, 1100, 1290, 1300, 5000} {
				sel := newest(schema, query.AllLocales)
				sel.Sort = []query.SortKey{{Field: views, Desc: desc}, {Field: core.SystemID, Desc: desc}}
				sel.Offset, sel.Limit = int64(offset), 10
				expectTwice(t, db, sel, want[min(offset, len(want)):min(offset+11, len(want))])
				sel.Locale = "de"
				expectTwice(t, db, sel, want[min(offset, len(want)):min(offset+11, len(want))])
			}
		}
	})
}

// TestEqualSignaturesAreNoProof counts the articles with a title and a common category. The other
// articles with the title have a category with another signature, then also one with the same
// signature, and then so many categories that a count does not compare all. "z" and the text like
// it come last.
func TestEqualSignaturesAreNoProof(t *testing.T) {
	t.Parallel()
	const matches = 1000 // a proof is for many rows
	alike := likeSigned("z")
	var many []string
	for n := range 50 {
		if other := fmt.Sprint("b", n); !sameSignature(other, "z") {
			many = append(many, other)
		}
	}
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema := newArticles(t, db)
		add := func(n int, title string, categories ...string) {
			entries := make([]core.Entry, 0, n*len(categories))
			for i := range n * len(categories) {
				entries = append(entries, article{title: title, category: categories[i/n], tag: "b", views: 1}.entry("en", schema))
			}
			insert(t, db, schema, entries)
		}
		expect := func(category string, want int64) {
			t.Helper()
			for _, locale := range []string{"en", "de"} { // de falls back to en
				sel := newest(schema, locale)
				sel.Where = []query.Predicate{
					{Field: schema.Collection.Field("title"), Values: []core.Value{{Text: "one"}}},
					{Field: schema.Collection.Field("category"), Values: []core.Value{{Text: category}}},
				}
				total, err := db.Stores().Entries.Count(t.Context(), sel)
				if err != nil || total != want {
					t.Errorf("%q in %s: a total of %d, %v, want %d", category, locale, total, err, want)
				}
			}
		}
		add(matches, "one", "z")
		add(2*matches, "another", "z")
		for _, others := range [][]string{{"b"}, {alike}, many} {
			add(1, "one", others...)
			expect("z", matches)
			expect(others[0], 1)
			expect("none", 0)
		}
	})
}

// likeSigned returns another text with the same signature.
func likeSigned(text string) string {
	for n := 0; ; n++ {
		if other := fmt.Sprint(text, n); sameSignature(other, text) {
			return other
		}
	}
}

func sameSignature(a, b string) bool {
	const classes = 63
	return xxh3.HashString(a)%classes == xxh3.HashString(b)%classes
}

// TestManyMatchesBecomeFew filters by a value before and after most of its entries are deleted, and
// by a common and a rare value together.
func TestManyMatchesBecomeFew(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		articles := insertArticles(t, db, schema, 400)
		field := schema.Collection.Field
		common := query.Predicate{Field: field("category"), Values: []core.Value{{Text: "common"}}}
		rare := query.Predicate{Field: field("tags"), Values: []core.Value{{Text: "rare"}}}
		expect := func(match func(article) bool, where ...query.Predicate) {
			t.Helper()
			sel := newest(schema, "en")
			sel.Where, sel.Sort = where, []query.SortKey{{Field: field("views")}, {Field: core.SystemID}}
			rows, _, err := entries.List(t.Context(), sel, false)
			ok(t, err)
			if got, want := rowIDs(rows), sorted(articles, match, false); !slices.Equal(got, want) {
				t.Errorf("%v: %v, want %v", where, got, want)
			}
		}
		isCommon := func(a article) bool { return a.category == "common" }
		expect(isCommon, common)
		expect(isCommon, common)
		expect(func(a article) bool { return isCommon(a) && a.tag == "rare" }, common, rare)
		for _, a := range articles[3:] {
			ok(t, entries.Destroy(t.Context(), schema, a.id, ""))
		}
		articles = articles[:3]
		expect(isCommon, common)
	})
}

// TestPagesByRelation filters books by the name of their author. One author has few books, another
// many, and they share a name in one locale.
func TestPagesByRelation(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, stores := newArticles(t, db), db.Stores()
		authors := schema
		authors.Collection = &core.Collection{
			ProjectID: schema.Project.ID, Slug: "authors", Name: "Authors", Version: 1, NextFieldID: 2, CreatedAt: someTime, UpdatedAt: someTime,
			Fields: []*core.Field{{ID: 1, Name: "title", Type: core.TypeText, Slot: "t1", SlotReady: true}},
		}
		ok(t, stores.Collections.Insert(t.Context(), authors.Collection))
		author := &core.Field{ID: 5, Name: "author", Type: core.TypeRelation, Collection: "authors"}
		about := &core.Field{ID: 6, Name: "about", Type: core.TypeRelation, Collections: []string{"articles", "authors"}}
		schema.Collection.Fields = append(schema.Collection.Fields, author, about)
		schema.Collections = append(schema.Collections, authors.Collection)
		authors.Collections = schema.Collections
		write := func(schema core.Schema, locale string, group int64, document string) core.Entry {
			e := article{}.entry(locale, schema)
			e.Group, e.Draft, e.Published = group, core.Document(document), core.Document(document)
			ok(t, stores.Entries.Insert(t.Context(), schema, &e))
			return e
		}
		busy, idle := write(authors, "en", 0, `{"title":"Busy"}`), write(authors, "en", 0, `{"title":"Idle"}`)
		write(authors, "de", idle.Group, `{"title":"Busy"}`)
		books := make([]core.Entry, 4200)
		for i := range books {
			group := busy.Group
			if i%90 == 0 {
				group = idle.Group
			}
			books[i] = article{}.entry("en", schema)
			books[i].Draft = core.Document(fmt.Sprintf(`{"about":%[1]d,"author":%[1]d,"views":%[2]d}`, group, i))
			books[i].Published = books[i].Draft
		}
		insert(t, db, schema, books)
		var byBusy, byIdle []int64
		for i, book := range books {
			if i%90 == 0 {
				byIdle = append(byIdle, book.ID)
			} else {
				byBusy = append(byBusy, book.ID)
			}
		}
		for _, c := range []struct {
			name, locale string
			want         []int64
		}{
			{"Busy", "en", byBusy}, {"Idle", "en", byIdle}, {"Unknown", "en", nil}, {"Idle", query.AllLocales, byIdle},
			{"Idle", "de", nil}, {"Busy", "de", slices.Sorted(slices.Values(slices.Concat(byBusy, byIdle)))},
		} {
			byAuthor := query.Predicate{Relation: author, Target: authors.Collection, Field: authors.Collection.Field("title"), Values: []core.Value{{Text: c.name}}}
			byAbout := byAuthor
			byAbout.Relation, byAbout.Others = about, []query.Hop{{Target: schema.Collection, Field: schema.Collection.Field("title")}}
			for _, by := range []query.Predicate{byAuthor, byAbout} {
				sel := newest(schema, c.locale)
				sel.Where = []query.Predicate{by}
				page := c.want[:min(len(c.want), query.MaxLimit+1)]
				sel.Sort = []query.SortKey{{Field: schema.Collection.Field("views")}, {Field: core.SystemID}}
				expectTwice(t, db, sel, page)
				sel.Sort = sel.Sort[1:]
				expectTwice(t, db, sel, page)
				if n, err := db.Stores().Entries.Count(t.Context(), sel); err != nil || n != int64(len(c.want)) {
					t.Errorf("%s %s in %s: %d in all, %v, want %d", by.Relation.Name, c.name, c.locale, n, err, len(c.want))
				}
			}
		}
	})
}
