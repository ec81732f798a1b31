// Package start measures the start-up cost and memory of the program: the size of the
// binary, the seconds from execution to readiness on a migrated database, the memory at
// rest, and the peak memory under each query of the read benchmark.
package start

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

type options struct {
	articles int
	clients  int
	rounds   int
	rest     time.Duration
	duration time.Duration
	postgres string
	binary   string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.articles, "articles", 20_000, "number of articles")
	flags.IntVar(&o.clients, "clients", 16, "connections of the loader")
	flags.IntVar(&o.rounds, "rounds", 5, "starts; the median is reported")
	flags.DurationVar(&o.rest, "rest", 5*time.Second, "idle time before memory is measured")
	flags.DurationVar(&o.duration, "duration", 2*time.Second, "duration of the load of one query in one form")
	flags.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database; by default a server is started")
	flags.StringVar(&o.binary, "binary", "", "path of the program; by default it is built as for production")
	return func(ctx context.Context) error { return run(ctx, o) }
}

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "imprimatur-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	if o.binary == "" {
		o.binary = filepath.Join(dir, "imprimatur")
		if output, err := exec.CommandContext(ctx, "go", "tool", "task", "build", "OUTPUT="+o.binary).CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, output)
		}
	}
	if o.postgres == "" {
		if o.postgres, err = postgrestest.Database(ctx); err != nil {
			return err
		}
	}
	info, err := os.Stat(o.binary)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "\tstart s\tat rest MB\tpeak under load MB\tbinary MB")
	for _, engine := range []struct{ name, databaseURL string }{
		{"SQLite", "sqlite:" + filepath.Join(dir, "bench.db")},
		{"Postgres", o.postgres},
	} {
		f, err := measure(ctx, o, dir, engine.databaseURL)
		if err != nil {
			return fmt.Errorf("%s: %w", engine.name, err)
		}
		fmt.Fprintf(table, "%s\t%.3f\t%.1f\t%.1f\t%.1f\n", engine.name, f.start, f.rest, f.peak, float64(info.Size())/1e6)
	}
	return table.Flush()
}

// figures holds the results in seconds and megabytes.
type figures struct{ start, rest, peak float64 }

func measure(ctx context.Context, o options, dir, databaseURL string) (figures, error) {
	articles, err := site.Fill(ctx, databaseURL, o.articles)
	if err != nil {
		return figures{}, err
	}
	var starts, rests []float64
	var peak float64
	for round := range o.rounds {
		p, err := launch(o.binary, dir, databaseURL)
		if err != nil {
			return figures{}, err
		}
		starts = append(starts, p.started.Seconds())
		time.Sleep(o.rest)
		rests = append(rests, megabytes(p.memory()))
		if round == o.rounds-1 {
			peak, err = p.load(o, articles)
		}
		if err := errors.Join(err, p.stop()); err != nil {
			return figures{}, err
		}
	}
	return figures{median(starts), median(rests), peak}, nil
}

// process is the running program.
type process struct {
	command *exec.Cmd
	address string
	started time.Duration // from execution to readiness
}

func launch(binary, dir, databaseURL string) (*process, error) {
	address, err := load.FreeAddress()
	if err != nil {
		return nil, err
	}
	ops, err := load.FreeAddress()
	if err != nil {
		return nil, err
	}
	p := &process{address: address, command: exec.Command(binary, "serve", "--secret-key", postgrestest.SecretKey, "--log-level", "error", //nolint:noctx // ended by stop
		"--database-url", databaseURL, "--blob-url", "file:"+filepath.Join(dir, "blobs"), "--listen", address, "--ops-listen", ops)}
	p.command.Stderr = os.Stderr
	ready := load.NewRequest(ops, "GET", "/readyz", "", "")
	began := time.Now()
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	for time.Since(began) < time.Minute {
		if status, _, err := load.Once(ready); err == nil && status == 200 {
			p.started = time.Since(began)
			return p, nil
		}
		time.Sleep(time.Millisecond)
	}
	return nil, errors.Join(errors.New("the program does not become ready"), p.stop())
}

func (p *process) memory() int64 {
	now, _ := load.Memory(p.command.Process.Pid)
	return now
}

// load loads each query in both forms and returns the peak memory in megabytes.
func (p *process) load(o options, articles site.Site) (float64, error) {
	if err := load.ForgetPeak(p.command.Process.Pid); err != nil {
		return 0, err
	}
	rest, graphql := articles.REST(p.address), articles.GraphQL(p.address)
	for _, query := range article.Queries {
		for _, request := range []load.Request{rest[query.Name], graphql[query.Name]} {
			if _, err := load.Run(request, o.clients, o.duration); err != nil {
				return 0, fmt.Errorf("%s: %w", query.Name, err)
			}
		}
	}
	_, peak := load.Memory(p.command.Process.Pid)
	return megabytes(peak), nil
}

func (p *process) stop() error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.command.Wait()
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
