package partitions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/ports"
	"imprimatur/test/bench/article"
)

// subject is one database of the comparison.
type subject struct {
	partitions int
	url        string
	converted  time.Duration
	one        *sqlstore.DB // on one connection

	runs  int
	cpu   map[string]float64   // total processor time of the server in ms, by work
	wall  map[string][]float64 // wall time of each run in ms, by work
	first []float64            // wall time of the first page on a connection in ms
	rate  []float64            // pages per second with concurrent clients
	size  float64              // memory of a server process after all reads in MB
}

func (s *subject) close() { _ = s.one.Close() }

// work is one measured operation, applied to the projects in turn.
type work struct {
	name string
	do   func(context.Context, ports.EntryStore, core.Schema, int64) error
}

var works = []work{
	{"newest 20", page(nil, "publishedOn")},
	{"filter + sort", page([]query.Predicate{
		{Field: &core.Field{Name: "category"}, Values: []core.Value{{Text: "cat07"}}},
		{Field: &core.Field{Name: "views"}, Op: query.OpGreater, Values: []core.Value{{Num: 50_000}}},
	}, "views")},
	{"one by id", func(ctx context.Context, entries ports.EntryStore, schema core.Schema, id int64) error {
		_, err := entries.Published(ctx, schema.Project.ID, schema.Collection.ID, id)
		return err
	}},
	{"total", func(ctx context.Context, entries ports.EntryStore, schema core.Schema, _ int64) error {
		_, err := entries.Count(ctx, selection(schema, nil, "id"))
		return err
	}},
	{"title contains", page([]query.Predicate{
		{Field: &core.Field{Name: "title"}, Op: query.OpLike, Values: []core.Value{{Text: article.Needle}}},
	}, "publishedOn")},
	{"update", func(ctx context.Context, entries ports.EntryStore, schema core.Schema, id int64) error {
		e, err := entries.Entry(ctx, schema.Project.ID, id)
		if err != nil {
			return err
		}
		e.Version++
		return entries.Update(ctx, schema, &e)
	}},
}

func page(where []query.Predicate, sort string) func(context.Context, ports.EntryStore, core.Schema, int64) error {
	return func(ctx context.Context, entries ports.EntryStore, schema core.Schema, _ int64) error {
		rows, _, err := entries.List(ctx, selection(schema, where, sort), false)
		if err == nil && len(rows) == 0 {
			err = errors.New("the page is empty")
		}
		return err
	}
}

// selection returns a selection of the schema's collection.
func selection(schema core.Schema, where []query.Predicate, sort string) query.Selection {
	sel := query.Selection{Schema: schema, Locale: schema.Project.DefaultLocale, Limit: 20}
	for _, c := range where {
		c.Field = schema.Collection.Field(c.Field.Name)
		sel.Where = append(sel.Where, c)
	}
	if f := schema.Collection.Field(sort); f != nil {
		sel.Sort = append(sel.Sort, query.SortKey{Field: f, Desc: true})
	}
	sel.Sort = append(sel.Sort, query.SortKey{Field: core.SystemID, Desc: true})
	return sel
}

