package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// CPU returns the milliseconds of processor time that the processes and all below them
// have used so far. The system counts in hundredths of a second.
func CPU(pids ...int) float64 {
	total := 0.0
	for _, p := range tree(pids) {
		total += p.ticks * 10
	}
	return total
}

// Memory returns the bytes that the processes and all below them hold in memory now, and
// the most that each has held since [ForgetPeak], all added up.
func Memory(pids ...int) (now, peak int64) {
	for pid := range tree(pids) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // it has ended meanwhile
		}
		for line := range strings.Lines(string(status)) {
			fields := strings.Fields(line)
			switch {
			case strings.HasPrefix(line, "VmRSS:"):
				now += kilobytes(fields[1])
			case strings.HasPrefix(line, "VmHWM:"):
				peak += kilobytes(fields[1])
			}
		}
	}
	return now, peak
}

func kilobytes(text string) int64 {
	count, _ := strconv.ParseInt(text, 10, 64) // the system writes numbers
	return count << 10
}

// ForgetPeak has the peaks of the processes and all below them start from now.
func ForgetPeak(pids ...int) error {
	for pid := range tree(pids) {
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
			return err
		}
	}
	return nil
}

type process struct {
	parent int
	ticks  float64 // hundredths of a second of processor time
}

// tree returns the processes of those ids and all below them.
func tree(roots []int) map[int]process {
	all := map[int]process{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		var p process
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
		p.parent, _ = strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // user, system, and both of children that have ended
			count, _ := strconv.ParseFloat(field, 64)
			p.ticks += count
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		all[pid] = p
	}
	found := map[int]process{}
	for pid, p := range all {
		for above := pid; above > 1; above = all[above].parent {
			if slices.Contains(roots, above) {
				found[pid] = p
				break
			}
		}
	}
	return found
}

// Postmaster returns the process that has all of a Postgres server below it.
func Postmaster(ctx context.Context, databaseURL string) (int, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx) //nolint:errcheck // the answer is there
	var dir string
	if err := conn.QueryRow(ctx, "show data_directory").Scan(&dir); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}
