package flat

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"imprimatur/test/bench/load"
	"imprimatur/test/postgrestest"
)

// postgresEngine implements engine for PostgreSQL.
type postgresEngine struct {
	server string // URL of a database for administrative statements
	pid    int
	made   *int
}

func newPostgres(ctx context.Context, server string) (e postgresEngine, err error) {
	if server == "" {
		if server, err = postgrestest.Database(ctx); err != nil {
			return e, err
		}
	}
	pid, err := load.Postmaster(ctx, server)
	return postgresEngine{server, pid, new(int)}, err
}

func (e postgresEngine) create(ctx context.Context) (string, error) { return e.make(ctx, "template0") }

func (e postgresEngine) clone(ctx context.Context, address string) (string, error) {
	return e.make(ctx, databaseOf(address))
}

func (e postgresEngine) make(ctx context.Context, template string) (string, error) {
	*e.made++
	name := fmt.Sprintf("flat_%d_%d", os.Getpid(), *e.made)
	made, err := url.Parse(e.server)
	if err != nil {
		return "", err
	}
	made.Path = "/" + name
	return made.String(), e.order(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy")
}

func (e postgresEngine) drop(ctx context.Context, address string) error {
	return e.order(ctx, "DROP DATABASE "+databaseOf(address)+" WITH (FORCE)")
}

func (e postgresEngine) order(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, e.server)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the statement is done
	_, err = conn.Exec(ctx, statement)
	return err
}

func databaseOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		panic(err) // a valid URL
	}
	return strings.TrimPrefix(parsed.Path, "/")
}

// open uses the settings of the program's read connections.
func (postgresEngine) open(url string) (*sql.DB, []string, error) {
	pool, err := sql.Open("pgx", url)
	return pool, []string{
		"SET plan_cache_mode = force_generic_plan", "SET enable_memoize = off", "SET random_page_cost = 1.1", "SET jit = off",
		"SET max_parallel_workers_per_gather = 0", "SET maintenance_work_mem = '512MB'",
	}, err
}

func (e postgresEngine) processes() []int { return []int{e.pid} }

func (postgresEngine) hold() []string {
	var all []string
	for _, table := range copyTables {
		all = append(all, "ALTER TABLE "+table+" SET (autovacuum_enabled = false)")
	}
	return all
}

func (postgresEngine) settle() []string {
	var all []string
	for _, table := range copyTables {
		all = append(all, "ALTER TABLE "+table+" RESET (autovacuum_enabled)")
	}
	return append(all, "VACUUM ANALYZE", "CHECKPOINT")
}

func (postgresEngine) columns(table string) string {
	return "SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '" + table + "' ORDER BY ordinal_position"
}

// indexes omits the index that copying uses.
func (postgresEngine) indexes() string {
	return "SELECT i.indexname::text, i.indexdef FROM pg_indexes i WHERE i.schemaname = current_schema() AND i.tablename IN ('" + strings.Join(copyTables, "', '") + "')" +
		" AND i.indexdef NOT LIKE 'CREATE UNIQUE%' AND i.indexname <> 'entry_values_entry'"
}

func (postgresEngine) keepIDs() string {
	return "SELECT setval('entry_ids', (SELECT max(id) FROM entries))"
}

func (postgresEngine) date(milliseconds string) string {
	return "to_char(to_timestamp(" + milliseconds + " / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
}

func (postgresEngine) readWords() []string { return nil }

// words replaces in the text of a tsvector, whose lexemes are in quotation marks, and the periods of the row.
func (postgresEngine) words() (into, joined, words string) {
	copied := "CASE WHEN l.was IS NULL THEN s.words ELSE replace(s.words::text, '''' || l.was, '''' || l.becomes)::tsvector END"
	return "entry_words", "", "ts_delete(" + copied + ", " + periods("s.scope", "s.moment") + ") || array_to_tsvector(" + periods(copiedScope, copiedMoment) + ")"
}

// periods returns the lexemes of the periods of a row.
func periods(scope, moment string) string {
	return "ARRAY(SELECT '.' || to_hex(" + scope + ") || '.' || to_hex(b.bits) || '.' || to_hex((" + moment + ") >> b.bits) FROM unnest(ARRAY[3, 7, 11, 15, 19, 23]) b (bits))"
}

func (postgresEngine) sizes() string {
	return "SELECT relname::text, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class WHERE relkind = 'r' AND relname IN ('" +
		strings.Join(copyTables, "', '") + "') ORDER BY relname"
}