// measureAll runs one round.
func (s *subject) measureAll(ctx context.Context, o options, l library) error {
	if err := s.connect(ctx, l); err != nil {
		return err
	}
	for _, w := range works {
		if err := s.measure(ctx, o, l, w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	s.runs += o.runs
	return s.readConcurrently(ctx, o, l)
}

// connect times the first page on a new connection, including planning.
func (s *subject) connect(ctx context.Context, l library) error {
	if err := s.one.Close(); err != nil {
		return err
	}
	var err error
	if s.one, err = postgres.Open(ctx, s.url, postgres.Options{Conns: 1}); err != nil {
		return err
	}
	if err := s.one.Ping(ctx); err != nil {
		return err
	}
	schema, id := l.schema(0)
	start := time.Now()
	err = works[0].do(ctx, s.one.Stores().Entries, schema, id)
	s.first = append(s.first, milliseconds(time.Since(start)))
	return err
}

func (s *subject) measure(ctx context.Context, o options, l library, w work) error {
	entries := s.one.Stores().Entries
	once := func(n int) error {
		schema, id := l.schema(n)
		return w.do(ctx, entries, schema, id)
	}
	for n := range 2 * len(l.schemas) { // warm up plans and caches
		if err := once(n); err != nil {
			return err
		}
	}
	processes, err := s.processes(ctx)
	if err != nil {
		return err
	}
	before := processorTime(processes)
	for n := range o.runs {
		start := time.Now()
		if err := once(n); err != nil {
			return err
		}
		s.wall[w.name] = append(s.wall[w.name], milliseconds(time.Since(start)))
	}
	s.cpu[w.name] += processorTime(processes) - before
	for _, pid := range processes {
		s.size = max(s.size, private(pid))
	}
	return nil
}

// readConcurrently reads pages on several connections concurrently.
func (s *subject) readConcurrently(ctx context.Context, o options, l library) error {
	db, err := postgres.Open(ctx, s.url, postgres.Options{Conns: o.clients})
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // only reads
	many := func(runs int) error {
		var readers errgroup.Group
		for reader := range o.clients {
			readers.Go(func() error {
				for n := range runs {
					schema, id := l.schema(reader + n)
					if err := works[0].do(ctx, db.Stores().Entries, schema, id); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return readers.Wait()
	}
	if err := many(20); err != nil {
		return err
	}
	start := time.Now()
	if err := many(o.runs); err != nil {
		return err
	}
	s.rate = append(s.rate, float64(o.clients*o.runs)/time.Since(start).Seconds())
	return nil
}

// processes returns the ids of the server processes of the connection.
func (s *subject) processes(ctx context.Context) ([]int, error) {
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx) //nolint:errcheck // only reads
	rows, err := conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'imprimatur'")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}

// processorTime returns the processor time of the processes in milliseconds.
func processorTime(processes []int) (ms float64) {
	for _, pid := range processes {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			continue // ended, or not supported by the system
		}
		nanoseconds, _, _ := strings.Cut(string(stat), " ")
		n, _ := strconv.ParseFloat(nanoseconds, 64)
		ms += n / 1e6
	}
	return ms
}

// private returns the unshared memory of a process in MB.
func private(pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kb, _ := strconv.ParseFloat(kilobytes, 64)
	return kb / 1024
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func printTable(w io.Writer, o options, subjects []*subject) {
	fmt.Fprintf(w, "%d articles in each of %d Projects, %d rounds of %d runs; ms of the server's processor for one, and in brackets the median of what the caller waited; × whole tables.\n\n| partitions |",
		o.articles, o.projects, o.rounds, o.runs)
	for _, work := range works {
		fmt.Fprintf(w, " %s |", work.name)
	}
	fmt.Fprintf(w, " first page | pages/s, %d at once | MB of a connection | made in s |\n|---|%s\n", o.clients, strings.Repeat("---|", len(works)+4))
	for _, s := range subjects {
		fmt.Fprintf(w, "| %d |", s.partitions)
		for _, work := range works {
			of := func(s *subject) float64 { return s.cpu[work.name] / float64(s.runs) }
			fmt.Fprintf(w, " %.3f (%.3f) × %.2f |", of(s), median(s.wall[work.name]), of(s)/of(subjects[0]))
		}
		fmt.Fprintf(w, " %.1f | %.0f | %.0f | %.1f |\n", median(s.first), median(s.rate), s.size, s.converted.Seconds())
	}
}

// explain prints the executed plan of a page.
func (s *subject) explain(ctx context.Context, w io.Writer, l library) error {
	schema, id := l.schema(0)
	var text string
	var args []any
	observed := sqldb.WithStatementObserver(ctx, func(t string, a []any) { text, args = t, a })
	if err := works[0].do(observed, s.one.Stores().Entries, schema, id); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // only reads
	list := make([]string, len(args))
	for i, arg := range args {
		list[i] = fmt.Sprint(arg)
	}
	if _, err := conn.Exec(ctx, "SET plan_cache_mode = force_generic_plan; SET enable_memoize = off; SET random_page_cost = 1.1; PREPARE page AS "+text); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE page ("+strings.Join(list, ", ")+")", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s\n\n```\n%s\n```\n", text, strings.Join(lines, "\n"))
	return err
}
