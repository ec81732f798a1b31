// Package partitions measures the cost of hash partitions by project on Postgres. It stores
// the same articles of many projects in unpartitioned tables and in several numbers of
// partitions, each in a database of its own on one server, and alternates reads and writes
// through the program's stores.
package partitions

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"imprimatur/test/postgrestest"
)

type options struct {
	articles   int
	projects   int
	partitions []int
	rounds     int
	runs       int
	clients    int
	plans      bool
	postgres   string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	var partitions string
	flags.IntVar(&o.articles, "articles", 5000, "number of articles per project")
	flags.IntVar(&o.projects, "projects", 20, "number of projects")
	flags.StringVar(&partitions, "partitions", "1,4,16,64", "numbers of partitions to compare; 1 is an unpartitioned table")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds")
	flags.IntVar(&o.runs, "runs", 200, "runs of each read per round")
	flags.IntVar(&o.clients, "clients", 8, "concurrent connections that read pages")
	flags.BoolVar(&o.plans, "plans", false, "print the plan of a page in partitions")
	flags.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database on this machine; by default a server is started")
	return func(ctx context.Context) error {
		if err := o.parse(partitions); err != nil {
			return err
		}
		return run(ctx, o)
	}
}

func (o *options) parse(partitions string) error {
	for number := range strings.SplitSeq(partitions, ",") {
		n, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		o.partitions = append(o.partitions, n)
	}
	return nil
}

func run(ctx context.Context, o options) (err error) {
	if o.postgres == "" {
		if o.postgres, err = postgrestest.Database(ctx); err != nil {
			return err
		}
	}
	library, err := fill(ctx, o)
	if err != nil {
		return err
	}
	var subjects []*subject
	for _, n := range o.partitions {
		s, err := prepare(ctx, o, n)
		if err != nil {
			return fmt.Errorf("%d partitions: %w", n, err)
		}
		defer s.close()
		subjects = append(subjects, s)
	}
	for round := range o.rounds {
		for _, s := range subjects {
			if err := s.measureAll(ctx, o, library); err != nil {
				return fmt.Errorf("%d partitions: %w", s.partitions, err)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, o.rounds)
	}
	printTable(os.Stdout, o, subjects)
	if o.plans {
		return subjects[len(subjects)-1].explain(ctx, os.Stdout, library)
	}
	return nil
}
