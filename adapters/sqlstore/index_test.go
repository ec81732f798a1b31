package sqlstore_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/query"
)

// TestIndexIsConsistent writes entries at random, and compares counters with rows, and totals with
// lists.
func TestIndexIsConsistent(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, random := newArticles(t, db), rand.New(rand.NewPCG(3, 3))
		var written []*core.Entry
		for range 250 {
			written = writeAtRandom(t, db, schema, random, written)
		}
		expectConsistent(t, db, schema)
		changed := *schema.Project
		changed.Locales, changed.Fallbacks = []string{"en", "de", "fr", "de-AT"}, map[string][]string{"en": {"fr"}, "fr": {"de"}}
		schema.Project = &changed
		serveAll(t, db, &changed)
		expectConsistent(t, db, schema)
		schema.Collection.Fields[1].Slot, schema.Collection.Fields[0].Slot = "t1", "t2"
		_, err := db.Stores().Entries.Reindex(t.Context(), schema, 0, 1000)
		ok(t, err)
		expectConsistent(t, db, schema)
		for range 50 {
			written = writeAtRandom(t, db, schema, random, written)
		}
		expectConsistent(t, db, schema)
		ok(t, db.Stores().Collections.Delete(t.Context(), schema.Collection.ProjectID, schema.Collection.ID))
		for done, taken := false, true; !done && taken; {
			var err error
			done, taken, err = db.Stores().Deletions.DeleteSome(t.Context(), core.Deletion{ProjectID: schema.Collection.ProjectID, CollectionID: schema.Collection.ID}, 90)
			ok(t, err)
		}
		expectConsistent(t, db, schema)
	})
}

// writeAtRandom writes one entry or a batch.
func writeAtRandom(t *testing.T, db *sqlstore.DB, schema core.Schema, random *rand.Rand, written []*core.Entry) []*core.Entry {
	t.Helper()
	entries := db.Stores().Entries
	some := func() article {
		a := article{title: fmt.Sprint(random.IntN(1000)), category: fmt.Sprint("category ", random.IntN(4)), tag: "a", views: random.IntN(5) - 1}
		if random.IntN(10) == 0 {
			a.category = strings.Repeat("long ", 20) + fmt.Sprint(random.IntN(2))
		}
		if random.IntN(3) > 0 {
			a.day = time.UnixMilli(int64(day(random.IntN(30)))).UTC().Format(time.DateOnly)
		}
		return a
	}
	if len(written) == 0 || random.IntN(3) == 0 {
		var batch []*core.Entry
		ids, err := entries.NewIDs(t.Context(), 1+random.IntN(8))
		ok(t, err)
		for _, id := range ids {
			e := some().entry("en", schema)
			e.ID, e.Group, e.CreatedAt = id, id, someTime.Add(time.Duration(random.IntN(100))*24*time.Hour)
			if random.IntN(4) == 0 {
				e.Published = nil
			}
			batch = append(batch, &e)
		}
		ok(t, entries.Save(t.Context(), schema, batch, nil))
		return append(written, batch...)
	}
	i := random.IntN(len(written))
	e := written[i]
	if random.IntN(4) == 0 {
		translation := some().entry([]string{"de", "fr"}[random.IntN(2)], schema)
		translation.Group = e.Group
		if entries.Insert(t.Context(), schema, &translation) == nil { // fails if the locale has an entry
			return append(written, &translation)
		}
		return written
	}
	e.Version++
	switch random.IntN(6) {
	case 0:
		e.Published = nil
	case 1:
		e.TrashedAt = someTime
	case 2:
		ok(t, entries.Destroy(t.Context(), schema, e.ID, ""))
		return slices.Delete(written, i, i+1)
	case 3:
		e.TrashedAt, e.Draft = time.Time{}, some().document()
	default:
		e.TrashedAt, e.Draft, e.PublishedAt = time.Time{}, some().document(), someTime.Add(time.Duration(random.IntN(50))*24*time.Hour)
		e.Published = e.Draft
	}
	ok(t, entries.Update(t.Context(), schema, e))
	return written
}

// day returns day number n of a series around 1970, in milliseconds. The gaps grow with n.
func day(n int) float64 {
	return float64(time.Date(1969, 12, 20, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n*n-4).UnixMilli())
}

