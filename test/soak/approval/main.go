// Command approval wears out the approval workflow of the real program: decisions
// that race, processes that are killed or stopped, publications that fall due, one by
// one and a thousand at once. It runs three processes on one Postgres, and one on
// SQLite, and prints what came of it as a table.
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
	flag.IntVar(&o.rounds, "rounds", 1000, "rounds of racing decisions")
	flag.IntVar(&o.clients, "clients", 8, "clients that race in each round")
	flag.IntVar(&o.kills, "kills", 30, "how often a process is killed")
	flag.IntVar(&o.schedules, "schedules", 200, "publications whose lateness is measured")
	flag.IntVar(&o.burst, "burst", 1000, "publications that fall due at the same second")
	flag.IntVar(&o.stops, "stops", 4, "how often a process with due work is stopped, and killed")
	flag.StringVar(&o.engines, "engines", "postgres,sqlite", "which engines")
	flag.StringVar(&o.trials, "trials", "race,crash,lateness,burst,failover", "which trials")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// trial is one way to wear the program out. It returns what it saw; what must not be
// is a fault of the finding.
type trial struct {
	name string
	do   func(context.Context, *installation, options) (finding, error)
}

var trials = []trial{
	{"race", race}, {"crash", crash}, {"lateness", lateness}, {"burst", burst}, {"failover", failover},
}

// finding is a line of the table.
type finding struct {
	promise string // number and name
	saw     string
	faults  []string
}

// fault notes something that must not be.
func (f *finding) fault(format string, args ...any) {
	if len(f.faults) < 20 {
		f.faults = append(f.faults, fmt.Sprintf(format, args...))
	}
}

var errFaults = errors.New("not everything held")

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "imprimatur-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	binary := filepath.Join(dir, "imprimatur")
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "imprimatur/app").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, output)
	}
	var table strings.Builder
	fmt.Fprint(&table, "| Promise | on | What was seen | Faults |\n|---|---|---|---|\n")
	failed := false
	for _, engine := range strings.Split(o.engines, ",") {
		processes, database := 1, "sqlite:"+filepath.Join(dir, "soak.db")
		if engine == "postgres" {
			processes = 3
			if database, err = postgrestest.Database(ctx); err != nil {
				return err
			}
		}
		findings, err := wear(ctx, o, binary, filepath.Join(dir, engine), database, processes)
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		for _, f := range findings {
			fmt.Fprintf(&table, "| %s | %s, %d | %s | %d |\n", f.promise, engine, processes, f.saw, len(f.faults))
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

// wear runs the trials on an installation of its own.
func wear(ctx context.Context, o options, binary, dir, database string, processes int) ([]finding, error) {
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
		fmt.Fprintf(os.Stderr, "%s, %d: %s: %s; %d faults\n", filepath.Base(dir), processes, f.promise, f.saw, len(f.faults))
		findings = append(findings, f)
	}
	return findings, nil
}
