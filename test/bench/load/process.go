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

// CPU returns the processor time in milliseconds that the processes and their descendants
// have used so far. The resolution is a hundredth of a second.
func CPU(pids ...int) float64 {
	total := 0.0
	for _, p := range tree(pids) {
		total += p.ticks * 10
	}
	return total
}

// Memory returns the resident bytes of the processes and their descendants, and the sum of
// their peaks since [ForgetPeak].
func Memory(pids ...int) (now, peak int64) {
	for pid := range tree(pids) {
		resident, most, err := memoryOf(strconv.Itoa(pid))
		if err != nil {
			continue // the process has ended
		}
		now, peak = now+resident, peak+most
	}
	return now, peak
}

// OwnMemory returns the resident bytes of this process alone, and their peak since [ForgetOwnPeak].
func OwnMemory() (now, peak int64, err error) { return memoryOf("self") }

// ForgetOwnPeak resets the peak of this process.
func ForgetOwnPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// memoryOf returns the resident bytes of a process in /proc, and their peak.
func memoryOf(pid string) (now, peak int64, err error) {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "VmRSS:"):
			now = kilobytes(fields[1])
		case strings.HasPrefix(line, "VmHWM:"):
			peak = kilobytes(fields[1])
		}
	}
	return now, peak, err
}

func kilobytes(text string) int64 {
	count, _ := strconv.ParseInt(text, 10, 64) // always a number
	return count << 10
}

// ForgetPeak resets the peaks of the processes and their descendants.
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

// tree returns the processes and their descendants.
func tree(roots []int) map[int]process {
	all := map[int]process{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}
		var p process
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
		p.parent, _ = strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // user and system time, own and of ended children
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

// Postmaster returns the process id of a Postgres server's root process.
func Postmaster(ctx context.Context, databaseURL string) (int, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx) //nolint:errcheck // the result has been read
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
