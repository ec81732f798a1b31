package sqlstore_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zeebo/xxh3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/ports"
)

// article has the values of an entry in these tests.
type article struct {
	id       int64
	title    string
	category string
	tag      string
	views    int    // negative: no value
	day      string // a date; "": no value
}

func (a article) document() core.Document {
	views := ""
	if a.views >= 0 {
		views = fmt.Sprintf(`,"views":%d`, a.views)
	}
	day := ""
	if a.day != "" {
		day = fmt.Sprintf(`,"day":%q`, a.day)
	}
	return core.Document(fmt.Sprintf(`{"category":%q%s,"tags":[%q],"title":%q%s}`, a.category, day, a.tag, a.title, views))
}

func (a article) entry(locale string, schema core.Schema) core.Entry {
	return core.Entry{
		ProjectID: schema.Project.ID, CollectionID: schema.Collection.ID, Locale: locale, Version: 1,
		Draft: a.document(), Published: a.document(),
		PublishedAt: someTime, CreatedAt: someTime, UpdatedAt: someTime, ReleasedAt: someTime,
	}
}

// newArticles adds a Project of three locales with a collection to db.
func newArticles(t *testing.T, db *sqlstore.DB) core.Schema {
	t.Helper()
	stores := db.Stores()
	tenant := insertTenant(t.Context(), t, stores, "Meridian")
	project := &core.Project{
		TenantID: tenant.ID, UUID: fmt.Sprint(tenant.ID), Name: "Desk", DefaultLocale: "en", Locales: []string{"en", "de", "fr"},
		CreatedAt: someTime, UpdatedAt: someTime,
	}
	ok(t, stores.Projects.Insert(t.Context(), project))
	c := &core.Collection{
		ProjectID: project.ID, Slug: "articles", Name: "Articles", Version: 1, NextFieldID: 6, CreatedAt: someTime, UpdatedAt: someTime,
		Fields: []*core.Field{
			{ID: 1, Name: "title", Type: core.TypeText, Searchable: true, Slot: "t1", SlotReady: true},
			{ID: 2, Name: "category", Type: core.TypeText, Slot: "t2", SlotReady: true},
			{ID: 3, Name: "tags", Type: core.TypeText, Multiple: true},
			{ID: 4, Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
			{ID: 5, Name: "day", Type: core.TypeDate, Slot: "d1", SlotReady: true},
		},
	}
	ok(t, stores.Collections.Insert(t.Context(), c))
	return core.Schema{Project: project, Collection: c, Collections: []*core.Collection{c}}
}

func newest(schema core.Schema, locale string) core.Selection {
	return core.Selection{Schema: schema, Locale: locale, Sort: []core.SortKey{{Field: core.SystemID, Desc: true}}, Limit: core.MaxLimit}
}

func TestEachReadIsOneStatement(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		e := article{title: "a", category: "b", tag: "c"}.entry("en", schema)
		ok(t, entries.Insert(t.Context(), schema, &e))
		searching := newest(schema, "de")
		searching.Where = []core.Clause{{Field: schema.Collection.Field("title"), Op: core.OpLike, Values: []core.Value{{Text: "needle"}}}}
		for name, read := range map[string]func(ctx context.Context) error{
			"list": func(ctx context.Context) error {
				_, err := ports.Rows(ctx, entries, newest(schema, core.AllLocales))
				return err
			},
			"search":    func(ctx context.Context) error { _, err := ports.Rows(ctx, entries, searching); return err },
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
			ctx, count := sqlstore.WithStatementCount(t.Context())
			if err := read(ctx); err != nil || count.Load() != 1 {
				t.Errorf("%s: %d statements, %v", name, count.Load(), err)
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
			clause core.Clause
			match  func(article) bool
		}{
			{core.Clause{Field: field("category"), Values: text("rare")}, func(a article) bool { return a.category == "rare" }},
			{core.Clause{Field: field("category"), Values: text("common")}, func(a article) bool { return a.category == "common" }},
			{core.Clause{Field: field("category"), Values: text("none")}, func(article) bool { return false }},
			{core.Clause{Field: field("tags"), Values: text("rare")}, func(a article) bool { return a.tag == "rare" }},
			{core.Clause{Field: field("tags"), Values: text("common")}, func(a article) bool { return a.tag == "common" }},
			{core.Clause{Field: field("title"), Op: core.OpLike, Values: text("seldom")}, func(a article) bool { return strings.Contains(a.title, "seldom") }},
			{core.Clause{Field: field("title"), Op: core.OpLike, Values: text("title")}, func(article) bool { return true }},
			{core.Clause{Field: field("category"), Op: core.OpIn, Values: append(text("common"), text("rare")...)}, func(article) bool { return true }},
			{core.Clause{Field: field("title"), Op: core.OpIn, Values: append(text("title 7"), text("title 9")...)}, func(a article) bool {
				return a.title == "title 7" || a.title == "title 9"
			}},
		} {
			for _, desc := range []bool{false, true} {
				want := sorted(articles, c.match, desc)
				for _, offset := range []int{0, 5, 90, 250, 4290} {
					sel := newest(schema, "fr")
					sel.Where, sel.Offset, sel.Limit = []core.Clause{c.clause}, int64(offset), 10
					sel.Sort = []core.SortKey{{Field: field("views"), Desc: desc}, {Field: core.SystemID, Desc: desc}}
					expectTwice(t, db, sel, want[min(offset, len(want)):min(offset+11, len(want))])
					ids := slices.Sorted(slices.Values(want))
					if desc {
						slices.Reverse(ids)
					}
					sel.Locale, sel.Sort = "en", sel.Sort[1:]
					expectTwice(t, db, sel, ids[min(offset, len(ids)):min(offset+11, len(ids))])
				}
				sel := newest(schema, "fr")
				sel.Where = []core.Clause{c.clause}
				if n, err := db.Stores().Entries.Count(t.Context(), sel); err != nil || n != int64(len(want)) {
					t.Errorf("%s %v: %d in all, %v, want %d", c.clause.Field.Name, c.clause.Values, n, err, len(want))
				}
			}
		}
	})
}

