package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/reference"
	"imprimatur/test/bench/site"
)

const referenceName = "reference"

// prepare fills the databases and starts the servers. stop is never nil.
func prepare(ctx context.Context, o options, binary string) (targets []target, stop func(), err error) {
	var running []*exec.Cmd
	stop = func() {
		for _, command := range running {
			_ = command.Process.Kill() // it may have ended
			_ = command.Wait()
		}
	}
	start := func(name string, args ...string) (int, error) {
		command := exec.CommandContext(ctx, name, args...)
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			return 0, err
		}
		running = append(running, command)
		return command.Process.Pid, nil
	}
	bare, err := prepareReference(ctx, o, start)
	if err != nil {
		return nil, stop, fmt.Errorf("reference: %w", err)
	}
	onPostgres, err := prepareOurs(ctx, o, "Postgres", o.postgres, binary, start)
	if err != nil {
		return nil, stop, fmt.Errorf("postgres: %w", err)
	}
	targets = append([]target{bare}, onPostgres...)
	postmaster, err := load.Postmaster(ctx, o.postgres)
	if err != nil {
		return nil, stop, err
	}
	for i := range targets {
		targets[i].pids = append(targets[i].pids, postmaster)
	}
	onSQLite, err := prepareOurs(ctx, o, "SQLite", "sqlite:"+filepath.Join(o.dir, "bench.db"), binary, start)
	if err != nil {
		return nil, stop, fmt.Errorf("sqlite: %w", err)
	}
	return append(targets, onSQLite...), stop, nil
}

type starter func(name string, args ...string) (pid int, err error)

func prepareReference(ctx context.Context, o options, start starter) (target, error) {
	if err := reference.Fill(ctx, o.postgres, o.articles); err != nil {
		return target{}, err
	}
	address, err := load.FreeAddress()
	if err != nil {
		return target{}, err
	}
	pid, err := start(os.Args[0], "-reference", address, "-postgres", o.postgres)
	if err != nil {
		return target{}, err
	}
	t := target{name: referenceName, pids: []int{pid}, requests: map[string]load.Request{}}
	for _, q := range article.Queries {
		t.requests[q.Name] = load.NewRequest(address, "GET", "/"+q.Name, "", "")
	}
	return t, load.Await(t.requests["Q3"], 10*time.Second)
}

// prepareOurs fills a database through the importer and serves it by the real
// program; REST and GraphQL are two targets on the one server.
func prepareOurs(ctx context.Context, o options, engine, databaseURL, binary string, start starter) ([]target, error) {
	started := time.Now()
	articles, err := site.Fill(ctx, databaseURL, o.articles)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%s: %d articles imported in %.1f s\n", engine, o.articles, time.Since(started).Seconds())
	address, err := load.FreeAddress()
	if err != nil {
		return nil, err
	}
	pid, err := start(binary, "serve", "--database-url", databaseURL, "--listen", address, "--ops-listen", "127.0.0.1:0", "--log-level", "error")
	if err != nil {
		return nil, err
	}
	rest := target{name: engine + " REST", pids: []int{pid}, requests: articles.REST(address)}
	graphql := target{name: engine + " GraphQL", pids: []int{pid}, requests: articles.GraphQL(address)}
	return []target{rest, graphql}, load.Await(rest.requests["Q3"], 10*time.Second)
}
