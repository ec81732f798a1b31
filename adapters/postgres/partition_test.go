package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"imprimatur/test/postgrestest"
)

// everyTable describes the tables of content independently of partitions: columns, keys,
// indexes, storage settings and column settings, one a line.
const everyTable = `
	WITH tables AS (SELECT oid, relname FROM pg_class WHERE relname = ANY('{entries,entry_index,entry_values,entry_texts,entry_words,entry_claims}') AND relkind IN ('r', 'p'))
	SELECT string_agg(line, E'\n' ORDER BY line) FROM (
		SELECT concat_ws(' ', relname, attname, atttypid::regtype, attnotnull, attcollation::regcollation, pg_get_expr(adbin, adrelid)) AS line
		FROM tables JOIN pg_attribute a ON attrelid = tables.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attnum > 0 AND NOT attisdropped
		UNION ALL SELECT concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid)) FROM tables JOIN pg_constraint c ON conrelid = tables.oid
		UNION ALL SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM tables JOIN pg_index ON indrelid = tables.oid
		UNION ALL SELECT DISTINCT concat_ws(' ', tables.relname, leaf.reloptions::text) FROM tables, pg_class leaf
			WHERE leaf.relkind = 'r' AND (leaf.oid = tables.oid OR leaf.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = tables.oid))
		UNION ALL SELECT concat_ws(' ', tables.relname, attname, attoptions::text, count(*) = greatest(1, (SELECT count(*) FROM pg_inherits WHERE inhparent = tables.oid)))
			FROM tables, pg_attribute WHERE attoptions IS NOT NULL AND (attrelid = tables.oid OR attrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = tables.oid))
			GROUP BY tables.oid, tables.relname, attname, attoptions
	) AS described`

// partitions returns the number of partitions of entries, 0 for a whole table.
func partitions(t *testing.T, url string) (n int) {
	t.Helper()
	queryInto(t, url, &n, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'entries'::regclass")
	return n
}

func describe(t *testing.T, url string) (tables string) {
	t.Helper()
	queryInto(t, url, &tables, everyTable)
	return tables
}

// TestPartitionsAreTheSameTables divides filled tables several times and makes them whole again.
func TestPartitionsAreTheSameTables(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	const entries = 500
	execute(t.Context(), t, url, fmt.Sprintf(`
		INSERT INTO entries (project_id, id, collection_id, locale, group_id, version, draft, created_at, updated_at, created_by, updated_by)
		SELECT n %% 100, n, 1, 'en', n, 1, '{"n":' || n || '}', n, n, 1, 1 FROM generate_series(1, %d) AS n`, entries))
	content := func() (hash string) {
		queryInto(t, url, &hash, "SELECT md5(string_agg(e::text, ',' ORDER BY project_id, id)) FROM entries e")
		return hash
	}
	tables, rows := describe(t, url), content()
	for _, n := range []int{5, 5, 3, 1, 2} {
		if err := postgrestest.Partition(t.Context(), url, n); err != nil {
			t.Fatalf("%d partitions: %v", n, err)
		}
		if got := max(partitions(t, url), 1); got != n {
			t.Errorf("%d partitions, want %d", got, n)
		}
		if diff := cmp.Diff(tables, describe(t, url)); diff != "" {
			t.Errorf("%d partitions changed the tables (-want +got): %s", n, diff)
		}
		if content() != rows {
			t.Errorf("%d partitions changed the rows", n)
		}
		var filled int
		queryInto(t, url, &filled, "SELECT count(DISTINCT tableoid) FROM entries")
		if filled != n {
			t.Errorf("%d of %d partitions have rows", filled, n)
		}
	}
}

func TestEveryTableOfContentIsPartitioned(t *testing.T) {
	t.Parallel()
	whole := []string{"entry_buckets", "entry_counters"} // have few rows per collection
	var names []string
	queryInto(t, postgrestest.Partitioned(t), &names, "SELECT array_agg(tablename ORDER BY tablename) FROM pg_tables t"+
		" WHERE tablename LIKE 'entr%' AND NOT EXISTS (SELECT FROM pg_class WHERE relname = tablename AND (relispartition OR relkind = 'p'))")
	if !slices.Equal(names, whole) {
		t.Errorf("%v are whole, want %v", names, whole)
	}
}

// TestPartitionsFailWhileTablesAreUsed also checks that the script changes nothing then.
func TestPartitionsFailWhileTablesAreUsed(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	reader, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close(t.Context()) //nolint:errcheck // nothing to commit
	if _, err := reader.Exec(t.Context(), "BEGIN; SELECT count(*) FROM entry_index"); err != nil {
		t.Fatal(err)
	}
	var fault *pgconn.PgError
	if err := postgrestest.Partition(t.Context(), url, 2); !errors.As(err, &fault) || fault.Code != "55P03" { // lock_not_available
		t.Errorf("a table is in use: %v", err)
	}
	if n := partitions(t, url); n != 0 {
		t.Errorf("the table has %d partitions, want none", n)
	}
}