// TestEqualSignatures filters entries whose values have equal signatures. Some are long texts that
// differ only after the indexed prefix.
func TestEqualSignatures(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", core.MaxSortPrefix)
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
		tagged := core.Clause{Field: field("tags"), Op: core.OpNot, Values: value("1")}
		for _, wanted := range [][]string{categories[:1], categories[1:2], categories[2:4], categories} {
			sel := newest(schema, "de")
			sel.Where = []core.Clause{{Field: field("category"), Op: core.OpIn, Values: value(wanted...)}, tagged}
			sel.Sort, sel.Limit = []core.SortKey{{Field: field("views"), Desc: true}, {Field: core.SystemID, Desc: true}}, 30
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
func describe(sel core.Selection) string {
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
				sel.Where = []core.Clause{
					{Field: schema.Collection.Field("category"), Values: []core.Value{{Text: "a"}}},
					{Field: schema.Collection.Field("title"), Values: []core.Value{{Text: "title"}}},
				}
				total, err := db.Stores().Entries.Count(t.Context(), sel)
				if err != nil || total != 400-first {
					t.Errorf("%q in %s: a total of %d, %v, want %d", other, locale, total, err, 400-first)
				}
				sel.Sort, sel.Limit = []core.SortKey{{Field: schema.Collection.Field("views")}, {Field: core.SystemID}}, 10
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
func expectTwice(t *testing.T, db *sqlstore.DB, sel core.Selection, want []int64) {
	t.Helper()
	for _, again := range []bool{false, true} {
		rows, err := ports.Rows(t.Context(), db.Stores().Entries, sel)
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
				sel := newest(schema, core.AllLocales)
				sel.Sort = []core.SortKey{{Field: views, Desc: desc}, {Field: core.SystemID, Desc: desc}}
				sel.Offset, sel.Limit = int64(offset), 10
				expectTwice(t, db, sel, want[min(offset, len(want)):min(offset+11, len(want))])
				sel.Locale = "de"
				expectTwice(t, db, sel, want[min(offset, len(want)):min(offset+11, len(want))])
			}
		}
	})
}

// likeSigned returns another text with the same signature.
func likeSigned(text string) string {
	const classes = 63
	for n := 0; ; n++ {
		other := fmt.Sprint(text, n)
		if xxh3.HashString(other)%classes == xxh3.HashString(text)%classes {
			return other
		}
	}
}

