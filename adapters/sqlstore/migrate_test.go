package sqlstore_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
)

func TestMigrateUpDownUp(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		db := open(t)
		steps := len(status(t, db))
		if steps == 0 {
			t.Fatal("there are no migrations")
		}
		expectApplied(t, db, 0)
		for range 2 {
			migrate(t, db)
			expectApplied(t, db, steps)
			tenant := core.Tenant{Name: "Meridian", CreatedAt: someTime, UpdatedAt: someTime}
			if err := db.Stores().Tenants.Insert(t.Context(), &tenant); err != nil {
				t.Fatal(err)
			}
			for left := steps - 1; left >= 0; left-- {
				if err := db.MigrateDown(t.Context()); err != nil {
					t.Fatal(err)
				}
				expectApplied(t, db, left)
			}
		}
		if err := db.MigrateDown(t.Context()); err != nil {
			t.Errorf("with nothing to take back: %v", err)
		}
	})
}

// TestMigrateByManyAtOnce starts as many replicas on an empty database.
func TestMigrateByManyAtOnce(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		replicas := make([]*sqlstore.DB, 6)
		for i := range replicas {
			replicas[i] = open(t)
		}
		errs := make([]error, len(replicas))
		var group sync.WaitGroup
		for i, db := range replicas {
			group.Go(func() { errs[i] = db.Migrate(t.Context()) })
		}
		group.Wait()
		for i, err := range errs {
			if err != nil {
				t.Errorf("replica %d: %v", i, err)
			}
		}
		expectApplied(t, replicas[0], len(status(t, replicas[0])))
	})
}

func migrate(t *testing.T, db *sqlstore.DB) {
	t.Helper()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func status(t *testing.T, db *sqlstore.DB) []sqlstore.Migration {
	t.Helper()
	list, err := db.MigrationStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// expectApplied checks that the first n migrations are applied and no other.
func expectApplied(t *testing.T, db *sqlstore.DB, n int) {
	t.Helper()
	list := status(t, db)
	if !slices.IsSortedFunc(list, func(a, b sqlstore.Migration) int { return cmp.Compare(a.Name[:4], b.Name[:4]) }) {
		t.Errorf("out of order: %v", list)
	}
	for i, m := range list {
		if m.Applied != (i < n) || m.Applied == m.AppliedAt.IsZero() {
			t.Errorf("with %d applied, migration %d is %+v", n, i, m)
		}
	}
}

// TestLocalesOfOlderValues takes the locales of values and texts back, and has the
// migration find them out again.
func TestLocalesOfOlderValues(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, store := newArticles(t, db), db.Stores().Entries
		for n, locales := range [][]string{{"en", "de", "fr"}, {"en", "de"}, {"en"}} {
			group := int64(0)
			for _, locale := range locales {
				e := article{title: "found everywhere", tag: "a", views: n}.entry(locale, schema)
				e.Group = group
				ok(t, store.Insert(t.Context(), schema, &e))
				group = e.Group
			}
		}
		downTo(t, db, "0006_value_locales")
		ok(t, db.Migrate(t.Context()))
		for _, where := range []core.Clause{
			{Field: schema.Collection.Field("tags"), Values: []core.Value{{Text: "a"}}},
			{Field: schema.Collection.Field("title"), Op: core.OpLike, Values: []core.Value{{Text: "everywhere"}}},
		} {
			for locale, want := range map[string]int64{"en": 3, "de": 3, "fr": 3, core.AllLocales: 6} {
				sel := newest(schema, locale)
				sel.Where = []core.Clause{where}
				if n, err := store.Count(t.Context(), sel); err != nil || n != want {
					t.Errorf("%s in %s: %d, %v, want %d", where.Field.Name, locale, n, err, want)
				}
				if rows, err := store.List(t.Context(), sel); err != nil || len(rows) != int(want) {
					t.Errorf("%s in %s: a page of %d, %v, want %d", where.Field.Name, locale, len(rows), err, want)
				}
			}
		}
	})
}

func TestTalliesOfOlderEntries(t *testing.T) {
	t.Parallel()
	setup(t, func(t *testing.T, db *sqlstore.DB) {
		schema, random := newArticles(t, db), rand.New(rand.NewPCG(7, 7))
		var written []*core.Entry
		for range 60 {
			written = writeAtRandom(t, db, schema, random, written)
		}
		downTo(t, db, "0008_tallies")
		ok(t, db.Migrate(t.Context()))
		expectTallied(t, db, schema)
	})
}

// downTo takes migrations back until the one of that name is.
func downTo(t *testing.T, db *sqlstore.DB, name string) {
	t.Helper()
	for {
		status, err := db.MigrationStatus(t.Context())
		ok(t, err)
		if !slices.ContainsFunc(status, func(m sqlstore.Migration) bool { return m.Name == name && m.Applied }) {
			return
		}
		ok(t, db.MigrateDown(t.Context()))
	}
}