// expectConsistent compares counters with rows, and totals with lists.
func expectConsistent(t *testing.T, db *sqlstore.DB, schema core.Schema) {
	t.Helper()
	wrong, err := db.Miscounted(t.Context())
	ok(t, err)
	if len(wrong) > 0 {
		t.Fatalf("wrong counters:\n%s", strings.Join(wrong, "\n"))
	}
	for _, locale := range []string{"en", "de", "fr", query.AllLocales} {
		for n := range 3 {
			if n > 0 && (locale == "de" || locale == "fr") {
				continue // other values need no more locales
			}
			category := core.Value{Text: fmt.Sprint("category ", n)}
			for _, c := range []query.Predicate{
				{Field: schema.Collection.Field("category"), Values: []core.Value{category}},
				{Field: schema.Collection.Field("category"), Op: query.OpIn, Values: []core.Value{category, {Text: strings.Repeat("long ", 20) + "1"}, {Text: "nowhere"}}},
				{Field: schema.Collection.Field("views"), Values: []core.Value{{Num: float64(n)}}},
				{Field: schema.Collection.Field("views"), Op: query.OpLess, Values: []core.Value{{Num: float64(n) - 0.5}}},
				{Field: schema.Collection.Field("views"), Op: query.OpGreaterEq, Values: []core.Value{{Num: float64(n)}}},
				{Field: schema.Collection.Field("views"), Op: query.OpBetween, Values: []core.Value{{Num: float64(-n)}, {Num: float64(n - 1)}}},
				{Field: schema.Collection.Field("day"), Op: query.OpGreater, Values: []core.Value{{Num: day(5 * n)}}},
				{Field: schema.Collection.Field("day"), Op: query.OpLessEq, Values: []core.Value{{Num: day(5*n) + 0.5}}},
				{Field: schema.Collection.Field("day"), Op: query.OpBetween, Values: []core.Value{{Num: day(n)}, {Num: day(3 * n)}}},
				{Field: schema.Collection.Field("category"), Op: query.OpNot, Values: []core.Value{category}},
				{Field: schema.Collection.Field("views"), Op: query.OpNotIn, Values: []core.Value{{Num: float64(n)}, {Num: 1}}},
				{Field: schema.Collection.Field("views"), Op: query.OpNull},
				{Field: schema.Collection.Field("day"), Op: query.OpNotNull},
				{Field: schema.Collection.Field("tags"), Op: query.OpNot, Values: []core.Value{{Text: "a"}}},
				{Field: core.SystemPublishedAt, Op: query.OpGreater, Values: []core.Value{{Num: float64(someTime.AddDate(0, 0, 8*n).UnixMilli())}}},
				{Field: core.SystemID, Op: query.OpLess, Values: []core.Value{{Num: float64(100 * n)}}},
			} {
				expectTotal(t, db, schema, locale, c)
				second := query.Predicate{Field: schema.Collection.Field("category"), Values: []core.Value{{Text: "category 2"}}}
				expectTotal(t, db, schema, locale, c, second)
				if n > 0 {
					continue // the same statements again
				}
				expectTotal(t, db, schema, locale, second, query.Predicate{Field: schema.Collection.Field("views"), Values: []core.Value{{Num: 1}}}, c)
				expectTotal(t, db, schema, locale, query.Predicate{Field: schema.Collection.Field("category"), Op: query.OpNot, Values: second.Values}, c)
				expectTotal(t, db, schema, locale, query.Predicate{Field: schema.Collection.Field("category"), Op: query.OpNotIn, Values: second.Values}, c,
					query.Predicate{Field: schema.Collection.Field("views"), Op: query.OpNot, Values: []core.Value{{Num: 1}}},
					query.Predicate{Field: schema.Collection.Field("day"), Op: query.OpGreater, Values: []core.Value{{Num: day(2)}}})
			}
		}
	}
}

// expectTotal compares a total with the length of a list, and a page with the start of the list.
func expectTotal(t *testing.T, db *sqlstore.DB, schema core.Schema, locale string, where ...query.Predicate) {
	t.Helper()
	states := []core.State{core.StatePublished, core.StateOnlyDraft, core.StateWithDraft}
	sel := newest(schema, locale)
	sel.Where, sel.State = where, states[(len(where)+len(where[0].Values)+len(where[0].Op))%len(states)]
	rows, _, err := db.Stores().Entries.List(t.Context(), sel, false)
	ok(t, err)
	if total, err := db.Stores().Entries.Count(t.Context(), sel); err != nil || total != int64(len(rows)) {
		t.Errorf("%sin %s: a total of %d, %v, and %d are listed", describe(sel), locale, total, err, len(rows))
	}
	sel.Limit = 20
	page, _, err := db.Stores().Entries.List(t.Context(), sel, false)
	ok(t, err)
	if first := rows[:min(len(rows), 21)]; !slices.Equal(rowIDs(page), rowIDs(first)) {
		t.Errorf("%sin %s: a page of %v, and the list begins with %v", describe(sel), locale, rowIDs(page), rowIDs(first))
	}
}

