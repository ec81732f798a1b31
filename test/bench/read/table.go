package read

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// printTable writes a row per target: the median rate of each query, the CPU per
// request, and the ratio to the target's base.
func printTable(w io.Writer, o options, targets []target, results map[key][]sample) error {
	fmt.Fprintf(w, "%d articles, %d connections, %d rounds of %s; requests/s (CPU ms per request, server + database; × the reference, cached × memory)\n\n", o.articles, o.clients, o.rounds, o.duration)
	fmt.Fprint(w, "| |")
	for _, q := range o.queries {
		fmt.Fprintf(w, " %s %s |", q.Name, q.Title)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(o.queries)))
	for _, t := range targets {
		fmt.Fprintf(w, "| %s |", t.name)
		for _, q := range o.queries {
			fmt.Fprintf(w, " %s |", cell(results[key{t.name, q.Name}], results[key{t.base, q.Name}]))
		}
		fmt.Fprintln(w)
	}
	return nil
}

func cell(samples, base []sample) string {
	if len(samples) == 0 {
		return "–"
	}
	m := median(samples)
	text := fmt.Sprintf("%.0f (%.3f", m.rate, m.cpu)
	if len(base) > 0 {
		text += fmt.Sprintf("; × %.2f", m.rate/median(base).rate)
	}
	return text + ")"
}

// median returns the sample of median rate.
func median(samples []sample) sample {
	sorted := slices.SortedFunc(slices.Values(samples), func(a, b sample) int {
		if a.rate < b.rate {
			return -1
		}
		return 1
	})
	return sorted[len(sorted)/2]
}
