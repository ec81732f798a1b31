package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"imprimatur/app/command"
	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// programCommand runs the benchmark's binary as the program itself, which also serves its
// CPU profiles: bench program <address of the profiles> <arguments of the program>.
const programCommand = "program"

// beProgram runs the program with a profile server and returns its exit code.
func beProgram(profiles string, args []string) int {
	mux := http.NewServeMux()
	mux.HandleFunc("/profile", pprof.Profile)
	go func() {
		err := http.ListenAndServe(profiles, mux) //nolint:gosec // a bench on loopback needs no timeouts
		fmt.Fprintln(os.Stderr, "profiles:", err)
	}()
	return command.Main(append([]string{"imprimatur"}, args...))
}

// profile loads every query of the program once more, stores a CPU profile of each and
// prints the top functions.
func profile(ctx context.Context, w io.Writer, o options, targets []target) error {
	if err := os.MkdirAll(o.profile, 0o755); err != nil {
		return err
	}
	for _, t := range targets {
		if t.profiles == "" {
			continue
		}
		for _, query := range article.Queries {
			path := filepath.Join(o.profile, strings.ReplaceAll(t.name, " ", "-")+"-"+query.Name+".pprof")
			if err := profileOne(ctx, o, t, query, path); err != nil {
				return fmt.Errorf("profile of %s %s: %w", t.name, query.Name, err)
			}
			top, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-nodecount", "15", path).Output()
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "\n%s, %s %s (%s)\n\n%s", t.name, query.Name, query.Title, path, top)
		}
	}
	return nil
}

// profileOne stores a profile of one query under load, in whole seconds.
func profileOne(ctx context.Context, o options, t target, query article.Query, path string) error {
	seconds := max(int(o.duration.Seconds()), 1)
	loaded := make(chan error, 1)
	go func() {
		_, err := load.Run(t.requests[query.Name], o.clients, time.Duration(seconds)*time.Second+500*time.Millisecond)
		loaded <- err
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/profile?seconds=%d", t.profiles, seconds), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(file, answer.Body); err != nil {
		return err
	}
	return <-loaded
}