// TestManyMatchesBecomeFew filters by a value before and after most of its entries are deleted, and
// by a common and a rare value together.
func TestManyMatchesBecomeFew(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		articles := insertArticles(t, db, schema, 400)
		field := schema.Collection.Field
		common := core.Clause{Field: field("category"), Values: []core.Value{{Text: "common"}}}
		rare := core.Clause{Field: field("tags"), Values: []core.Value{{Text: "rare"}}}
		expect := func(match func(article) bool, where ...core.Clause) {
			t.Helper()
			sel := newest(schema, "en")
			sel.Where, sel.Sort = where, []core.SortKey{{Field: field("views")}, {Field: core.SystemID}}
			rows, err := ports.Rows(t.Context(), entries, sel)
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
			ok(t, entries.Destroy(t.Context(), schema, a.id))
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
		schema.Collection.Fields = append(schema.Collection.Fields, author)
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
			books[i].Draft = core.Document(fmt.Sprintf(`{"author":%d,"views":%d}`, group, i))
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
			{"Busy", "en", byBusy}, {"Idle", "en", byIdle}, {"Unknown", "en", nil}, {"Idle", core.AllLocales, byIdle},
			{"Idle", "de", nil}, {"Busy", "de", slices.Sorted(slices.Values(slices.Concat(byBusy, byIdle)))},
		} {
			sel := newest(schema, c.locale)
			sel.Where = []core.Clause{{Relation: author, Target: authors.Collection, Field: authors.Collection.Field("title"), Values: []core.Value{{Text: c.name}}}}
			page := c.want[:min(len(c.want), core.MaxLimit+1)]
			sel.Sort = []core.SortKey{{Field: schema.Collection.Field("views")}, {Field: core.SystemID}}
			expectTwice(t, db, sel, page)
			sel.Sort = sel.Sort[1:]
			expectTwice(t, db, sel, page)
			if n, err := db.Stores().Entries.Count(t.Context(), sel); err != nil || n != int64(len(c.want)) {
				t.Errorf("%s in %s: %d in all, %v, want %d", c.name, c.locale, n, err, len(c.want))
			}
		}
	})
}

// insertArticles adds n articles in English.
func insertArticles(t *testing.T, db *sqlstore.DB, schema core.Schema, n int) []article {
	t.Helper()
	articles, entries := make([]article, n), make([]core.Entry, n)
	for i := range articles {
		a := article{title: fmt.Sprint("title ", i), category: "common", tag: "common", views: i * 37 % 400}
		if i%17 == 0 {
			a.category, a.views = "rare", -1
		}
		if i%19 == 0 {
			a.tag, a.title = "rare", "seldom a title"
		}
		articles[i], entries[i] = a, a.entry("en", schema)
	}
	insert(t, db, schema, entries)
	for i := range articles {
		articles[i].id = entries[i].ID
	}
	return articles
}

// insert inserts entries in batches, each in its own group, and sets their ids.
func insert(t *testing.T, db *sqlstore.DB, schema core.Schema, entries []core.Entry) {
	t.Helper()
	store := db.Stores().Entries
	for some := range slices.Chunk(entries, 500) {
		ids, err := store.NewIDs(t.Context(), len(some))
		ok(t, err)
		batch := make([]*core.Entry, len(some))
		for i := range some {
			some[i].ID, some[i].Group = ids[i], ids[i]
			batch[i] = &some[i]
		}
		ok(t, store.Save(t.Context(), schema, batch, nil))
	}
}

// sorted returns the ids of the matching articles by views, then by id. Articles without views are
// last.
func sorted(articles []article, match func(article) bool, desc bool) []int64 {
	matching := slices.DeleteFunc(slices.Clone(articles), func(a article) bool { return !match(a) })
	slices.SortFunc(matching, func(a, b article) int {
		if (a.views < 0) != (b.views < 0) {
			return cmp.Compare(b.views, a.views)
		}
		order := cmp.Or(cmp.Compare(a.views, b.views), cmp.Compare(a.id, b.id))
		if desc {
			return -order
		}
		return order
	})
	ids := []int64{}
	for _, a := range matching {
		ids = append(ids, a.id)
	}
	return ids
}

