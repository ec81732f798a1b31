// Package releases measures the submission and the publication of releases through the program's use cases, and the
// reads and draft writes beside them, on SQLite and Postgres.
package releases

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/test/postgrestest"
)

type options struct {
	members, engines, postgres, dir string

	rounds, text     int
	readers, editors int
	alone            time.Duration
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.StringVar(&o.members, "members", "10,100,1000", "numbers of members")
	flags.StringVar(&o.engines, "engines", "sqlite,postgres", "engines to measure")
	flags.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database; by default a server is started")
	flags.StringVar(&o.dir, "dir", "", "folder of the SQLite database; by default a temporary one")
	flags.IntVar(&o.rounds, "rounds", 7, "releases of each size, alone, and as many beside readers and editors")
	flags.IntVar(&o.text, "text", 490, "bytes of the long text of an article, about")
	flags.IntVar(&o.readers, "readers", 2, "clients that read lists of 20 published articles")
	flags.IntVar(&o.editors, "editors", 2, "clients that write drafts of another collection, with pauses")
	flags.DurationVar(&o.alone, "alone", 5*time.Second, "how long clients are measured without a release")
	return func(ctx context.Context) error { return run(ctx, o) }
}

func run(ctx context.Context, o options) (err error) {
	sizes, err := sizesOf(o.members)
	if err != nil {
		return err
	}
	if o.dir == "" {
		var remove func()
		if o.dir, remove, err = temporary(); err != nil {
			return err
		}
		defer remove()
	}
	fmt.Println("| | Members | Sealed | Submit | Approve and publish | First lock to commit | Memory of submission, publication (× sealed) | p99 of reads, alone → beside | p99 of drafts, alone → beside |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for engine := range strings.SplitSeq(o.engines, ",") {
		database := "sqlite:" + filepath.Join(o.dir, "releases.db")
		switch engine {
		case "sqlite":
		case "postgres":
			if database = o.postgres; database == "" {
				if database, err = postgrestest.Database(ctx); err != nil {
					return err
				}
			}
		default:
			return fmt.Errorf("no engine %q", engine)
		}
		if err := measure(ctx, o, engine, database, sizes); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

// sizesOf returns the numbers in a list.
func sizesOf(list string) (sizes []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("members: %q is no number from 1", text)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// measure measures all sizes on one database.
func measure(ctx context.Context, o options, engine, database string, sizes []int) error {
	d, stop, err := open(ctx, database, slices.Max(sizes), o.text)
	if err != nil {
		return err
	}
	defer stop()
	alone, err := d.clients(ctx, o, func(*windows) error { return wait(ctx, o.alone) })
	if err != nil {
		return err
	}
	for _, size := range sizes {
		var quiet []result
		for range o.rounds {
			r, err := d.round(ctx, size, true, nil)
			if err != nil {
				return err
			}
			quiet = append(quiet, r)
		}
		beside, err := d.clients(ctx, o, func(w *windows) error {
			for range o.rounds {
				if _, err := d.round(ctx, size, false, w); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		of := func(value func(result) time.Duration) string { return milliseconds(median(quiet, value)) }
		sealed := quiet[0].sealed
		fmt.Printf("| %s | %d | %.2f MB | %s | %s | %s | %s, %s | %s → %s | %s → %s |\n", engine, size, float64(sealed)/1e6,
			of(func(r result) time.Duration { return r.submit }), of(func(r result) time.Duration { return r.approve }), of(func(r result) time.Duration { return r.locked }),
			times(slices.MaxFunc(quiet, func(a, b result) int { return int(a.submitMemory - b.submitMemory) }).submitMemory, sealed),
			times(slices.MaxFunc(quiet, func(a, b result) int { return int(a.approveMemory - b.approveMemory) }).approveMemory, sealed),
			p99(alone.reads), p99(beside.reads), p99(alone.drafts), p99(beside.drafts))
	}
	return nil
}

// times returns bytes of memory, and how often they are those of what was sealed.
func times(memory, sealed int64) string {
	return fmt.Sprintf("%.1f MB (× %.1f)", float64(memory)/1e6, float64(memory)/float64(sealed))
}

func median(all []result, value func(result) time.Duration) time.Duration {
	list := make([]time.Duration, len(all))
	for i, r := range all {
		list[i] = value(r)
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// p99 returns the 99th percentile of samples and their number.
func p99(samples []sample) string {
	if len(samples) == 0 {
		return "none"
	}
	list := make([]time.Duration, len(samples))
	for i, s := range samples {
		list[i] = s.took
	}
	slices.Sort(list)
	return fmt.Sprintf("%s (%d)", milliseconds(list[(len(list)-1)*99/100]), len(list))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1e3) }
