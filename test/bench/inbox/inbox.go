// Package inbox measures the cost of a reviewer's inbox on Postgres: the first page and the
// count of each list, and the summary, among few and among many requests of which the same
// number is pending. Each read is timed through the program's stores, and in the database as a
// prepared statement, with the plan.
package inbox

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core/review"
	"imprimatur/ports"
	"imprimatur/test/postgrestest"
)

type options struct {
	requests int
	pending  int
	runs     int
	plans    bool
	postgres string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.requests, "requests", 1_000_000, "total number of requests")
	flags.IntVar(&o.pending, "pending", 10_000, "number of pending requests")
	flags.IntVar(&o.runs, "runs", 300, "runs of each read; the median is reported")
	flags.BoolVar(&o.plans, "plans", false, "print the plans")
	flags.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database; by default a server is started")
	return func(ctx context.Context) error { return run(ctx, o) }
}

func run(ctx context.Context, o options) (err error) {
	if o.postgres == "" {
		if o.postgres, err = postgrestest.Database(ctx); err != nil {
			return err
		}
	}
	db, err := postgres.Open(ctx, o.postgres, postgres.Options{Conns: 2}) // a concurrent migration needs one more
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the program ends
	if err := db.Migrate(ctx); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, o.postgres)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the program ends
	for _, setting := range []string{
		"plan_cache_mode = force_generic_plan", "jit = off", "max_parallel_workers_per_gather = 0", // the program's settings
	} {
		if _, err := conn.Exec(ctx, "SET "+setting); err != nil {
			return err
		}
	}
	b := &bench{o: o, db: db, conn: conn}
	if b.people, err = createOrganisation(ctx, db.Stores()); err != nil {
		return err
	}
	return b.run(ctx)
}

// bench measures one database.
type bench struct {
	o      options
	db     *sqlstore.DB
	conn   *pgx.Conn
	people people
	rows   []row
}

// read is one of the reads of an inbox.
type read struct {
	name string
	do   func(context.Context, ports.InboxReader, review.Reach) error
}

var reads = []read{
	{"first page of 25", func(ctx context.Context, r ports.InboxReader, reach review.Reach) error {
		page, err := r.Inbox(ctx, review.InboxQuery{Reach: reach, Limit: 25})
		if err == nil && len(page) == 0 {
			err = errors.New("the page is empty")
		}
		return err
	}},
	{"newest first", func(ctx context.Context, r ports.InboxReader, reach review.Reach) error {
		_, err := r.Inbox(ctx, review.InboxQuery{Reach: reach, Limit: 25, Descending: true})
		return err
	}},
	{"offset 200", func(ctx context.Context, r ports.InboxReader, reach review.Reach) error {
		_, err := r.Inbox(ctx, review.InboxQuery{Reach: reach, Limit: 25, Offset: 200})
		return err
	}},
	{"count", func(ctx context.Context, r ports.InboxReader, reach review.Reach) error {
		_, err := r.InboxCount(ctx, review.InboxQuery{Reach: reach})
		return err
	}},
	{"submitted", page(review.InboxSubmitted)}, {"its count", count(review.InboxSubmitted)},
	{"scheduled", page(review.InboxScheduled)}, {"its count", count(review.InboxScheduled)},
	{"decided", page(review.InboxDecided)}, {"its count", count(review.InboxDecided)},
	{"summary", func(ctx context.Context, r ports.InboxReader, reach review.Reach) error {
		_, err := r.InboxSummary(ctx, reach)
		return err
	}},
}

// page returns the read of the first page of a list, the latest first.
func page(list review.InboxList) func(context.Context, ports.InboxReader, review.Reach) error {
	return func(ctx context.Context, r ports.InboxReader, reach review.Reach) error {
		_, err := r.Inbox(ctx, review.InboxQuery{List: list, Reach: reach, Limit: 25, Descending: true})
		return err
	}
}

// count returns the read of the size of a list.
func count(list review.InboxList) func(context.Context, ports.InboxReader, review.Reach) error {
	return func(ctx context.Context, r ports.InboxReader, reach review.Reach) error {
		_, err := r.InboxCount(ctx, review.InboxQuery{List: list, Reach: reach})
		return err
	}
}

// run measures with a tenth of the requests and with all of them, each before and after the
// first vacuum.
func (b *bench) run(ctx context.Context) error {
	for _, requests := range []int{b.o.requests / 10, b.o.requests} {
		start := time.Now()
		if err := b.fill(ctx, requests); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d requests after %.0f s\n", requests, time.Since(start).Seconds())
		for _, maintenance := range []string{"ANALYZE", "VACUUM ANALYZE"} {
			if _, err := b.conn.Exec(ctx, maintenance); err != nil {
				return err
			}
			for _, who := range b.people.reviewers() {
				for _, r := range reads {
					if err := b.measure(ctx, requests, maintenance, who, r); err != nil {
						return fmt.Errorf("%s of %s: %w", r.name, who.name, err)
					}
				}
			}
		}
	}
	return printTable(os.Stdout, b)
}
