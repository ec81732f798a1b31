// Command events is a soak test of webhooks with the real program: three processes on one Postgres,
// writes at a steady rate, some of which are rolled back, kills of random processes, and five
// receivers, of which one never answers, one is slow, one answers 500 every third time and one 410.
//
// It first measures the time from a commit to the first byte at the healthy receiver, with and without
// the other four, in turns. Then it writes while it kills, lets the receivers recover, waits until all
// deliveries have ended, and compares what arrived with the events of the project.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"imprimatur/test/postgrestest"
)

type options struct {
	events, kills, rate, rounds, segment int
}

func main() {
	var o options
	flag.IntVar(&o.events, "events", 100_000, "events during the kills")
	flag.IntVar(&o.kills, "kills", 20, "number of kills")
	flag.IntVar(&o.rate, "rate", 60, "writes per second")
	flag.IntVar(&o.rounds, "rounds", 10, "rounds of measurements with and without failing receivers; 0 for none")
	flag.IntVar(&o.segment, "segment", 200, "writes of one measurement")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// The bounds.
const (
	mostMedian   = 150 * time.Millisecond // from a commit to the first byte
	most99       = time.Second
	mostSlowdown = 1.05 // of the healthy receiver by the others
)

var errFaults = errors.New("a bound does not hold")

// report collects the lines of the result.
type report struct{ faults []string }

// line prints one result. It is a fault if the bound does not hold.
func (r *report) line(holds bool, format string, args ...any) {
	mark, text := "ok  ", fmt.Sprintf(format, args...)
	if !holds {
		mark = "FAIL"
		r.faults = append(r.faults, text)
	}
	fmt.Println(mark, text)
}

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
	database, err := postgrestest.Database(ctx)
	if err != nil {
		return err
	}
	c, err := startCluster(ctx, binary, dir, database, 3)
	defer c.stop()
	if err != nil {
		return err
	}
	r := &report{}
	if err := slowdown(ctx, c, o, r); err != nil {
		return fmt.Errorf("slowdown: %w", err)
	}
	if err := kills(ctx, c, o, r); err != nil {
		return fmt.Errorf("kills: %w", err)
	}
	c.complaints()
	load, _ := os.ReadFile("/proc/loadavg") // empty on other systems
	fmt.Printf("     load of the machine at the end: %s", load)
	if len(r.faults) > 0 {
		return errFaults
	}
	return nil
}
