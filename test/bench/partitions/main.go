// Command partitions measures what it costs on Postgres to keep content in hash
// partitions by Project: the same articles of many Projects in tables that are whole
// and in several numbers of partitions, each a database of its own on one server, read
// and written through the program's stores in turn.
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
	flag.IntVar(&o.articles, "articles", 5000, "how many articles each Project has")
	flag.IntVar(&o.projects, "projects", 20, "how many Projects there are")
	flag.StringVar(&partitions, "partitions", "1,4,16,64", "how many partitions to compare; 1 is a table that is whole")
	flag.IntVar(&o.rounds, "rounds", 5, "how often every database has its turn")
	flag.IntVar(&o.runs, "runs", 200, "runs of one read in a turn")
	flag.IntVar(&o.clients, "clients", 8, "connections that read pages at once")
	flag.BoolVar(&o.plans, "plans", false, "print the plan of a page in partitions")
	flag.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database on this machine; when empty, a server of its own is started")
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
			if err := s.turn(ctx, o, library); err != nil {
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
