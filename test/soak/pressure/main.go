// Command pressure asks more of the real program than it can do: ten times the load
// that it holds, and clients that send or take as slowly as they can, on Postgres and
// on SQLite. It uploads pictures that would take far more memory than it has. It prints what came of it as a table.
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
	flag.Float64Var(&o.times, "times", 10, "how many times the load that is held")
	flag.IntVar(&o.slow, "slow", 500, "slow clients of each kind")
	flag.StringVar(&o.engines, "engines", "postgres,sqlite", "which engines")
	flag.StringVar(&o.trials, "trials", "overload,slow,pictures", "what to try")
	flag.StringVar(&o.binary, "binary", "", "the program, when it is built already")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// finding is a line of the table.
type finding struct {
	what   string
	saw    string
	faults []string
}

// fault notes something that must not be.
func (f *finding) fault(format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, args...))
}

var errFaults = errors.New("not everything held")

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "imprimatur-pressure-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	if o.binary == "" {
		o.binary = filepath.Join(dir, "imprimatur")
		if output, err := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "imprimatur/app").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, output)
		}
	}
	var table strings.Builder
	fmt.Fprint(&table, "| on | What | What was seen | Faults |\n|---|---|---|---|\n")
	failed := false
	for engine := range strings.SplitSeq(o.engines, ",") {
		database := "sqlite:" + filepath.Join(dir, "pressure.db")
		if engine == "postgres" {
			if database, err = postgrestest.Database(ctx); err != nil {
				return err
			}
		}
		findings, err := press(ctx, o, dir, database)
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		for _, f := range findings {
			fmt.Fprintf(&table, "| %s | %s | %s | %d |\n", engine, f.what, f.saw, len(f.faults))
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

// press puts one process on one database under pressure.
func press(ctx context.Context, o options, dir, database string) ([]finding, error) {
	p, err := start(ctx, o, dir, database)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	var findings []finding
	trials := map[string]func(context.Context, *program, options) ([]finding, error){"overload": overload, "slow": slowClients, "pictures": pictures}
	for name := range strings.SplitSeq(o.trials, ",") {
		trial := trials[name]
		if trial == nil {
			return nil, fmt.Errorf("there is no trial %q", name)
		}
		some, err := trial(ctx, p, o)
		if err != nil {
			return nil, err
		}
		findings = append(findings, some...)
	}
	return findings, nil
}
