// Command media measures what it takes to make the variants of pictures: one and
// eight at once, beside sharp, the package that Node's content platforms use, doing
// the same job. Each measurement is a process of its own, all in turn in the same
// run, so that what counts is the ratio between neighbours on the same machine.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

type options struct {
	rounds   int
	scale    float64
	pictures string
	sharp    string
	worker   string // a file: be the process that is measured
	mime     string
	atOnce   int
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "rounds; the median counts")
	flag.Float64Var(&o.scale, "scale", 1, "sides of the pictures, times this")
	flag.StringVar(&o.pictures, "pictures", "", "folder that keeps the pictures from run to run; they are drawn where they are missing")
	flag.StringVar(&o.sharp, "sharp", "0.35.5", "version of sharp")
	flag.StringVar(&o.worker, "worker", "", "make the variants of this file and print the cost (used by the bench itself)")
	flag.StringVar(&o.mime, "mime", "", "type of the file")
	flag.IntVar(&o.atOnce, "at-once", 1, "how many at once")
	flag.Parse()
	run := bench
	if o.worker != "" {
		run = work
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// cost is what one measurement took.
type cost struct {
	Wall  float64 `json:"wall"`  // milliseconds, of all at once together
	CPU   float64 `json:"cpu"`   // milliseconds of all processors
	Peak  float64 `json:"peak"`  // resident megabytes of the process at most
	Bytes int     `json:"bytes"` // of the three variants of one
}

// contestant does the job.
type contestant struct {
	name    string
	command func(p picture, atOnce int) []string
}

func bench(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "imprimatur-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	contestants, err := prepare(ctx, dir, o)
	if err != nil {
		return err
	}
	if o.pictures == "" {
		o.pictures = dir
	}
	pictures, err := draw(o.pictures, o.scale)
	if err != nil {
		return err
	}
	results := map[key][]cost{}
	for round := range o.rounds {
		err := measureAll(ctx, dir, pictures, contestants, results)
		if ctx.Err() != nil && round > 0 {
			break // told to stop: what there is counts
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, o.rounds)
	}
	printTable(os.Stdout, pictures, contestants, results)
	return nil
}

// measureAll is one round: every contestant in turn for every picture, so that a slow
// minute of the machine hits all of them.
func measureAll(ctx context.Context, dir string, pictures []picture, contestants []contestant, results map[key][]cost) error {
	for _, p := range pictures {
		for _, atOnce := range []int{1, 8} {
			for _, c := range contestants {
				measured, err := measure(ctx, dir, c.command(p, atOnce))
				if err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, p.title, err)
				}
				k := key{p.title, atOnce, c.name}
				results[k] = append(results[k], measured)
			}
		}
	}
	return nil
}

//go:embed sharp.mjs
var sharpScript []byte

// prepare builds ours, and installs sharp.
func prepare(ctx context.Context, dir string, o options) ([]contestant, error) {
	binary := filepath.Join(dir, "worker")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "imprimatur/test/bench/media")
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w\n%s", err, output)
	}
	ours := contestant{"ours", func(p picture, atOnce int) []string {
		return []string{binary, "-worker", p.file, "-mime", p.mimeType, "-at-once", strconv.Itoa(atOnce)}
	}}
	script := filepath.Join(dir, "sharp.mjs")
	if err := os.WriteFile(script, sharpScript, 0o600); err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", dir, "sharp@"+o.sharp)
	if output, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm: %w\n%s", err, output)
	}
	sharp := contestant{"sharp", func(p picture, atOnce int) []string {
		return []string{"node", script, p.file, strconv.FormatBool(p.alpha), strconv.Itoa(atOnce)}
	}}
	return []contestant{sharp, ours}, nil
}

func measure(ctx context.Context, dir string, command []string) (cost, error) {
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	process.Dir = dir
	output, err := process.Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return cost{}, fmt.Errorf("%w\n%s", err, failed.Stderr)
		}
		return cost{}, err
	}
	var c cost
	return c, json.Unmarshal(output, &c)
}

type key struct {
	picture    string
	atOnce     int
	contestant string
}

// middle is the median of each figure, but the highest peak.
func middle(costs []cost) cost {
	median := func(of func(cost) float64) float64 {
		values := make([]float64, len(costs))
		for i, c := range costs {
			values[i] = of(c)
		}
		slices.Sort(values)
		return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	}
	result := costs[0]
	result.Wall = median(func(c cost) float64 { return c.Wall })
	result.CPU = median(func(c cost) float64 { return c.CPU })
	for _, c := range costs {
		result.Peak = max(result.Peak, c.Peak)
	}
	return result
}
