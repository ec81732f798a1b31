// Command partitions measures the cost of hash partitions by project on Postgres. It stores
// the same articles of many projects in unpartitioned tables and in several numbers of
// partitions, each in a database of its own on one server, and alternates reads and writes
// through the program's stores.
package main

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

func main() {
	var o options
	var partitions string
	flag.IntVar(&o.articles, "articles", 5000, "number of articles per project")
	flag.IntVar(&o.projects, "projects", 20, "number of projects")
	flag.StringVar(&partitions, "partitions", "1,4,16,64", "numbers of partitions to compare; 1 is an unpartitioned table")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds")
	flag.IntVar(&o.runs, "runs", 200, "runs of each read per round")
	flag.IntVar(&o.clients, "clients", 8, "concurrent connections that read pages")
	flag.BoolVar(&o.plans, "plans", false, "print the plan of a page in partitions")
	flag.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database on this machine; by default a server is started")
	flag.Parse()
	err := o.parse(partitions)
	if err == nil {
		err = run(context.Background(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
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