// planNode holds the used parts of a plan node.
type planNode struct {
	Type      string     `json:"Node Type"`
	Relation  string     `json:"Relation Name"`
	CTE       string     `json:"CTE Name"`
	Index     string     `json:"Index Name"`
	Expected  float64    `json:"Plan Rows"`
	Rows      float64    `json:"Actual Rows"`
	Loops     float64    `json:"Actual Loops"`
	Filtered  float64    `json:"Rows Removed by Filter"`
	Rechecked float64    `json:"Rows Removed by Index Recheck"`
	Fetches   int        `json:"Heap Fetches"`
	Hit       int        `json:"Shared Hit Blocks"`
	Read      int        `json:"Shared Read Blocks"`
	Plans     []planNode `json:"Plans"`
}

func (postgresEngine) explain(ctx context.Context, conn *sql.Conn, runs int, text string, args []any) (effort, error) {
	values := make([]string, len(args))
	for i, arg := range args {
		values[i] = literal(arg)
	}
	if _, err := conn.ExecContext(ctx, "PREPARE asked AS "+text); err != nil {
		return effort{}, err
	}
	defer conn.ExecContext(ctx, "DEALLOCATE asked") //nolint:errcheck // the next PREPARE would fail
	execute := "EXECUTE asked"
	if len(values) > 0 {
		execute += " (" + strings.Join(values, ", ") + ")"
	}
	// The first run loads the catalogue and creates the plan.
	if _, err := conn.ExecContext(ctx, execute); err != nil {
		return effort{}, err
	}
	var took []float64
	for start := time.Now(); another(len(took), runs, start); {
		once, err := explainOnce(ctx, conn, "ANALYZE, TIMING OFF", execute)
		if err != nil {
			return effort{}, err
		}
		took = append(took, once.PlanningTime+once.ExecutionTime)
	}
	last, err := explainOnce(ctx, conn, "ANALYZE, TIMING OFF, BUFFERS", execute)
	if err != nil {
		return effort{}, err
	}
	var plan strings.Builder
	last.Plan.write(&plan, 0)
	return effort{median(took), last.Plan.Hit + last.Plan.Read, last.Plan.rows(), plan.String()}, nil
}

// explained is the output of EXPLAIN, times in milliseconds.
type explained struct {
	Plan          planNode `json:"Plan"`
	PlanningTime  float64  `json:"Planning Time"`
	ExecutionTime float64  `json:"Execution Time"`
}

// explainOnce runs EXPLAIN with options. Reading the clock at every node would dominate the
// time, and counting pages would add to it.
func explainOnce(ctx context.Context, conn *sql.Conn, options, execute string) (explained, error) {
	var output []byte
	if err := conn.QueryRowContext(ctx, "EXPLAIN ("+options+", FORMAT JSON) "+execute).Scan(&output); err != nil {
		return explained{}, err
	}
	var all []explained
	if err := json.Unmarshal(output, &all); err != nil {
		return explained{}, err
	}
	if len(all) != 1 {
		return explained{}, errors.New("EXPLAIN did not return one plan")
	}
	return all[0], nil
}

// literal returns the SQL text of an argument.
func literal(arg any) string {
	switch v := arg.(type) {
	case string:
		return quoted(v)
	case []string:
		return quoted(array(v, strconv.Quote))
	case []int64:
		return quoted(array(v, func(n int64) string { return strconv.FormatInt(n, 10) }))
	case []float64:
		return quoted(array(v, func(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }))
	default:
		return quoted(fmt.Sprint(v))
	}
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func array[T any](values []T, text func(T) string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = text(v)
	}
	return "{" + strings.Join(texts, ",") + "}"
}

// rows returns the number of rows read from tables and indexes.
func (n planNode) rows() (all int) {
	if n.Relation != "" || n.Index != "" {
		all = int((n.Rows + n.Filtered + n.Rechecked) * n.Loops)
	}
	for _, inner := range n.Plans {
		all += inner.rows()
	}
	return all
}

// write writes the nodes indented by depth.
func (n planNode) write(w *strings.Builder, depth int) {
	w.WriteString(strings.Repeat("  ", depth) + n.Type)
	for _, name := range []string{n.Relation, n.CTE} {
		if name != "" {
			w.WriteString(" on " + name)
		}
	}
	if n.Index != "" {
		w.WriteString(" by " + n.Index)
	}
	fmt.Fprintf(w, ": %.0f rows of %.0f expected, in %.0f loops, %d pages", n.Rows, n.Expected, n.Loops, n.Hit+n.Read)
	if n.Filtered > 0 {
		fmt.Fprintf(w, ", %.0f filtered", n.Filtered)
	}
	if n.Fetches > 0 {
		fmt.Fprintf(w, ", %d fetched from the table", n.Fetches)
	}
	w.WriteString("\n")
	for _, inner := range n.Plans {
		inner.write(w, depth+1)
	}
}
