package sqlstore_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/query"
)

// TestAWriteIndexesOnlyDifferences counts the statements of writes that change a number, a text or
// a value.
func TestAWriteIndexesOnlyDifferences(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, entries := newArticles(t, db), db.Stores().Entries
		now := article{title: "a", category: "b", tag: "c", views: 1}
		e := now.entry("en", schema)
		ok(t, entries.Insert(t.Context(), schema, &e))
		const always = 9 // lock, claims, entry, group, index, values, texts, words, and the event
		for _, c := range []struct {
			name  string
			write func()
			want  int64
		}{
			{"a number", func() { now.views++ }, always},
			{"a text", func() { now.title = "d" }, always + 4},
			{"a text and a value", func() { now.title, now.tag = "e", "f" }, always + 6},
		} {
			c.write()
			e.Version++
			e.Draft, e.Published = now.document(), now.document()
			ctx, count := sqldb.WithStatementCount(t.Context())
			if err := entries.Update(ctx, schema, &e); err != nil || count.Load() != c.want {
				t.Errorf("%s: %d statements, want %d, %v", c.name, count.Load(), c.want, err)
			}
			found := newest(schema, "en")
			found.Where = []query.Predicate{
				{Field: schema.Collection.Field("title"), Op: query.OpLike, Values: []core.Value{{Text: now.title}}},
				{Field: schema.Collection.Field("tags"), Values: []core.Value{{Text: now.tag}}},
				{Field: schema.Collection.Field("views"), Values: []core.Value{{Num: float64(now.views)}}},
			}
			rows, _, err := entries.List(t.Context(), found, false)
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
			ctx := sqldb.WithStatementObserver(t.Context(), func(text string, _ []any) {
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
		found.Where = []query.Predicate{{Field: f, Values: []core.Value{{Num: 2}}}}
		if rows, _, err := db.Stores().Entries.List(t.Context(), found, false); err != nil || len(rows) != 1 {
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
		expectServed(t, db, schema, map[string]int{"en": 0, "de": 6, "fr": 6, query.AllLocales: 12})
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
			ctx, count := sqldb.WithStatementCount(t.Context())
			ok(t, entries.Save(ctx, schema, batch, nil))
			inserting[i] = count.Load()
			for _, e := range batch {
				e.Version, e.Draft = 2, article{title: fmt.Sprint("new ", e.ID), category: "a", tag: "c"}.document()
			}
			ctx, count = sqldb.WithStatementCount(t.Context())
			ok(t, entries.Save(ctx, schema, nil, batch))
			updating[i] = count.Load()
		}
		if inserting[0] != inserting[1] || updating[0] != updating[1] || inserting[0] > 10 || updating[0] > 16 {
			t.Errorf("one and many take %v statements to insert, %v to update", inserting, updating)
		}
	})
}

func TestNewLocalesAndFallbacksAreServed(t *testing.T) {
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
		expectServed(t, db, schema, map[string]int{"en": 2, "de": 3, "fr": 3, query.AllLocales: 5})
		changed := *schema.Project
		changed.Locales = []string{"en", "de", "fr", "de-AT"}
		changed.Fallbacks = map[string][]string{"en": {"fr"}, "fr": {"de"}}
		schema.Project = &changed
		serveAll(t, db, &changed)
		expectServed(t, db, schema, map[string]int{"en": 3, "de": 3, "fr": 3, "de-AT": 3, query.AllLocales: 5})
	})
}

// serveAll stores a changed Project and updates the rows of its index in portions.
func serveAll(t *testing.T, db *sqlstore.DB, project *core.Project) {
	t.Helper()
	ok(t, db.Stores().Projects.Update(t.Context(), project))
	for last := int64(0); ; {
		next, err := db.Stores().Entries.Serve(t.Context(), project, last, 7)
		ok(t, err)
		if next == 0 {
			return
		}
		if next <= last {
			t.Fatalf("a portion after group %d ended at %d", last, next)
		}
		last = next
	}
}

// expectServed checks, for each locale, the number of rows that serve it: in a list, in a count of
// rows and in the counters. It also checks the mask of each row.
func expectServed(t *testing.T, db *sqlstore.DB, schema core.Schema, want map[string]int) {
	t.Helper()
	entries := db.Stores().Entries
	for locale, n := range want {
		sel := newest(schema, locale)
		rows, _, err := entries.List(t.Context(), sel, false)
		ok(t, err)
		all, err := entries.Count(t.Context(), sel)
		ok(t, err)
		sel.Where = []query.Predicate{{Field: core.SystemID, Op: query.OpNotNull}}
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
