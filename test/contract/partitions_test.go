package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/postgres"
	"imprimatur/ports"
	"imprimatur/test/contract"
	"imprimatur/test/postgrestest"
)

// TestPostgres runs the suites of all stores on Postgres, and those that write project data on
// partitioned tables. Then it checks every statement of project data that they sent: it filters each
// table with a project_id by project, and it reads one partition of each partitioned table, also with a
// generic plan, which is created before the project is known.
func TestPostgres(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out Postgres")
	}
	seen := &recorder{texts: map[string]string{}}
	t.Run("suites", func(t *testing.T) {
		contract.Stores(t, func(t *testing.T) (ports.Stores, ports.Tx) {
			if !ofReads.MatchString(t.Name()) {
				return openPostgres(t)
			}
			return openTraced(t, postgrestest.Migrated(t), seen)
		})
	})
	if len(seen.texts) < 100 {
		t.Fatalf("only %d statements of reads were seen", len(seen.texts))
	}
	t.Run("partitioned", func(t *testing.T) {
		for name, suite := range map[string]func(*testing.T, contract.Factory){
			"Projects": contract.Projects, "Tokens": contract.Tokens, "Collections": contract.Collections, "Components": contract.Components, "Entries": contract.Entries,
			"Media": contract.Media, "Blobs": contract.Blobs, "Renditions": contract.Renditions,
			"Workflows": contract.Workflows, "Requests": contract.Requests, "Releases": contract.Releases, "Inboxes": contract.Inboxes, "Schedules": contract.Schedules, "Publications": contract.Publications,
			"Origins": contract.Origins, "PublicLog": contract.PublicLog, "Revisions": contract.Revisions, "Overviews": contract.Overviews,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				suite(t, func(t *testing.T) (ports.Stores, ports.Tx) { return openTraced(t, postgrestest.Partitioned(t), seen) })
			})
		}
	})
	planner := newPlanner(t)
	for _, text := range seen.texts {
		for _, table := range unnamed(text, planner.tables) {
			if !exempt(table, text) {
				t.Errorf("does not name the Project of %s: %s", table, text)
			}
		}
		if read := planner.partitionsRead(t, text); len(read) > 0 && !exempt(read[0], text) {
			t.Errorf("reads %v: %s", read, text)
		}
	}
}

// ofReads are the suites that only read project data. Their statements are checked without running
// them on partitioned tables.
var ofReads = regexp.MustCompile(`^TestPostgres/suites/(Reader|Limits)$`)

// exemptions are the statements that concern all Projects, or that look up the Project.
// They are recognised by a part of their text.
var exemptions = []struct{ table, text, reason string }{
	{"schedules", "retry_at <= floor(", "due publications of all Projects"},
	{"schedules", "SELECT retry_at - floor(", "the time of the next due publication"},
	{"schedules", "FROM schedules WHERE attempts > 0", "a metric of the installation"},
	{"tokens", "WHERE hash = ", "finds the Project of a token"},
	{"tokens", `created_by = `, "the tokens of a user, in any Project"},
	{"tokens", `SET last_used_at`, "a batch of tokens of any Projects, by id"},
	{"tokens", "INSERT INTO token_usage", "a batch of tokens of any Projects, by id"},
	{"token_usage", "WHERE day IS NOT NULL ORDER BY day LIMIT ", "old days of all tokens"},
	{"media", "kind = 'image'", "the operator command that regenerates all pictures"},
	{"media", "removed_at IS NOT NULL", "the sweep of all kept media that no publication names"},
	{"entries", "j.publication_days > 0", "the sweep of all expired publications"},
	{"media_blobs", "WHERE holders = 0", "the sweep of all unreferenced blobs"},
	{"media_renditions", "WHERE used_at < ", "the sweep of all unused renditions"},
	{"entries", "FROM entries e WHERE e.project_id = ANY(", "the schedules of several Projects: reads only their partitions"},
	{"entries", "e.id = i.entry_id AND e.trashed_at IS NULL AND NOT EXISTS", "the entries of requests in any Project: reads one partition for each"},
	{"entry_texts", "t.project_id = ANY(", "the titles of several Projects: reads only their partitions"},
	{"entry_words", "s.project_id = ANY(", "the words of several Projects: reads only their partitions"},
	{"entries", "s.project_id = ANY(", "the entries with these words: which table a plan names first depends on its statistics"},
	{"entries", "t.project_id = ANY(", "the entries of these titles: which table a plan names first depends on its statistics"},
	{"events", "coalesce(max(id), 0) FROM events", "the last event of the installation: reads the end of one index of each partition"},
	{"events", "request_id FROM events WHERE id = ", "the last event of a cursor, in any Project"},
	{"approval_requests", "r.submitter_id = ", "everything that one user submitted, in any Project"},
	{"deletions", "ORDER BY began_at", "what is left of all deletions"},
	{"deletions", "n.id = ", "the deletion of the Project of a notice"},
	{"approval_requests", "strpos(r.step_roles, ", "the open requests that name a custom role, in any Project"},
}

