// Package media measures the cost of making picture renditions, one and eight concurrently, and
// of pictures in other sizes, compared with sharp, the package that content platforms on Node
// use. Each measurement is a process of its own. They alternate in one run, so compare the
// ratios.
package media

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core/rendition"
)

type options struct {
	rounds   int
	scale    float64
	pictures string
	sharp    string
	worker   string // path of a file; run as a measured process
	mime     string
	width    int
	format   string
	atOnce   int
	jobs     string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.rounds, "rounds", 5, "rounds; the median is reported")
	flags.Float64Var(&o.scale, "scale", 1, "factor for the sides of the pictures")
	flags.StringVar(&o.pictures, "pictures", "", "directory for the pictures; missing ones are drawn")
	flags.StringVar(&o.sharp, "sharp", "0.35.5", "version of sharp")
	flags.StringVar(&o.worker, "worker", "", "make the renditions of this file and print the cost (internal)")
	flags.StringVar(&o.mime, "mime", "", "media type of the file (internal)")
	flags.IntVar(&o.width, "width", 0, "make a picture of this width instead of the renditions (internal)")
	flags.StringVar(&o.format, "format", "", "format of that picture (internal)")
	flags.StringVar(&o.jobs, "jobs", "", "only jobs whose title contains this")
	flags.IntVar(&o.atOnce, "at-once", 1, "number of concurrent conversions (internal)")
	return func(ctx context.Context) error {
		if o.worker != "" {
			return work(ctx, o)
		}
		return bench(ctx, o)
	}
}

// cost is the result of one measurement.
type cost struct {
	Wall  float64 `json:"wall"`  // milliseconds for all concurrent conversions
	CPU   float64 `json:"cpu"`   // milliseconds of all processors
	Peak  float64 `json:"peak"`  // peak resident megabytes
	Bytes int     `json:"bytes"` // of the three renditions of one conversion
}

// contestant is one of the compared programs.
type contestant struct {
	name    string
	command func(j job) []string
}

// job is one measurement: the renditions of a picture, or the picture in another size.
type job struct {
	picture
	width  int // 0: the renditions
	format rendition.Format
	atOnce int
}

// jobs returns the renditions of all pictures, then the sizes of two of them, whose title contains text.
func jobs(pictures []picture, text string) (all []job) {
	for _, p := range pictures {
		for _, atOnce := range []int{1, 8} {
			all = append(all, job{picture: p, atOnce: atOnce})
		}
	}
	for _, p := range pictures {
		if !p.sizes {
			continue
		}
		for _, width := range []int{640, 1600, 3840} {
			for _, format := range []rendition.Format{rendition.JPEG, rendition.WebP} {
				j := job{picture: p, width: width, format: format, atOnce: 1}
				j.title += fmt.Sprintf(", to %d pixels as %s", width, format)
				all = append(all, j)
			}
		}
	}
	return slices.DeleteFunc(all, func(j job) bool { return !strings.Contains(j.title, text) })
}

func bench(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "imprimatur-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
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
	asked, results := jobs(pictures, o.jobs), map[key][]cost{}
	for round := range o.rounds {
		err := measureAll(ctx, dir, asked, contestants, results)
		if ctx.Err() != nil && round > 0 {
			break // interrupted: report the finished rounds
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, o.rounds)
	}
	printTable(os.Stdout, asked, contestants, results)
	return nil
}

// measureAll runs one round: every contestant in turn for every job, so that temporary load of
// the machine affects all of them.
func measureAll(ctx context.Context, dir string, asked []job, contestants []contestant, results map[key][]cost) error {
	for _, j := range asked {
		for _, c := range contestants {
			measured, err := measure(ctx, dir, c.command(j))
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.name, j.title, err)
			}
			k := key{j, c.name}
			results[k] = append(results[k], measured)
		}
	}
	return nil
}

//go:embed sharp.mjs
var sharpScript []byte

// prepare installs sharp.
func prepare(ctx context.Context, dir string, o options) ([]contestant, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ours := contestant{"ours", func(j job) []string {
		return []string{
			binary, "media", "-worker", j.file, "-mime", j.mimeType, "-at-once", strconv.Itoa(j.atOnce),
			"-width", strconv.Itoa(j.width), "-format", string(j.format),
		}
	}}
	script := filepath.Join(dir, "sharp.mjs")
	if err := os.WriteFile(script, sharpScript, 0o600); err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", dir, "sharp@"+o.sharp)
	if output, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm: %w\n%s", err, output)
	}
	sharp := contestant{"sharp", func(j job) []string {
		return []string{"node", script, j.file, strconv.FormatBool(j.alpha), strconv.Itoa(j.atOnce), strconv.Itoa(j.width), string(j.format)}
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
	job        job
	contestant string
}

// middle returns the median of each figure, and the highest peak.
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
