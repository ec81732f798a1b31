// Command pressure is an overload test of the real program on Postgres and SQLite: ten
// times the load that it sustains, clients that send or read very slowly, uploads of
// pictures that need far more memory than it has, and thousands of connections that listen to changes. It prints a table of results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"imprimatur/test/postgrestest"
)

type options struct {
	articles, slow int
	listeners      int
	duration       time.Duration
	times          float64
	engines        string
	trials         string
	binary         string
}

func main() {
	var o options
	flag.IntVar(&o.articles, "articles", 20_000, "articles in the database")
	flag.DurationVar(&o.duration, "duration", 10*time.Second, "of each phase")
	flag.Float64Var(&o.times, "times", 10, "multiple of the sustained load")
	flag.IntVar(&o.slow, "slow", 500, "number of slow clients of each kind")
	flag.StringVar(&o.engines, "engines", "postgres,sqlite", "engines to test")
	flag.IntVar(&o.listeners, "listeners", 10_000, "connections that listen to changes; they and the program need as many files (ulimit -n)")
	flag.StringVar(&o.trials, "trials", "overload,slow,pictures,live", "trials to run")
	flag.StringVar(&o.binary, "binary", "", "path of the program if already built")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// finding is a line of the table.
type finding struct {
	what   string
	result string
	faults []string
}

// report adds a fault.
func (f *finding) report(format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, args...))
}

var errFaults = errors.New("faults were found")

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "imprimatur-pressure-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	if o.binary == "" {
		o.binary = filepath.Join(dir, "imprimatur")
		if output, err := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "imprimatur/app").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, output)
		}
	}
	var table strings.Builder
	fmt.Fprint(&table, "| Engine | Test | Result | Faults |\n|---|---|---|---|\n")
	failed := false
	for engine := range strings.SplitSeq(o.engines, ",") {
		database := "sqlite:" + filepath.Join(dir, "pressure.db")
		if engine == "postgres" {
			if database, err = postgrestest.Database(ctx); err != nil {
				return err
			}
		}
		findings, err := runTrials(ctx, o, dir, database)
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		for _, f := range findings {
			fmt.Fprintf(&table, "| %s | %s | %s | %d |\n", engine, f.what, f.result, len(f.faults))
			for _, fault := range f.faults {
				failed = true
				fmt.Fprintf(os.Stderr, "%s: %s: %s\n", engine, f.what, fault)
			}
		}
	}
	fmt.Print(table.String())
	if failed {
		return errFaults
	}
	return nil
}

// runTrials runs the trials on one process and one database.
func runTrials(ctx context.Context, o options, dir, database string) ([]finding, error) {
	p, err := start(ctx, o, dir, database)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	var findings []finding
	trials := map[string]func(context.Context, *program, options) ([]finding, error){"overload": overload, "slow": slowClients, "pictures": pictures, "live": live}
	for name := range strings.SplitSeq(o.trials, ",") {
		trial := trials[name]
		if trial == nil {
			return nil, fmt.Errorf("unknown trial %q", name)
		}
		some, err := trial(ctx, p, o)
		if err != nil {
			return nil, err
		}
		findings = append(findings, some...)
	}
	return findings, nil
}
