// Package dashboard measures the pages of the dashboard in the demo's World Desk with 100,000
// articles and 10,000 waiting requests: the time of their API calls, and in Chromium the time to
// interactive, the latency of keystrokes and the scrolling of a long table.
package dashboard

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"imprimatur/app/config"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/profiled"
	"imprimatur/test/postgrestest"
)

type options struct {
	articles int
	requests int
	runs     int
	engines  []string
	parts    []string
	pages    string
	profile  string
	chromium string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	var engines, parts string
	flags.IntVar(&o.articles, "articles", 100_000, "number of articles")
	flags.IntVar(&o.requests, "requests", 10_000, "number of those that wait for a decision")
	flags.IntVar(&o.runs, "runs", 20, "runs of the API calls of each page")
	flags.StringVar(&engines, "engines", "sqlite,postgres", "databases of the API calls; the browser uses the first")
	flags.StringVar(&parts, "parts", "interactive,typing,scrolling", "measurements in the browser, also preloading and members; may be empty")
	flags.StringVar(&o.pages, "pages", "", "only the pages with this text in their path")
	flags.StringVar(&o.profile, "profile", "", "directory for CPU profiles of the API calls, one per engine")
	flags.StringVar(&o.chromium, "chromium", "/usr/bin/chromium", "path of the browser")
	return func(ctx context.Context) error {
		o.engines = strings.Split(engines, ",")
		o.parts = strings.FieldsFunc(parts, func(r rune) bool { return r == ',' })
		return run(ctx, o)
	}
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "imprimatur-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	if o.requests > o.articles {
		return fmt.Errorf("-requests is %d, but must be at most -articles, %d", o.requests, o.articles)
	}
	for i, engine := range o.engines {
		cfg := config.Default()
		cfg.LogLevel = "error"
		switch engine {
		case "sqlite":
			cfg.DatabaseURL = "sqlite:" + filepath.Join(dir, "bench.db")
		case "postgres":
			if cfg.DatabaseURL, err = postgrestest.Database(ctx); err != nil {
				return err
			}
		default:
			return fmt.Errorf("unknown engine %q, want sqlite or postgres", engine)
		}
		parts := []string{"pages"}
		if i == 0 {
			parts = append(parts, o.parts...)
		}
		cfg.BlobURL = "file:" + filepath.Join(dir, engine)
		if err := measure(ctx, o, engine, cfg, dir, parts); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

// measure fills a database, starts the program on it, and prints the tables of the parts.
func measure(ctx context.Context, o options, engine string, cfg config.Config, dir string, parts []string) error {
	started := time.Now()
	f, err := fill(ctx, cfg, o.articles, o.requests)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %d articles after %.0f s\n", engine, o.articles, time.Since(started).Seconds())
	address, err := load.FreeAddress()
	if err != nil {
		return err
	}
	profiles, err := load.FreeAddress()
	if err != nil {
		return err
	}
	program := exec.CommandContext(ctx, os.Args[0], profiled.Command, profiles, "serve", "--secret-key", postgrestest.SecretKey, "--database-url", cfg.DatabaseURL, "--blob-url", cfg.BlobURL,
		"--listen", address, "--ops-listen", "127.0.0.1:0", "--log-level", "error")
	program.Stderr = os.Stderr
	if err := program.Start(); err != nil {
		return err
	}
	defer func() {
		_ = program.Process.Kill() // the process may have ended
		_ = program.Wait()
	}()
	countries := "/public/v2/projects/" + f.Projects.WorldDesk.UUID + "/collections/countries/entries"
	if err := load.Await(load.NewRequest(address, "GET", countries, f.Tokens.WorldDesk.ReadOnly, ""), time.Minute); err != nil {
		return err
	}
	f.BaseURL = "http://" + address
	for _, part := range parts {
		output, err := browse(ctx, o, f, dir, part)
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
		fmt.Printf("\n%s, %s; %d processors, load %s\n\n", engine, part, runtime.NumCPU(), loadAverage())
		if part != "pages" {
			fmt.Print(output)
			continue
		}
		var pages []page
		if err := json.Unmarshal([]byte(output), &pages); err != nil {
			return err
		}
		if err := callAll(ctx, o, f.BaseURL, profiles, engine, pages); err != nil {
			return err
		}
	}
	return nil
}

// web has the npm packages and the script that runs the browser.
const web = "adapters/dashboard/web"

// browse runs a part of the browser's script and returns what it prints.
func browse(ctx context.Context, o options, f facts, dir, part string) (string, error) {
	if _, err := os.Stat(filepath.Join(web, "node_modules")); err != nil {
		return "", fmt.Errorf("needs npm packages: run npm ci in %s", web)
	}
	text, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "facts.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return "", err
	}
	script := exec.CommandContext(ctx, "node", "bench/measure.mjs", part)
	script.Dir, script.Stderr = web, os.Stderr
	script.Env = append(os.Environ(), "FACTS="+path, "CHROMIUM="+o.chromium, "PAGES="+o.pages)
	output, err := script.Output()
	return string(output), err
}

// loadAverage returns the load of the machine in the last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
