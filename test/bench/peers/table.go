package peers

import (
	"fmt"
	"io"
	"strings"

	"imprimatur/test/bench/article"
)

// printTables writes Markdown tables: the rate of each server relative to the reference
// with its cost, and the resources it needs.
func printTables(w io.Writer, b *bench, queries []article.Query, results map[key][]sample) {
	fmt.Fprintf(w, "%d articles, %d connections, %d rounds of %s; × the reference's requests/s just before (requests/s; CPU ms per request, server + database)\n\n", len(b.all), b.clients, b.rounds, b.duration)
	fmt.Fprint(w, "| |")
	for _, q := range queries {
		fmt.Fprintf(w, " %s %s |", q.Name, q.Title)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(queries)))
	for _, s := range b.servers {
		for _, f := range s.forms {
			fmt.Fprintf(w, "| %s |", s.title(f))
			for _, q := range queries {
				samples := results[key{s.title(f), q.Name}]
				if len(samples) == 0 {
					fmt.Fprint(w, " – |")
					continue
				}
				m := median(samples)
				fmt.Fprintf(w, " %s (%s; %s) |", ratioText(m.ratio), rateText(m.rate), cpuText(m.cpu))
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprint(w, "\n| | version | cold start s | idle MB | peak MB under load | installed MB |\n|---|---|---|---|---|---|\n")
	for _, s := range b.servers[1:] {
		fmt.Fprintf(w, "| %s | %s | %.2f | %d | %d | %d |\n", s.name, s.version, s.coldStart.Seconds(), s.idle>>20, s.peak>>20, s.installed/1e6)
	}
}

// ratioText, rateText and cpuText format numbers with the significant digits.
func ratioText(ratio float64) string {
	switch {
	case ratio >= 10:
		return fmt.Sprintf("%.0f", ratio)
	case ratio >= 0.1:
		return fmt.Sprintf("%.2f", ratio)
	}
	return fmt.Sprintf("%.3f", ratio)
}

func rateText(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}

func cpuText(ms float64) string {
	if ms >= 10 {
		return fmt.Sprintf("%.0f", ms)
	}
	return fmt.Sprintf("%.2f", ms)
}