func rowIDs(rows []core.Row) []int64 {
	ids := []int64{}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

// TestAWriteIndexesOnlyDifferences counts the statements of writes that change a number, a text or
// a value.
func TestAWriteIndexesOnlyDifferences(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		now := article{title: "a", category: "b", tag: "c", views: 1}
		e := now.entry("en", schema)
		ok(t, entries.Insert(t.Context(), schema, &e))
		const always = 8 // lock, claims, entry, group, index, values, texts, and the event
		for _, c := range []struct {
			name  string
			write func()
			want  int64
		}{
			{"a number", func() { now.views++ }, always},
			{"a text", func() { now.title = "d" }, always + 2},
			{"a text and a value", func() { now.title, now.tag = "e", "f" }, always + 4},
		} {
			c.write()
			e.Version++
			e.Draft, e.Published = now.document(), now.document()
			ctx, count := sqlstore.WithStatementCount(t.Context())
			if err := entries.Update(ctx, schema, &e); err != nil || count.Load() != c.want {
				t.Errorf("%s: %d statements, want %d, %v", c.name, count.Load(), c.want, err)
			}
			found := newest(schema, "en")
			found.Where = []core.Clause{
				{Field: schema.Collection.Field("title"), Op: core.OpLike, Values: []core.Value{{Text: now.title}}},
				{Field: schema.Collection.Field("tags"), Values: []core.Value{{Text: now.tag}}},
				{Field: schema.Collection.Field("views"), Values: []core.Value{{Num: float64(now.views)}}},
			}
			rows, err := ports.Rows(t.Context(), entries, found)
			if err != nil || !slices.Equal(rowIDs(rows), []int64{e.ID}) {
				t.Errorf("%s: found %v, %v", c.name, rowIDs(rows), err)
			}
		}
	})
}

// TestReindexWritesOnlyDifferences indexes entries again, first without a change, then with another
// slot for a field.
func TestReindexWritesOnlyDifferences(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema := newArticles(t, db)
		for i := range 3 {
			e := article{title: fmt.Sprint("a", i), category: "b", tag: "c", views: i, day: "2026-01-02"}.entry("en", schema)
			if i == 0 {
				e.Published = nil
			}
			ok(t, db.Stores().Entries.Insert(t.Context(), schema, &e))
		}
		reindex := func() (written []string) {
			ctx := sqlstore.WithStatementObserver(t.Context(), func(text string, _ []any) {
				for _, begin := range []string{"INSERT", "UPDATE", "DELETE"} {
					if strings.HasPrefix(text, begin) {
						written = append(written, text)
					}
				}
			})
			_, err := db.Stores().Entries.Reindex(ctx, schema, 0, 10)
			ok(t, err)
			return written
		}
		if written := reindex(); len(written) != 0 {
			t.Errorf("written without a change: %q", written)
		}
		f := schema.Collection.Field("views")
		f.Slot = "n8"
		if written := reindex(); len(written) == 0 {
			t.Error("nothing was written into the new slot")
		}
		found := newest(schema, "en")
		found.Where = []core.Clause{{Field: f, Values: []core.Value{{Num: 2}}}}
		if rows, err := ports.Rows(t.Context(), db.Stores().Entries, found); err != nil || len(rows) != 1 {
			t.Errorf("found %v by the new slot, %v", rowIDs(rows), err)
		}
		expectConsistent(t, db, schema)
	})
}

// TestConcurrentTranslations publishes, unpublishes and republishes translations of one entry at
// the same time, and checks the locales that they serve.
func TestConcurrentTranslations(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		var writers sync.WaitGroup
		for range 6 {
			founder := article{title: "a"}.entry("en", schema)
			ok(t, entries.Insert(t.Context(), schema, &founder))
			for _, locale := range []string{"de", "fr"} {
				writers.Go(func() {
					e := article{title: locale}.entry(locale, schema)
					e.Group = founder.Group
					ok(t, entries.Insert(t.Context(), schema, &e))
					e.Version, e.Published = 2, nil
					ok(t, entries.Update(t.Context(), schema, &e))
					e.Version, e.Published = 3, e.Draft
					ok(t, entries.Update(t.Context(), schema, &e))
				})
			}
			writers.Go(func() {
				founder.Version, founder.Published = 2, nil
				ok(t, entries.Update(t.Context(), schema, &founder))
			})
		}
		writers.Wait()
		expectServed(t, db, schema, map[string]int{"en": 0, "de": 6, "fr": 6, core.AllLocales: 12})
	})
}

