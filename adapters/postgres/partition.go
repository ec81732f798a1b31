package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
)

// spread are the tables that grow with the content. Every key and every index of
// theirs begins with project_id, or is good for nothing without it, so that each can
// lie in parts of which a statement reads one. A migration that changes one of them
// meets whole tables and partitioned ones, which have no settings of storage.
var spread = []string{"entries", "entry_index", "entry_values", "entry_texts", "entry_claims"}

// MaxPartitions is the most parts that Partition makes of a table.
const MaxPartitions = 256

// inUseTimeout is how long Partition waits for those who use the tables.
const inUseTimeout = "5s"

// attempts is how often Partition tries. It locks the tables one after the other, and who
// reads them does so in another order: when each waits for the other, the server refuses
// one of them after a second.
const attempts = 5

// Partition makes each table of content n hash partitions by Project, 1 to
// MaxPartitions; 1 is a table that is whole. Where that is so already it does
// nothing. It derives all from the tables as they are: columns, keys, indexes and
// settings stay, under the same names, and so do the rows, which are written anew.
// Privileges that were granted by hand on a table go.
//
// All happens in one transaction, and nobody else reads or writes the tables as long
// as it takes. It ends with an error of kind unavailable when others keep using them,
// and of kind conflict when the database has no tables yet.
func Partition(ctx context.Context, url string, n int) error {
	if n < 1 || n > MaxPartitions {
		return core.BadRequest("partitions", "there can be 1 to %d partitions", MaxPartitions)
	}
	return connected(ctx, url, func(conn *pgx.Conn) error {
		for left := attempts; ; left-- {
			err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return partition(ctx, tx, n) })
			if left == 1 || (dialect{}).Fault(err) != sqlstore.FaultRetry {
				return err
			}
		}
	})
}

// Partitions returns how many partitions each table of content at url has; 1 is a
// table that is whole, or not there yet.
func Partitions(ctx context.Context, url string) (n int, err error) {
	err = connected(ctx, url, func(conn *pgx.Conn) error {
		n, err = partitions(ctx, conn)
		return err
	})
	return n, err
}

// connected runs do on a connection of its own, which takes several statements at once.
func connected(ctx context.Context, url string, do func(*pgx.Conn) error) error {
	config, err := parse(url)
	if err != nil {
		return err
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return partitionFault(err)
	}
	defer hangUp(conn)
	return partitionFault(do(conn))
}

func partition(ctx context.Context, tx pgx.Tx, n int) error {
	var there bool
	err := tx.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL FROM pg_advisory_xact_lock($2)", spread[0], int64(migrationLock)).Scan(&there)
	if err != nil {
		return err
	}
	if !there {
		return core.Conflict("not_migrated", "the database has no tables for content yet")
	}
	if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '"+inUseTimeout+"'; LOCK TABLE "+strings.Join(spread, ", ")+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	now, err := partitions(ctx, tx)
	if err != nil || now == n {
		return err
	}
	return respread(ctx, tx, n)
}

func partitions(ctx context.Context, from interface {
	QueryRow(ctx context.Context, text string, args ...any) pgx.Row
}) (n int, err error) {
	err = from.QueryRow(ctx, "SELECT greatest(count(*), 1) FROM pg_inherits WHERE inhparent = to_regclass($1)", spread[0]).Scan(&n)
	return n, err
}

// respread makes every table anew. The keys and indexes come last: to build one costs
// less than to keep it while the rows come in.
func respread(ctx context.Context, tx pgx.Tx, n int) error {
	definitions := make([]definition, len(spread))
	for i, table := range spread {
		var err error
		if definitions[i], err = define(ctx, tx, table); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, definitions[i].parts(n)); err != nil {
			return err
		}
	}
	if err := foretell(ctx, tx, n); err != nil {
		return err
	}
	for _, d := range definitions {
		if _, err := tx.Exec(ctx, d.fill()); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "ANALYZE "+strings.Join(spread, ", "))
	return err
}

// definition is what makes a table what it is, beside its columns.
type definition struct {
	table    string
	settings string   // of its storage
	foretold []string // columns of which the planner is told something, as ALTER TABLE … has them
	keys     []string // and other constraints, as ALTER TABLE … ADD CONSTRAINT has them
	indexes  []string // statements
}

