package sqlstore_test

import (
	"cmp"
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
			t.Fatal("no migrations")
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
			t.Errorf("with no migration to revert: %v", err)
		}
	})
}

// TestConcurrentMigrations starts several replicas on an empty database.
func TestConcurrentMigrations(t *testing.T) {
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