func TestManyEntriesTakeAsManyStatementsAsOne(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		schema.Collection.Fields[0].Unique = true
		var inserting, updating [2]int64
		for i, n := range []int{1, 100} {
			ids, err := entries.NewIDs(t.Context(), n)
			ok(t, err)
			var batch []*core.Entry
			for _, id := range ids {
				e := article{title: fmt.Sprint(id), category: "a", tag: "b"}.entry("en", schema)
				e.ID, e.Group = id, id
				batch = append(batch, &e)
			}
			ctx, count := sqlstore.WithStatementCount(t.Context())
			ok(t, entries.Save(ctx, schema, batch, nil))
			inserting[i] = count.Load()
			for _, e := range batch {
				e.Version, e.Draft = 2, article{title: fmt.Sprint("new ", e.ID), category: "a", tag: "c"}.document()
			}
			ctx, count = sqlstore.WithStatementCount(t.Context())
			ok(t, entries.Save(ctx, schema, nil, batch))
			updating[i] = count.Load()
		}
		if inserting[0] != inserting[1] || updating[0] != updating[1] || inserting[0] > 9 || updating[0] > 15 {
			t.Errorf("one and many take %v statements to insert, %v to update", inserting, updating)
		}
	})
}

func TestNewLocalesAndFallbacksAreServedAtOnce(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		for _, locales := range [][]string{{"en", "de"}, {"en"}, {"de", "fr"}} {
			group := int64(0)
			for _, locale := range locales {
				e := article{title: locale}.entry(locale, schema)
				e.Group = group
				ok(t, entries.Insert(t.Context(), schema, &e))
				group = e.Group
			}
		}
		expectServed(t, db, schema, map[string]int{"en": 2, "de": 3, "fr": 3, core.AllLocales: 5})
		changed := *schema.Project
		changed.Locales = []string{"en", "de", "fr", "de-AT"}
		changed.Fallbacks = map[string][]string{"en": {"fr"}, "fr": {"de"}}
		schema.Project = &changed
		ok(t, db.Stores().Projects.Update(t.Context(), &changed))
		expectServed(t, db, schema, map[string]int{"en": 3, "de": 3, "fr": 3, "de-AT": 3, core.AllLocales: 5})
	})
}

// expectServed checks, for each locale, the number of rows that serve it: in a list, in a count of
// rows and in the counters. It also checks the mask of each row.
func expectServed(t *testing.T, db *sqlstore.DB, schema core.Schema, want map[string]int) {
	t.Helper()
	entries := db.Stores().Entries
	for locale, n := range want {
		sel := newest(schema, locale)
		rows, err := ports.Rows(t.Context(), entries, sel)
		ok(t, err)
		all, err := entries.Count(t.Context(), sel)
		ok(t, err)
		sel.Where = []core.Clause{{Field: core.SystemID, Op: core.OpNotNull}}
		counted, err := entries.Count(t.Context(), sel)
		ok(t, err)
		if len(rows) != n || all != int64(n) || counted != int64(n) {
			t.Errorf("%s: %d listed, %d in the counters, %d counted, want %d", locale, len(rows), all, counted, n)
		}
		for _, r := range rows {
			expectMask(t, db, schema, r)
		}
	}
}

func expectMask(t *testing.T, db *sqlstore.DB, schema core.Schema, r core.Row) {
	t.Helper()
	members, err := db.Stores().Entries.Translations(t.Context(), schema.Project.ID, r.Group)
	ok(t, err)
	members = slices.DeleteFunc(members, func(e core.Entry) bool { return core.StatePublished.Admits(&e) == nil })
	locales, own := make([]string, len(members)), -1
	for i, e := range members {
		locales[i] = e.Locale
		if e.ID == r.ID {
			own = i
		}
	}
	if own < 0 {
		t.Fatalf("entry %d is listed but not published", r.ID)
	}
	if want := schema.Project.Serves(locales)[own]; r.Serves != want {
		t.Errorf("%s among %v serves %b, want %b", r.Locale, locales, r.Serves, want)
	}
}
