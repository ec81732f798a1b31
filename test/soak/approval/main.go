// Command approval is a soak test of the approval workflow with the real program:
// concurrent decisions, killed and suspended processes, and due publications, one by one
// and a thousand at once. It runs three processes on one Postgres, and one on SQLite, and
// prints a table of results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"imprimatur/test/postgrestest"
)

type options struct {
	rounds, clients, kills, schedules, burst, stops int
	engines, trials                                 string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 1000, "rounds of concurrent decisions")
	flag.IntVar(&o.clients, "clients", 8, "concurrent clients in each round")
	flag.IntVar(&o.kills, "kills", 30, "number of kills")
	flag.IntVar(&o.schedules, "schedules", 200, "publications whose lateness is measured")
	flag.IntVar(&o.burst, "burst", 1000, "publications that fall due at the same second")
	flag.IntVar(&o.stops, "stops", 4, "number of suspensions, and of kills, with due work")
	flag.StringVar(&o.engines, "engines", "postgres,sqlite", "engines to test")
	flag.StringVar(&o.trials, "trials", "race,crash,lateness,burst,failover", "trials to run")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// trial is one test. It returns a finding with its faults.
type trial struct {
	name string
	do   func(context.Context, *installation, options) (finding, error)
}

var trials = []trial{
	{"race", race}, {"crash", crash}, {"lateness", lateness}, {"burst", burst}, {"failover", failover},
}

// finding is a line of the table.
type finding struct {
	promise string // number and name of the promise
	result  string
	faults  []string
}

// report adds a fault.
func (f *finding) report(format string, args ...any) {
	if len(f.faults) < 20 {
		f.faults = append(f.faults, fmt.Sprintf(format, args...))
	}
}

var errFaults = errors.New("faults were found")

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "imprimatur-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	binary := filepath.Join(dir, "imprimatur")
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "imprimatur/app").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, output)
	}
	var table strings.Builder
	fmt.Fprint(&table, "| Promise | Engine, processes | Result | Faults |\n|---|---|---|---|\n")
	failed := false
	for _, engine := range strings.Split(o.engines, ",") {
		processes, database := 1, "sqlite:"+filepath.Join(dir, "soak.db")
		if engine == "postgres" {
			processes = 3
			if database, err = postgrestest.Database(ctx); err != nil {
				return err
			}
		}
		findings, err := runTrials(ctx, o, binary, filepath.Join(dir, engine), database, processes)
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		for _, f := range findings {
			fmt.Fprintf(&table, "| %s | %s, %d | %s | %d |\n", f.promise, engine, processes, f.result, len(f.faults))
			for _, fault := range f.faults {
				failed = true
				fmt.Fprintf(os.Stderr, "%s: %s: %s\n", engine, f.promise, fault)
			}
		}
	}
	fmt.Print(table.String())
	if failed {
		return errFaults
	}
	return nil
}

// runTrials runs the trials on a new installation.
func runTrials(ctx context.Context, o options, binary, dir, database string, processes int) ([]finding, error) {
	in, err := install(ctx, binary, dir, database, processes)
	defer in.stop()
	if err != nil {
		return nil, err
	}
	var findings []finding
	for _, t := range trials {
		if !slices.Contains(strings.Split(o.trials, ","), t.name) || t.name == "failover" && processes == 1 {
			continue
		}
		f, err := t.do(ctx, in, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s, %d: %s: %s; %d faults\n", filepath.Base(dir), processes, f.promise, f.result, len(f.faults))
		findings = append(findings, f)
	}
	return findings, nil
}