// define reads the definition of a table. The settings of one in partitions, and of its
// columns, are those of its partitions; what an index of such a table is said to be
// only on, is on all of them.
func define(ctx context.Context, tx pgx.Tx, table string) (definition, error) {
	d := definition{table: table}
	err := tx.QueryRow(ctx, `SELECT
		(SELECT coalesce(max(array_to_string(c.reloptions, ', ')), '') FROM pg_class c
			WHERE c.oid = t.oid OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = t.oid)),
		ARRAY(SELECT DISTINCT 'ALTER COLUMN ' || quote_ident(attname) || ' SET (' || array_to_string(attoptions, ', ') || ')' FROM pg_attribute
			WHERE attoptions IS NOT NULL AND (attrelid = t.oid OR attrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = t.oid))),
		ARRAY(SELECT quote_ident(conname) || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
			WHERE conrelid = t.oid AND contype IN ('p', 'u', 'c', 'f') ORDER BY contype = 'f', conname),
		ARRAY(SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index
			WHERE indrelid = t.oid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid) ORDER BY indexrelid)
		FROM pg_class t WHERE t.oid = $1::regclass`, table).Scan(&d.settings, &d.foretold, &d.keys, &d.indexes)
	return d, err
}

// before is what the table is called until its rows have moved.
func (d definition) before() string { return d.table + "_before" }

// parts moves the table aside and makes an empty one of n parts.
func (d definition) parts(n int) string {
	settings := ""
	if d.settings != "" {
		settings = " WITH (" + d.settings + ")"
	}
	var script strings.Builder
	fmt.Fprintf(&script, "ALTER TABLE %s RENAME TO %s;\n", d.table, d.before())
	like := fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING CONSTRAINTS EXCLUDING INDEXES)", d.table, d.before())
	if n == 1 {
		script.WriteString(like + settings + ";\n" + d.foretell(d.table))
		return script.String()
	}
	script.WriteString(like + " PARTITION BY HASH (project_id);\n")
	for i := range n {
		name := partitionName(d.table, i, n)
		fmt.Fprintf(&script, "CREATE TABLE %s PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d)%s;\n%s",
			name, d.table, n, i, settings, d.foretell(name))
	}
	return script.String()
}

// foretell tells the planner of the columns of a table that holds rows.
func (d definition) foretell(table string) string {
	if len(d.foretold) == 0 {
		return ""
	}
	return "ALTER TABLE " + table + " " + strings.Join(d.foretold, ", ") + ";\n"
}

// partitionName is never that of a partition among another number of them.
func partitionName(table string, i, n int) string { return fmt.Sprintf("%s_%d_of_%d", table, i, n) }

// fill moves the rows, and makes the keys and indexes.
func (d definition) fill() string {
	var script strings.Builder
	fmt.Fprintf(&script, "INSERT INTO %[1]s SELECT * FROM %[2]s;\nDROP TABLE %[2]s;\n", d.table, d.before())
	for _, key := range d.keys {
		fmt.Fprintf(&script, "ALTER TABLE %s ADD CONSTRAINT %s;\n", d.table, key)
	}
	for _, index := range d.indexes {
		script.WriteString(index + ";\n")
	}
	return script.String()
}

// foretell has the planner believe of every partition what it is made to believe of
// a whole table: those that stay empty now keep that until they are first analysed.
func foretell(ctx context.Context, tx pgx.Tx, n int) error {
	script, err := migrations.ReadFile("migrations/0001_baseline.up.sql")
	if err != nil {
		return err
	}
	_, sample, _ := strings.Cut(string(script), sampleBegins)
	insert, _, _ := strings.Cut(sample, "ANALYZE")
	projects, err := oneInEach(ctx, tx, n)
	if err != nil {
		return err
	}
	for _, project := range projects {
		if _, err := tx.Exec(ctx, sampleProject.ReplaceAllString(insert, fmt.Sprint(project))); err != nil {
			return err
		}
	}
	tables := strings.Join(spread, ", ")
	_, err = tx.Exec(ctx, "ANALYZE "+tables+"; TRUNCATE "+tables)
	return err
}

// sampleBegins is what comes before the sample in the migration.
const sampleBegins = "first real analysis replaces it."

// sampleProject is the Project of the sample that the migration analyses.
var sampleProject = regexp.MustCompile(`-1\b`)

// oneInEach returns an id, of no Project, for each partition.
func oneInEach(ctx context.Context, tx pgx.Tx, n int) ([]int64, error) {
	if n == 1 {
		return []int64{-1}, nil
	}
	const tries = 40 // per partition: to miss one is out of the question
	rows, err := tx.Query(ctx, `SELECT DISTINCT ON (remainder) project
		FROM generate_series(0, $2::int - 1) AS remainder, generate_series(1, $2::int * $3) AS nth, LATERAL (SELECT -nth::bigint) AS p (project)
		WHERE satisfies_hash_partition($1::regclass, $2::int, remainder, project) ORDER BY remainder, nth`, spread[0], n, tries)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// partitionFault turns an error of the server.
func partitionFault(err error) error {
	switch (dialect{}).Fault(err) {
	case sqlstore.FaultRetry, sqlstore.FaultUnavailable:
		return &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "the database is away, or others keep using the tables", Err: err,
		}
	default:
		return err
	}
}
