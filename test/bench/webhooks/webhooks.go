// Package webhooks measures what webhooks cost a write: the time of a write in Projects with no, one and
// ten webhooks, on SQLite and on Postgres. The Projects take turns in short blocks, so that other work on
// the machine concerns all of them, and a block begins when the messages of the one before have arrived.
package webhooks

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"imprimatur/test/postgrestest"
)

type options struct {
	rounds, writes int
	gap            time.Duration
	engines        string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.rounds, "rounds", 40, "how many blocks of writes in each project")
	flags.IntVar(&o.writes, "writes", 25, "how many writes in a block")
	flags.DurationVar(&o.gap, "gap", 20*time.Millisecond, "time between the writes of a block; 0 measures writes beside all the work that the ones before cause")
	flags.StringVar(&o.engines, "engines", "sqlite,postgres", "databases of the program to measure")
	return func(ctx context.Context) error { return run(ctx, os.Stdout, o) }
}

// counts are the numbers of webhooks of the Projects.
var counts = []int{0, 1, 10}

// mostOfOne is the bound: the time of a write with one webhook, compared with none.
const mostOfOne = 1.05

var errBound = errors.New("one webhook costs more than 5 %")

func run(ctx context.Context, w io.Writer, o options) error {
	if err := os.Setenv("POSTGRESTEST_SYNC", "on"); err != nil { // for the server that the bench starts
		return err
	}
	dir, err := os.MkdirTemp("", "imprimatur-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	fmt.Fprint(w, "| Database | Webhooks | Median write, ms | 99 % | Median ratio to none, by round |\n|---|---|---|---|---|\n")
	var failed error
	for engine := range strings.SplitSeq(o.engines, ",") {
		database := "sqlite:" + filepath.Join(dir, "bench.db")
		if engine == "postgres" {
			if database, err = postgrestest.Database(ctx); err != nil {
				return err
			}
		}
		ratio, err := o.measure(ctx, w, engine, database)
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		if ratio > mostOfOne {
			failed = errBound
		}
	}
	return failed
}

// measure prints the rows of one database, and returns the ratio of one webhook to none.
func (o options) measure(ctx context.Context, w io.Writer, engine, database string) (ratio float64, err error) {
	var arrived atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNoContent)
		arrived.Add(1)
	}))
	defer receiver.Close()
	s, err := serve(ctx, database)
	defer s.stop()
	if err != nil {
		return 0, err
	}
	projects := make([]project, len(counts))
	for i, count := range counts {
		if projects[i], err = s.newProject(ctx, count, receiver.URL); err != nil {
			return 0, err
		}
	}
	took, ratios := make([][]time.Duration, len(counts)), make([][]float64, len(counts))
	expected := int64(0)
	for round := -1; round < o.rounds; round++ { // the first warms up
		medians := make([]time.Duration, len(counts))
		for n := range counts {
			kind := (n + round + len(counts)) % len(counts)
			block, err := projects[kind].write(ctx, o)
			if err != nil {
				return 0, err
			}
			expected += int64(o.writes * counts[kind])
			if err := await(ctx, func() bool { return arrived.Load() >= expected }); err != nil {
				return 0, fmt.Errorf("%d of %d messages: %w", arrived.Load(), expected, err)
			}
			if round >= 0 {
				medians[kind], took[kind] = middle(block), append(took[kind], block...)
			}
		}
		for kind := range counts {
			if round >= 0 {
				ratios[kind] = append(ratios[kind], float64(medians[kind])/float64(medians[0]))
			}
		}
	}
	for kind, count := range counts {
		sorted := slices.Sorted(slices.Values(took[kind]))
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f | × %.3f |\n", engine, count, milliseconds(middle(sorted)), milliseconds(sorted[len(sorted)*99/100]), middle(ratios[kind]))
	}
	return middle(ratios[1]), nil
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// middle returns the median.
func middle[T time.Duration | float64](all []T) T {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

// await polls until done, at most a minute.
func await(ctx context.Context, done func() bool) error {
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for !done() {
		select {
		case <-limited.Done():
			return limited.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}
