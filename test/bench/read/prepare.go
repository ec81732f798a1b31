package read

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"imprimatur/test/bench/load"
	"imprimatur/test/bench/profiled"
	"imprimatur/test/bench/reference"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

// Names of the servers.
const (
	bareServer     = "reference"
	memoryServer   = "memory"
	postgresServer = "postgres"
	sqliteServer   = "sqlite"
	cached         = "-cached"
)

var serverNames = []string{
	bareServer, memoryServer, postgresServer, postgresServer + cached, sqliteServer, sqliteServer + cached,
}

// cacheMB is the program's default cache size.
const cacheMB = 32

// prepare fills the databases and starts the selected servers. stop is never nil.
func prepare(ctx context.Context, o options) (targets []target, stop func(), err error) {
	b := &builder{options: o}
	postmaster, err := load.Postmaster(ctx, o.postgres)
	if err != nil {
		return nil, b.stop, err
	}
	for _, engine := range []struct {
		server, name, url string
		pids              []int
	}{
		{postgresServer, "Postgres", o.postgres, []int{postmaster}},
		{sqliteServer, "SQLite", "sqlite:" + filepath.Join(o.dir, "bench.db"), nil},
	} {
		if !o.has(engine.server) && !o.has(engine.server+cached) {
			continue
		}
		started := time.Now()
		articles, err := site.Fill(ctx, engine.url, o.articles)
		if err != nil {
			return nil, b.stop, fmt.Errorf("%s: %w", engine.server, err)
		}
		if err := articles.Relate(ctx, engine.url, o.articles/10); err != nil {
			return nil, b.stop, fmt.Errorf("%s: %w", engine.server, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %d articles imported in %.1f s\n", engine.name, o.articles, time.Since(started).Seconds())
		if o.has(engine.server) {
			err = b.ours(ctx, engine.name, bareServer, engine.url, 0, articles, engine.pids)
		}
		if err == nil && o.has(engine.server+cached) {
			err = b.ours(ctx, engine.name+" cached", memoryServer, engine.url, cacheMB, articles, engine.pids)
		}
		if err != nil {
			return nil, b.stop, fmt.Errorf("%s: %w", engine.server, err)
		}
	}
	// The program migrates only a database without foreign tables.
	if o.has(bareServer) || o.has(memoryServer) {
		if err := b.reference(ctx, postmaster); err != nil {
			return nil, b.stop, fmt.Errorf("reference: %w", err)
		}
	}
	return b.targets, b.stop, nil
}

func (o options) has(server string) bool { return slices.Contains(o.servers, server) }

// builder starts servers.
type builder struct {
	options
	running []*exec.Cmd
	targets []target
}

func (b *builder) start(ctx context.Context, args ...string) (pid int, err error) {
	command := exec.CommandContext(ctx, os.Args[0], args...)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		return 0, err
	}
	b.running = append(b.running, command)
	return command.Process.Pid, nil
}

func (b *builder) stop() {
	for _, command := range b.running {
		_ = command.Process.Kill() // the process may have ended
		_ = command.Wait()
	}
}

// reference fills the table of the reference and starts the two bare handlers.
func (b *builder) reference(ctx context.Context, postmaster int) error {
	if err := reference.Fill(ctx, b.postgres, b.articles); err != nil {
		return err
	}
	address, err := load.FreeAddress()
	if err != nil {
		return err
	}
	pid, err := b.start(ctx, reference.Command, address, b.postgres)
	if err != nil {
		return err
	}
	bare := target{name: bareServer, pids: []int{pid, postmaster}, requests: map[string]load.Request{}}
	memory := target{name: memoryServer, pids: []int{pid}, requests: map[string]load.Request{}}
	for _, q := range allQueries {
		bare.requests[q.Name] = load.NewRequest(address, "GET", "/"+q.Name, "", "")
		memory.requests[q.Name] = load.NewRequest(address, "GET", "/memory/"+q.Name, "", "")
	}
	for _, t := range []target{memory, bare} {
		if b.has(t.name) {
			b.targets = slices.Insert(b.targets, 0, t)
		}
	}
	return load.Await(bare.requests["Q3"], 10*time.Second)
}

// ours starts the program; REST and GraphQL are two targets of the same server.
func (b *builder) ours(ctx context.Context, name, base, databaseURL string, cacheMB int, articles site.Site, pids []int) error {
	address, err := load.FreeAddress()
	if err != nil {
		return err
	}
	profiles, err := load.FreeAddress()
	if err != nil {
		return err
	}
	pid, err := b.start(ctx, profiled.Command, profiles,
		"serve", "--secret-key", postgrestest.SecretKey, "--database-url", databaseURL, "--listen", address, "--ops-listen", "127.0.0.1:0",
		"--log-level", "error", "--read-cache-mb", strconv.Itoa(cacheMB))
	if err != nil {
		return err
	}
	ours := target{base: base, pids: append([]int{pid}, pids...), profiles: profiles}
	rest, graphql := ours, ours
	rest.name, rest.requests = name+" REST", articles.REST(address)
	graphql.name, graphql.requests = name+" GraphQL", articles.GraphQL(address)
	b.targets = append(b.targets, rest, graphql)
	return load.Await(rest.requests["Q3"], 10*time.Second)
}