func exempt(table, text string) bool {
	for _, e := range exemptions {
		if e.table == table && strings.Contains(text, e.text) {
			return true
		}
	}
	return false
}

// recorder collects the texts of statements. It keeps one of the statements that differ only in
// literals.
type recorder struct {
	mu    sync.Mutex
	texts map[string]string
}

var value = regexp.MustCompile(`\d+|'(?:[^']|'')*'`)

func openPartitioned(t *testing.T) (ports.Stores, ports.Tx) {
	t.Helper()
	return openTraced(t, postgrestest.Partitioned(t), nil)
}

func openTraced(t *testing.T, url string, tracer pgx.QueryTracer) (ports.Stores, ports.Tx) {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{Conns: 4, Tracer: tracer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, db.Close()) })
	return db.Stores(), db
}

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if verb, _, _ := strings.Cut(strings.TrimSpace(data.SQL), " "); slices.Contains([]string{"SELECT", "WITH", "INSERT", "UPDATE", "DELETE"}, verb) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.texts[value.ReplaceAllString(data.SQL, "?")] = data.SQL
	}
	return ctx
}

func (*recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// planner is a connection to a partitioned database with the plan settings of the pool of
// hot reads.
type planner struct {
	*pgx.Conn
	tables []string // with a project_id
}

func newPlanner(t *testing.T) *planner {
	t.Helper()
	config, err := pgx.ParseConfig(postgrestest.Partitioned(t))
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	rows, err := conn.Query(t.Context(), `SELECT relname::text FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
		WHERE attname = 'project_id' AND relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	return &planner{conn, tables}
}

var (
	parameter = regexp.MustCompile(`\$\d+`)
	partition = regexp.MustCompile(`^(.+)_\d+_of_\d+$`)
)

// partitionsRead returns the table of each partition that a statement reads in excess of
// the one it needs. All arguments are null, so a correct generic plan reads no partition.
func (p *planner) partitionsRead(t *testing.T, text string) (read []string) {
	t.Helper()
	explain, allowed := "EXPLAIN (FORMAT JSON) "+text, 1
	if n := len(distinct(parameter.FindAllString(text, -1))); n > 0 {
		if _, err := p.Exec(t.Context(), "PREPARE statement AS "+text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		defer p.Exec(t.Context(), "DEALLOCATE statement") //nolint:errcheck // the next PREPARE would fail
		explain, allowed = "EXPLAIN (FORMAT JSON) EXECUTE statement ("+strings.Repeat("NULL, ", n-1)+"NULL)", 0
	}
	var answer string
	if err := p.QueryRow(t.Context(), explain).Scan(&answer); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal([]byte(answer), &plans); err != nil {
		t.Fatal(err)
	}
	scanned := map[string]map[string]struct{}{}
	plans[0].Plan.scans(func(n node) {
		if parts := partition.FindStringSubmatch(n.Relation); parts != nil {
			// The partitions of one reference have its alias with a number appended.
			of := parts[1] + " " + strings.TrimRight(n.Alias, "_0123456789")
			if scanned[of] == nil {
				scanned[of] = map[string]struct{}{}
			}
			scanned[of][n.Relation] = struct{}{}
		}
	})
	for of, partitions := range scanned {
		table, _, _ := strings.Cut(of, " ")
		for range len(partitions) - allowed {
			read = append(read, table)
		}
	}
	return read
}

// node is a node of a plan.
type node struct {
	Type     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Alias    string
	Plans    []node
}

// scans calls yield with every node under n that reads a table.
func (n node) scans(yield func(node)) {
	if n.Relation != "" && n.Type != "ModifyTable" {
		yield(n)
	}
	for _, inner := range n.Plans {
		inner.scans(yield)
	}
}

func distinct(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// TestPartitionsReadAreFound tests the test helper partitionsRead.
func TestPartitionsReadAreFound(t *testing.T) {
	t.Parallel()
	planner := newPlanner(t)
	for text, want := range map[string]int{
		"SELECT 1 FROM entries WHERE id = $1":                                                     4,
		"SELECT 1 FROM entries WHERE id = 1":                                                      3, // in excess
		"SELECT 1 FROM entries WHERE project_id = $1":                                             0,
		"SELECT 1 FROM entries WHERE project_id = 1":                                              0,
		"UPDATE entries SET version = 2 WHERE id = $1":                                            4,
		"SELECT 1 FROM projects p JOIN entries e ON e.project_id = p.id WHERE p.uuid = $1":        4,
		"SELECT 1 FROM entries e JOIN entry_index i ON i.entry_id = e.id WHERE e.project_id = $1": 4,
	} {
		if read := planner.partitionsRead(t, text); len(read) != want {
			t.Errorf("%s reads %v, want %d more than needed", text, read, want)
		}
	}
}

// TestUnnamed tests the test helper unnamed.
func TestUnnamed(t *testing.T) {
	t.Parallel()
	tables := []string{"entries", "entry_index"}
	for text, want := range map[string][]string{
		"SELECT 1 FROM entries WHERE project_id = $1":                                                                     nil,
		"SELECT 1 FROM entries WHERE id = $1":                                                                             {"entries"},
		`SELECT 1 FROM "entries" AS "e" WHERE ("e"."project_id" = 1)`:                                                     nil,
		"SELECT 1 FROM entries e JOIN entry_index i ON i.entry_id = e.id WHERE e.project_id = $1":                         {"entry_index"},
		"SELECT 1 FROM entries e JOIN entry_index i ON i.project_id = e.project_id WHERE e.project_id = $1":               nil,
		"SELECT 1 FROM (SELECT id FROM entries WHERE id = 1) x WHERE project_id = $1":                                     {"entries"},
		"SELECT 1 FROM entries WHERE project_id = 1 AND EXISTS (SELECT 1 FROM entry_index i WHERE i.state = 0)":           {"entry_index"},
		"SELECT 1 FROM entries e WHERE e.project_id = 1 UNION ALL SELECT 1 FROM entries e WHERE e.id = 'project_id = $1'": {"entries"},
		"UPDATE entries SET project_id = $1 WHERE id = $2":                                                                {"entries"},
		"UPDATE entries AS e SET version = 1 WHERE (e.id = 1 AND e.project_id = 2)":                                       nil,
		"DELETE FROM entries WHERE project_id = $1":                                                                       nil,
		"DELETE FROM entries":                   {"entries"},
		"SELECT version, entries FROM counters": nil,
		"SELECT 1 FROM counters c, entries e WHERE c.project_id = $1 AND e.id = 1":                                         {"entries"},
		"INSERT INTO entries (project_id, id) VALUES ($1, $2) ON CONFLICT (project_id, id) DO UPDATE SET id = excluded.id": nil,
		"INSERT INTO entries (id) VALUES ($1)":                                                                             {"entries"},
		"INSERT INTO entries (project_id, id) SELECT project_id, entry_id FROM entry_index":                                {"entry_index"},
		"WITH few AS MATERIALIZED (SELECT id FROM entries WHERE project_id = $1) SELECT 1 FROM few":                        nil,
		"SELECT nextval('entry_ids')": nil,
	} {
		if got := unnamed(text, tables); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
