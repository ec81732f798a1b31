// Package read measures reads of 100,000 articles by REST and GraphQL, on SQLite and
// Postgres, with and without the read cache. It compares them with a bare handler that
// writes the bytes of one prepared query, and one that writes the same bytes from memory.
// Each server is a process of its own, and loads alternate in one run, so compare the
// ratios.
package read

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
	"imprimatur/test/postgrestest"
)

var allQueries = slices.Concat(article.Queries, article.Hops, article.Related, article.Whole)

type options struct {
	articles int
	clients  int
	rounds   int
	duration time.Duration
	postgres string
	servers  []string
	queries  []article.Query
	profile  string // directory
	dir      string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	var chosen, asked string
	flags.IntVar(&o.articles, "articles", 100_000, "number of articles")
	flags.IntVar(&o.clients, "clients", 16, "connections of the loader")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds; the median is reported")
	flags.DurationVar(&o.duration, "duration", 4*time.Second, "duration of one load")
	flags.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database; by default a server is started")
	flags.StringVar(&chosen, "servers", strings.Join(serverNames, ","), "servers to measure")
	flags.StringVar(&asked, "queries", "", "queries to measure, such as Q1,Q7.1; empty: all")
	flags.StringVar(&o.profile, "profile", "", "directory for CPU profiles of the program, one per query; the top of each is printed")
	return func(ctx context.Context) error {
		o.servers = strings.Split(chosen, ",")
		o.queries = slices.DeleteFunc(slices.Clone(allQueries), func(q article.Query) bool {
			return asked != "" && !slices.Contains(strings.Split(asked, ","), q.Name)
		})
		return run(ctx, o)
	}
}

func run(ctx context.Context, o options) error {
	for _, name := range o.servers {
		if !slices.Contains(serverNames, name) {
			return fmt.Errorf("unknown server %q, want one of %s", name, strings.Join(serverNames, ", "))
		}
	}
	dir, err := os.MkdirTemp("", "imprimatur-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	o.dir = dir
	if o.postgres == "" {
		if o.postgres, err = postgrestest.Database(ctx); err != nil {
			return err
		}
	}
	targets, stop, err := prepare(ctx, o)
	defer stop()
	if err != nil {
		return err
	}
	results, err := measure(o, targets)
	if err != nil {
		return err
	}
	if err := printTable(os.Stdout, o, targets, results); err != nil || o.profile == "" {
		return err
	}
	return profile(ctx, os.Stdout, o, targets)
}

// target is one server with its requests.
type target struct {
	name     string
	base     string // the target that its figures are compared with
	pids     []int  // the server and its database, if any
	profiles string // address of its CPU profiles, if any
	requests map[string]load.Request
}

type key struct{ target, query string }

// sample is the result of one load: requests per second, and CPU milliseconds per request
// of the server and its database.
type sample struct{ rate, cpu float64 }

// measure loads every query of every target in turn, round by round, so that temporary load
// of the machine affects all of them.
func measure(o options, targets []target) (map[key][]sample, error) {
	results := map[key][]sample{}
	for round := range o.rounds {
		for _, query := range o.queries {
			for _, t := range targets {
				r, has := t.requests[query.Name]
				if !has {
					continue
				}
				if round == 0 {
					if _, err := load.Run(r, o.clients, time.Second); err != nil { // warm up
						return nil, fmt.Errorf("%s %s: %w", t.name, query.Name, err)
					}
				}
				before := load.CPU(t.pids...)
				result, err := load.Run(r, o.clients, o.duration)
				if err != nil {
					return nil, fmt.Errorf("%s %s: %w", t.name, query.Name, err)
				}
				s := sample{result.Rate(), (load.CPU(t.pids...) - before) / float64(result.Requests)}
				results[key{t.name, query.Name}] = append(results[key{t.name, query.Name}], s)
				fmt.Fprintf(os.Stderr, "round %d  %s  %-24s %9.0f/s  %.3f ms CPU\n", round+1, query.Name, t.name, s.rate, s.cpu)
			}
		}
	}
	return results, nil
}
