package dashboard

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"imprimatur/test/bench/profiled"
)

// page is a page of the dashboard with the API calls that it made in the browser.
type page struct {
	Name   string
	Cookie string
	Calls  []string // paths with queries
}

// callAll repeats the calls of each page, one after the other, and prints a row for each page.
// With a profile directory, it then repeats all of them for a CPU profile.
func callAll(ctx context.Context, o options, base, profiles, engine string, pages []page) error {
	fmt.Println("| page | calls | ms, median · p95 | slowest call | ms, median · p95 |\n|---|---|---|---|---|")
	for _, p := range pages {
		if len(p.Calls) == 0 {
			return fmt.Errorf("the page %s made no API call", p.Name)
		}
		sums := make([]float64, o.runs)
		slowest, slowestTimes := "", []float64{0}
		for _, path := range p.Calls {
			var took []float64
			for run := range o.runs {
				ms, err := call(ctx, base+path, p.Cookie)
				if err != nil {
					return err
				}
				took = append(took, ms)
				sums[run] += ms
			}
			if at(took, 50) > at(slowestTimes, 50) {
				slowest, slowestTimes = path, took
			}
		}
		fmt.Printf("| %s | %d | %.1f · %.1f | %s | %.1f · %.1f |\n", p.Name, len(p.Calls), at(sums, 50), at(sums, 95), strings.ReplaceAll(slowest, "|", `\|`), at(slowestTimes, 50), at(slowestTimes, 95))
	}
	if o.profile == "" {
		return nil
	}
	return profile(ctx, o, base, profiles, engine, pages)
}

// profile saves a CPU profile of 10 s of calls.
func profile(ctx context.Context, o options, base, profiles, engine string, pages []page) error {
	if err := os.MkdirAll(o.profile, 0o755); err != nil { //nolint:gosec // profiles are not secret
		return err
	}
	saved := make(chan error, 1)
	go func() { saved <- profiled.Save(ctx, profiles, 10, filepath.Join(o.profile, engine+".pprof")) }()
	for {
		for _, p := range pages {
			for _, path := range p.Calls {
				select {
				case err := <-saved:
					return err
				default:
				}
				if _, err := call(ctx, base+path, p.Cookie); err != nil {
					return err
				}
			}
		}
	}
}

// call sends one request and returns the milliseconds until its response is read.
func call(ctx context.Context, url, cookie string) (float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Cookie", cookie)
	start := time.Now()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // read completely
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("GET %s answered %d: %.200s", url, response.StatusCode, body)
	}
	return float64(time.Since(start).Microseconds()) / 1000, err
}

// at returns a percentile.
func at(values []float64, percent int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}