// TestManyValues filters by the maximum number of values beside another condition, in a page with
// an offset and in a total.
func TestManyValues(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema := newArticles(t, db)
		var want []int64
		var values []core.Value
		for n := range query.MaxInValues {
			e := article{title: "a", category: fmt.Sprint("category ", n), views: n}.entry("en", schema)
			ok(t, db.Stores().Entries.Insert(t.Context(), schema, &e))
			want, values = append(want, e.ID), append(values, core.Value{Text: fmt.Sprint("category ", n)})
		}
		sel := newest(schema, "de")
		sel.Where = []query.Predicate{
			{Field: schema.Collection.Field("title"), Values: []core.Value{{Text: "a"}}},
			{Field: schema.Collection.Field("category"), Op: query.OpIn, Values: values},
		}
		sel.Sort, sel.Offset, sel.Limit = []query.SortKey{{Field: schema.Collection.Field("views")}, {Field: core.SystemID}}, 200, 30
		rows, _, err := db.Stores().Entries.List(t.Context(), sel, false)
		ok(t, err)
		if got := rowIDs(rows); !slices.Equal(got, want[200:231]) {
			t.Errorf("%v, want %v", got, want[200:231])
		}
		if total, err := db.Stores().Entries.Count(t.Context(), sel); err != nil || total != query.MaxInValues {
			t.Errorf("a total of %d, %v", total, err)
		}
	})
}

// TestDeepPages compares pages at large offsets with a sort in Go.
func TestDeepPages(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, random := newArticles(t, db), rand.New(rand.NewPCG(5, 5))
		const groups = 4500
		ids, err := db.Stores().Entries.NewIDs(t.Context(), 2*groups)
		ok(t, err)
		type seen struct {
			id      int64
			day     string
			created time.Time
		}
		var en, de []seen // the rows that serve each locale
		var batch []*core.Entry
		add := func(id, group int64, locale string) seen {
			a := article{title: "a"}
			if random.IntN(10) > 0 {
				a.day = time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, random.IntN(8000)).Format(time.DateOnly)
			}
			e := a.entry(locale, schema)
			e.ID, e.Group, e.CreatedAt = id, group, someTime.AddDate(0, 0, random.IntN(300))
			batch = append(batch, &e)
			return seen{id, a.day, e.CreatedAt}
		}
		for n := range groups {
			id := ids[2*n]
			en = append(en, add(id, id, "en"))
			if n%3 == 0 {
				de = append(de, add(ids[2*n+1], id, "de"))
			} else {
				de = append(de, en[n])
			}
		}
		ok(t, db.Stores().Entries.Save(t.Context(), schema, batch, nil))
		for locale, all := range map[string][]seen{"en": en, "de": de} {
			for _, desc := range []bool{true, false} {
				byID, byDay, byCreation := slices.Clone(all), slices.Clone(all), slices.Clone(all)
				order := func(n int) int {
					if desc {
						return -n
					}
					return n
				}
				slices.SortFunc(byID, func(a, b seen) int { return order(cmp.Compare(a.id, b.id)) })
				slices.SortFunc(byDay, func(a, b seen) int {
					switch {
					case a.day != "" && b.day == "":
						return -1
					case a.day == "" && b.day != "":
						return 1
					}
					return order(cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.id, b.id)))
				})
				slices.SortFunc(byCreation, func(a, b seen) int { return order(cmp.Or(a.created.Compare(b.created), cmp.Compare(a.id, b.id))) })
				id := query.SortKey{Field: core.SystemID, Desc: desc}
				for name, c := range map[string]struct {
					sort []query.SortKey
					want []seen
				}{
					"id":  {[]query.SortKey{id}, byID},
					"day": {[]query.SortKey{{Field: schema.Collection.Field("day"), Desc: desc}, id}, byDay},
					// All entries have the same publication time.
					"creation":    {[]query.SortKey{{Field: core.SystemCreatedAt, Desc: desc}, id}, byCreation},
					"publication": {[]query.SortKey{{Field: core.SystemPublishedAt, Desc: desc}, id}, byID},
				} {
					for _, offset := range []int64{0, 1000, 1023, 1024, 1500, 2047, 3000, 3999, 4040, 4060, 4480, 4499, 4500, 9000} {
						sel := newest(schema, locale)
						sel.Sort, sel.Offset, sel.Limit = c.sort, offset, 30
						rows, _, err := db.Stores().Entries.List(t.Context(), sel, false)
						ok(t, err)
						var want []int64 // one more than the limit, to show that a next page exists
						for _, s := range c.want[min(offset, groups):min(offset+31, groups)] {
							want = append(want, s.id)
						}
						if got := rowIDs(rows); !slices.Equal(got, want) {
							t.Errorf("%s by %s, desc %v, from %d on: %v, want %v", locale, name, desc, offset, got, want)
						}
					}
				}
			}
		}
	})
}
