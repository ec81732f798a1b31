package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/postgres"
	"imprimatur/core"
	"imprimatur/test/postgrestest"
)

// everyTable is what content tables look like from outside: their columns, keys,
// indexes and the settings of what stores rows and of its columns, one a line, whatever they lie in.
const everyTable = `
	WITH tables AS (SELECT oid, relname FROM pg_class WHERE relname = ANY('{entries,entry_index,entry_values,entry_texts,entry_claims}') AND relkind IN ('r', 'p'))
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

func describe(t *testing.T, url string) (tables string) {
	t.Helper()
	query(t, url, &tables, everyTable)
	return tables
}

// TestPartitionsAreTheSameTables goes there and back, with rows in the tables.
func TestPartitionsAreTheSameTables(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	const entries = 500
	execute(t.Context(), t, url, fmt.Sprintf(`
		INSERT INTO entries (project_id, id, collection_id, locale, group_id, version, draft, created_at, updated_at, created_by, updated_by)
		SELECT n %% 100, n, 1, 'en', n, 1, '{"n":' || n || '}', n, n, 1, 1 FROM generate_series(1, %d) AS n`, entries))
	content := func() (hash string) {
		query(t, url, &hash, "SELECT md5(string_agg(e::text, ',' ORDER BY project_id, id)) FROM entries e")
		return hash
	}
	tables, rows := describe(t, url), content()
	for _, n := range []int{5, 5, 3, 1, 2} {
		if err := postgres.Partition(t.Context(), url, n); err != nil {
			t.Fatalf("%d partitions: %v", n, err)
		}
		if got, err := postgres.Partitions(t.Context(), url); err != nil || got != n {
			t.Errorf("%d partitions, %v, want %d", got, err, n)
		}
		if diff := cmp.Diff(tables, describe(t, url)); diff != "" {
			t.Errorf("in %d partitions the tables are not what they were: %s", n, diff)
		}
		if content() != rows {
			t.Errorf("in %d partitions the rows are not what they were", n)
		}
		var filled int
		query(t, url, &filled, "SELECT count(DISTINCT tableoid) FROM entries")
		if filled != n {
			t.Errorf("rows lie in %d of %d partitions", filled, n)
		}
	}
}

// TestNewPartitionsAreForetold: what is imported first is found by its index, in
// whatever partition it comes to lie.
func TestNewPartitionsAreForetold(t *testing.T) {
	t.Parallel()
	url := postgrestest.Partitioned(t)
	var rows, silent int
	query(t, url, &rows, "SELECT (SELECT count(*) FROM entries) + (SELECT count(*) FROM entry_index) + (SELECT count(*) FROM entry_values) + (SELECT count(*) FROM entry_texts)")
	query(t, url, &silent, `SELECT count(*) FROM pg_class c WHERE relispartition AND relkind = 'r' AND relname NOT LIKE 'entry_claims%'
		AND NOT EXISTS (SELECT FROM pg_stats WHERE tablename = relname AND attname = 'collection_id' AND n_distinct = 1)`)
	if rows != 0 || silent != 0 {
		t.Errorf("%d rows of the sample are left, and of %d partitions the planner knows nothing", rows, silent)
	}
}

func TestEveryTableOfContentIsSpread(t *testing.T) {
	t.Parallel()
	whole := []string{"entry_buckets", "entry_counters"} // some rows per collection
	var names []string
	query(t, postgrestest.Partitioned(t), &names, "SELECT array_agg(tablename ORDER BY tablename) FROM pg_tables t"+
		" WHERE tablename LIKE 'entr%' AND NOT EXISTS (SELECT FROM pg_class WHERE relname = tablename AND (relispartition OR relkind = 'p'))")
	if !slices.Equal(names, whole) {
		t.Errorf("%v are whole, want %v", names, whole)
	}
}

func TestMigrationsAreTakenBackFromPartitions(t *testing.T) {
	t.Parallel()
	url := postgrestest.Partitioned(t)
	db := open(t, url)
	for range 2 {
		status, err := db.MigrationStatus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range status {
			if err := db.MigrateDown(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := postgres.Partition(t.Context(), url, 4); !errors.Is(err, core.ErrConflict) {
			t.Errorf("without tables: %v", err)
		}
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := postgres.Partition(t.Context(), url, 4); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPartitionRefuses(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 0, postgres.MaxPartitions + 1} {
		if err := postgres.Partition(t.Context(), "postgres://u@127.0.0.1:1/db", n); core.KindOf(err) != core.KindBadRequest {
			t.Errorf("%d: %v", n, err)
		}
	}
	if err := postgres.Partition(t.Context(), "postgres://u@127.0.0.1:1/db?sslmode=disable", 2); !errors.Is(err, core.ErrUnavailable) {
		t.Errorf("nobody listens: %v", err)
	}
}

// TestPartitionWaitsForNobodyForLong also leaves everything as it was.
func TestPartitionWaitsForNobodyForLong(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // it has done its part
	if _, err := conn.Exec(t.Context(), "BEGIN; SELECT count(*) FROM entry_index"); err != nil {
		t.Fatal(err)
	}
	if err := postgres.Partition(t.Context(), url, 2); !errors.Is(err, core.ErrUnavailable) || !strings.Contains(err.Error(), "using the tables") {
		t.Errorf("a table is in use: %v", err)
	}
	if n, err := postgres.Partitions(t.Context(), url); err != nil || n != 1 {
		t.Errorf("%d partitions, %v", n, err)
	}
}

// TestPartitionTriesAgain meets somebody who reads the tables in an order of their own:
// the two wait for each other, and the server has to refuse one.
func TestPartitionTriesAgain(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	reader, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close(t.Context()) //nolint:errcheck // it has done its part
	// It is not the reader who is refused.
	if _, err := reader.Exec(t.Context(), "SET deadlock_timeout = '1min'; BEGIN; SELECT count(*) FROM entry_texts"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- postgres.Partition(t.Context(), url+"&deadlock_timeout=3s", 2) }()
	waiting := false
	for !waiting {
		query(t, url, &waiting, "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'entry_texts'::regclass AND NOT granted)")
	}
	if _, err := reader.Exec(t.Context(), "SELECT count(*) FROM entries; COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n, err := postgres.Partitions(t.Context(), url); err != nil || n != 2 {
		t.Errorf("%d partitions, %v", n, err)
	}
}
