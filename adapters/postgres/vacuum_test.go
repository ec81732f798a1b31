package postgres_test

import (
	"strings"
	"testing"
	"time"

	"imprimatur/test/postgrestest"
)

// visiblePages selects the number of pages of content, and of those in the visibility map.
const visiblePages = `SELECT array[coalesce(sum(pg_relation_size(oid) / 8192), 0), coalesce(sum(relallvisible), 0)]::bigint[] FROM pg_class
	WHERE relkind = 'r' AND (relname = 'entries' OR relname ~ '^entries_' OR relname ~ '^entry_(index|values|texts)')`

const withoutAutovacuum = `DO $$
	DECLARE t regclass;
	BEGIN
		FOR t IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relname LIKE 'entr%' LOOP
			EXECUTE 'ALTER TABLE ' || t || ' SET (autovacuum_enabled = false)';
		END LOOP;
	END $$`

func TestVacuumUpdatesTheVisibilityMap(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(testing.TB) string{"whole": postgrestest.Migrated, "partitioned": postgrestest.Partitioned} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := fresh(t)
			execute(t.Context(), t, url, withoutAutovacuum)
			largeProject(t, open(t, url), 300)
			var pages []int64
			if queryInto(t, url, &pages, visiblePages); pages[0] == 0 || pages[1] != 0 {
				t.Fatalf("of %d pages, %d are all-visible before Vacuum", pages[0], pages[1])
			}
			// Open transactions of other connections keep pages from becoming all-visible.
			db, start := open(t, url), time.Now()
			for pages[1]*2 < pages[0] {
				if err := db.Vacuum(t.Context()); err != nil {
					t.Fatal(err)
				}
				if queryInto(t, url, &pages, visiblePages); time.Since(start) > time.Minute {
					t.Fatalf("of %d pages, %d are all-visible after Vacuum", pages[0], pages[1])
				}
			}
		})
	}
}

// TestVacuumIgnoresTablesOfOtherOwners runs Vacuum as a role that owns no table: the server warns,
// and Vacuum returns no error.
func TestVacuumIgnoresTablesOfOtherOwners(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	execute(t.Context(), t, url, `DO $$ BEGIN CREATE ROLE owns_nothing; EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
	as := "?"
	if strings.Contains(url, "?") {
		as = "&"
	}
	if err := open(t, url+as+"options=-c%20role%3Downs_nothing").Vacuum(t.Context()); err != nil {
		t.Error(err)
	}
}
