// Command read measures reads on 100,000 articles: REST and GraphQL, on SQLite and
// Postgres, with the cache of answers and without it. Beside them are a bare handler
// that writes the bytes of one prepared query, and one that has those bytes in memory.
// All run as processes of their own, loaded in turn in the same run, so that what
// counts is the ratio between neighbours on the same machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/reference"
	"imprimatur/test/postgrestest"
)

type options struct {
	articles int
	clients  int
	rounds   int
	duration time.Duration
	postgres string
	servers  []string
	profile  string // folder
	dir      string
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == programCommand {
		os.Exit(beProgram(os.Args[2], os.Args[3:]))
	}
	var o options
	var chosen, bare string
	flag.IntVar(&o.articles, "articles", 100_000, "how many articles")
	flag.IntVar(&o.clients, "clients", 16, "connections of the loader")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds; the median counts")
	flag.DurationVar(&o.duration, "duration", 4*time.Second, "of one load")
	flag.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database; when empty, a server of its own is started")
	flag.StringVar(&chosen, "servers", strings.Join(serverNames, ","), "which servers to measure")
	flag.StringVar(&o.profile, "profile", "", "folder for CPU profiles of the program, one for each query; the top of each is printed")
	flag.StringVar(&bare, "reference", "", "serve the reference on this address (the bench starts itself so)")
	flag.Parse()
	o.servers = strings.Split(chosen, ",")
	if err := run(context.Background(), o, bare); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, bare string) error {
	if bare != "" {
		listener, err := net.Listen("tcp", bare) //nolint:noctx // a short command
		if err != nil {
			return err
		}
		return reference.Serve(ctx, o.postgres, listener)
	}
	for _, name := range o.servers {
		if !slices.Contains(serverNames, name) {
			return fmt.Errorf("no server %q; there are %s", name, strings.Join(serverNames, ", "))
		}
	}
	dir, err := os.MkdirTemp("", "imprimatur-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
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

// target is one server with its form of each query.
type target struct {
	name     string
	base     string // the target that it is told as multiples of
	pids     []int  // the server and, where there is one, its database
	profiles string // address of its profiles, when there are any
	requests map[string]load.Request
}

type key struct{ target, query string }

// sample is one load: requests per second, and CPU milliseconds per request of the
// server and its database together.
type sample struct{ rate, cpu float64 }

// measure loads every query of every target in turn, round by round, so that a slow
// minute of the machine hits all of them.
func measure(o options, targets []target) (map[key][]sample, error) {
	results := map[key][]sample{}
	for round := range o.rounds {
		for _, query := range article.Queries {
			for _, t := range targets {
				r := t.requests[query.Name]
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
