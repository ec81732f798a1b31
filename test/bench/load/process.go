package load

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// CPU returns the milliseconds of processor time that the processes and all below them
// have used so far. The system counts in hundredths of a second.
func CPU(pids ...int) float64 {
	parents, ticks := map[int]int{}, map[int]float64{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
		parents[pid], _ = strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // user, system, and both of children that have ended
			count, _ := strconv.ParseFloat(field, 64)
			ticks[pid] += count
		}
	}
	total := 0.0
	for pid := range parents {
		if below(pid, pids, parents) {
			total += ticks[pid] * 10
		}
	}
	return total
}

// below tells whether pid is one of roots or a descendant of one.
func below(pid int, roots []int, parents map[int]int) bool {
	for ; pid > 1; pid = parents[pid] {
		for _, root := range roots {
			if pid == root {
				return true
			}
		}
	}
	return false
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
