package sqlstore_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/query"
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

func newest(schema core.Schema, locale string) query.Selection {
	return query.Selection{Schema: schema, Locale: locale, Sort: []query.SortKey{{Field: core.SystemID, Desc: true}}, Limit: query.MaxLimit}
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
