package read

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/profiled"
)

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
		for _, query := range o.queries {
			if _, has := t.requests[query.Name]; !has {
				continue
			}
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
	if err := profiled.Save(ctx, t.profiles, seconds, path); err != nil {
		return err
	}
	return <-loaded
}
