// Command bench has the benchmarks of the whole program. README.md has their figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"imprimatur/app/command"
	"imprimatur/test/bench/archive"
	"imprimatur/test/bench/capacity"
	"imprimatur/test/bench/dashboard"
	"imprimatur/test/bench/flat"
	"imprimatur/test/bench/imports"
	"imprimatur/test/bench/inbox"
	"imprimatur/test/bench/media"
	"imprimatur/test/bench/partitions"
	"imprimatur/test/bench/peers"
	"imprimatur/test/bench/profiled"
	"imprimatur/test/bench/read"
	"imprimatur/test/bench/reference"
	"imprimatur/test/bench/releases"
	"imprimatur/test/bench/start"
	"imprimatur/test/bench/webhooks"
	"imprimatur/test/bench/write"
)

// benches are the benchmarks. Each registers its flags and returns the function that runs it.
var benches = []struct {
	name, about string
	prepare     func(*flag.FlagSet) func(context.Context) error
}{
	{"read", "reads of 100,000 articles, REST and GraphQL, SQLite and Postgres, compared with a bare handler", read.Bench},
	{"write", "imported articles per second, and articles created through REST, compared with other platforms", write.Bench},
	{"webhooks", "writes in projects with no, one and ten webhooks, SQLite and Postgres", webhooks.Bench},
	{"flat", "reads and writes among few and many articles and collections, SQLite and Postgres", flat.Bench},
	{"start", "size of the program, seconds to readiness, memory at rest and under load", start.Bench},
	{"media", "picture renditions, one and eight at once, compared with sharp", media.Bench},
	{"inbox", "a reviewer's inbox among 1,000,000 approval requests on Postgres", inbox.Bench},
	{"releases", "submission and publication of releases of 10, 100 and 1,000 members, beside readers and editors, SQLite and Postgres", releases.Bench},
	{"dashboard", "pages of the dashboard among 100,000 articles: API calls, and Chromium", dashboard.Bench},
	{"capacity", "bytes of the database for each entry, version, event, delivery and file, SQLite and Postgres", capacity.Bench},
	{"archive", "time, memory and size of backups and restores, SQLite and Postgres", archive.Bench},
	{"imports", "time and memory of an import of a site from WordPress with its pictures, SQLite and Postgres", imports.Bench},
	{"partitions", "hash partitions by project on Postgres", partitions.Bench},
	{"peers", "the program compared with PocketBase, PostGraphile, Directus, Strapi and Payload", peers.Bench},
}

func main() {
	if len(os.Args) < 2 {
		usage()
	}
	name, args := os.Args[1], os.Args[2:]
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch { // servers that the benchmarks start
	case name == profiled.Command && len(args) > 0:
		os.Exit(profiled.Main(args[0], args[1:])) //nolint:gocritic // the program stops by itself
	case name == reference.Command && len(args) == 2:
		exit(reference.Main(ctx, args[0], args[1]))
	}
	command.ConfigureCollector() // imports in this process cost what they cost in the program
	for _, b := range benches {
		if b.name == name {
			flags := flag.NewFlagSet(name, flag.ExitOnError)
			run := b.prepare(flags)
			_ = flags.Parse(args) // it exits instead of returning an error
			exit(run(ctx))
		}
	}
	usage()
}

// exit ends the process.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: go run ./test/bench <benchmark> [flags]; -h lists the flags of a benchmark")
	for _, b := range benches {
		fmt.Fprintf(os.Stderr, "  %-11s %s\n", b.name, b.about)
	}
	os.Exit(2)
}
