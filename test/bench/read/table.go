package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// printTable writes a row per target: the median rate of each query, the CPU per
// request, and the ratio to the reference.
func printTable(w io.Writer, o options, targets []target, results map[key][]sample) error {
	fmt.Fprintf(w, "%d articles, %d connections, %d rounds of %s; requests/s (CPU ms per request, server + database; × the reference)\n\n", o.articles, o.clients, o.rounds, o.duration)
	fmt.Fprint(w, "| |")
	for _, q := range queryNames {
		fmt.Fprintf(w, " %s %s |", q, queryTitles[q])
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(queryNames)))
	for _, t := range targets {
		fmt.Fprintf(w, "| %s |", t.name)
		for _, q := range queryNames {
			fmt.Fprintf(w, " %s |", cell(results[key{t.name, q}], results[key{referenceName, q}], t.name == referenceName))
		}
		fmt.Fprintln(w)
	}
	return nil
}

func cell(samples, reference []sample, isReference bool) string {
	if len(samples) == 0 {
		return "–"
	}
	m := median(samples)
	text := fmt.Sprintf("%.0f (%.3f", m.rate, m.cpu)
	if len(reference) > 0 && !isReference {
		text += fmt.Sprintf("; × %.2f", m.rate/median(reference).rate)
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

// cpuMilliseconds returns the CPU time that the processes and their children have
// used so far. /proc counts in hundredths of a second.
func cpuMilliseconds(pids []int) float64 {
	wanted := map[int]bool{}
	for _, pid := range pids {
		wanted[pid] = true
	}
	total := 0.0
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
		parent, _ := strconv.Atoi(fields[1])
		if !wanted[pid] && !wanted[parent] {
			continue
		}
		user, _ := strconv.ParseFloat(fields[11], 64)
		system, _ := strconv.ParseFloat(fields[12], 64)
		total += (user + system) * 10
	}
	return total
}
