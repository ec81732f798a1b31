// Package peers compares the program with similar platforms, each with the same 100,000
// articles and the same queries on the same machine: requests per second, processor
// time and memory, relative to a bare handler measured at the same time. The installed
// platforms are kept in a directory for later runs.
package peers

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/postgrestest"
)

var allQueries = slices.Concat(article.Queries, article.Related, article.Whole)

type options struct {
	peers    string
	queries  string
	rounds   int
	duration time.Duration
	clients  int
	articles int
	dir      string
	plot     string

	hold     bool
	postgres string // URL of the Postgres server of the run
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.StringVar(&o.peers, "peers", strings.Join(peerNames(), ","), "platforms to compare with")
	flags.StringVar(&o.queries, "queries", strings.Join(queryNames(), ","), "queries to measure")
	flags.IntVar(&o.rounds, "rounds", 2, "rounds; the median is reported")
	flags.DurationVar(&o.duration, "duration", 2*time.Second, "duration of one load; the reference load before each is half as long")
	flags.IntVar(&o.clients, "clients", 16, "connections of the loader")
	flags.IntVar(&o.articles, "articles", 100_000, "number of articles")
	flags.StringVar(&o.dir, "dir", "var/peers", "directory to install the peers in, kept for later runs")
	flags.StringVar(&o.plot, "plot", "", "file to write the plot to, an SVG")
	flags.BoolVar(&o.hold, "hold", false, "start the peers, print them as JSON and keep them until the end of the standard input (for other benches)")
	return func(ctx context.Context) error { return run(ctx, o) }
}

func run(ctx context.Context, o options) error {
	queries, err := chosen(o.queries)
	if err != nil {
		return err
	}
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.stop()
	if o.hold {
		return b.hold(ctx, strings.Split(o.peers, ","))
	}
	if err := b.bringUp(ctx, strings.Split(o.peers, ",")); err != nil {
		return err
	}
	results, err := b.measure(ctx, queries)
	if err != nil {
		return err
	}
	printTables(os.Stdout, b, queries, results)
	if o.plot == "" {
		return nil
	}
	return writePlot(o.plot, b, queries, results)
}

func queryNames() []string {
	names := make([]string, len(allQueries))
	for i, q := range allQueries {
		names[i] = q.Name
	}
	return names
}

// chosen returns the queries with the given names, in their usual order.
func chosen(names string) ([]article.Query, error) {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		wanted[name] = true
	}
	var queries []article.Query
	for _, q := range allQueries {
		if wanted[q.Name] {
			queries = append(queries, q)
		}
		delete(wanted, q.Name)
	}
	for name := range wanted {
		return nil, fmt.Errorf("unknown query %q", name)
	}
	return queries, nil
}

// newBench starts the shared Postgres server and generates the articles.
func newBench(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o, numbers: map[string]int{}}
	var err error
	if b.postgres, err = postgrestest.Database(ctx); err != nil {
		return nil, err
	}
	if err := b.locate(ctx); err != nil {
		return nil, err
	}
	return b, article.Each(o.articles, func(a article.Article) error {
		b.numbers[a.Slug] = len(b.all)
		b.all = append(b.all, a)
		return nil
	})
}
