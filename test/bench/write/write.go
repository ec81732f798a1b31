// Package write measures writes on SQLite, on Postgres and on other platforms: articles per second
// through the importer, drafts and published articles created through REST by one and by several
// clients, the time of an autosave, and the time of an import beside editors of the same entries.
package write

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"imprimatur/test/bench/load"
	"imprimatur/test/bench/peers"
)

type options struct {
	articles int
	writes   int
	changed  int
	clients  string
	engines  string
	postgres string
	peers    string
	profile  string
	refilled bool
	inserted bool
	dir      string // temporary
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.articles, "articles", 100_000, "how many articles to import")
	flags.IntVar(&o.writes, "writes", 2000, "how many writes of each kind; 0: only the import")
	flags.IntVar(&o.changed, "changed", 5000, "how many articles to import again beside editors; 0: none")
	flags.BoolVar(&o.refilled, "refill", false, "also index all articles again beside editors, as after an upgrade")
	flags.BoolVar(&o.inserted, "inserts", false, "also insert the rows of the import by prepared statements, 1,000 articles in a transaction; all rows are in memory")
	flags.StringVar(&o.clients, "clients", "1,16", "numbers of clients that write at the same time")
	flags.StringVar(&o.engines, "engines", "sqlite,postgres", "databases of the program to measure")
	flags.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database; when empty, the bench starts a server, which syncs its files")
	flags.StringVar(&o.peers, "peers", "", "platforms to compare with: pocketbase, "+peers.Guaranteed+" (synced, every field indexed), directus")
	flags.StringVar(&o.profile, "profile", "", "folder to write CPU profiles of the program to")
	return func(ctx context.Context) error { return run(ctx, os.Stdout, o) }
}

func run(ctx context.Context, w io.Writer, o options) (err error) {
	loads, err := o.loads()
	if err != nil {
		return err
	}
	if err := os.Setenv("POSTGRESTEST_SYNC", "on"); err != nil { // for the servers that the bench starts
		return err
	}
	if o.writes == 0 {
		loads = nil
	}
	if o.dir, err = os.MkdirTemp("", "imprimatur-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir) //nolint:errcheck // a temporary folder
	targets, stop, err := o.bringUp(ctx)
	defer stop()
	if err != nil {
		return err
	}
	rows := make([][]string, len(targets))
	for i, t := range targets {
		rows[i] = []string{t.name, t.imported, t.inserted}
	}
	for n, l := range loads {
		for i, t := range targets {
			cell, err := o.measure(ctx, t, n, l)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", t.name, l.title(), err)
			}
			rows[i] = append(rows[i], cell)
		}
	}
	for i, t := range targets {
		cell, err := o.autosave(t)
		if err != nil {
			return fmt.Errorf("%s, autosave: %w", t.name, err)
		}
		rows[i] = append(rows[i], cell)
		if cell, err = o.importBeside(ctx, t); err != nil {
			return fmt.Errorf("%s, import beside editors: %w", t.name, err)
		}
		rows[i] = append(rows[i], cell)
		if cell, err = o.refill(ctx, t); err != nil {
			return fmt.Errorf("%s, refill: %w", t.name, err)
		}
		rows[i] = append(rows[i], cell)
	}
	header := []string{"1/s (CPU ms each)", "import", "inserts of the same rows"}
	for _, l := range loads {
		header = append(header, l.title())
	}
	header = append(header, "autosave, 1 client: median and p99 in ms",
		fmt.Sprintf("import of %d changes alone and beside %d editors in s; their saves: median and p99 in ms", o.changed, editors),
		"refill of the index in s; saves alone and beside it: median and p99 in ms")
	printTable(w, header, rows)
	return printSyncs(w, o.dir)
}

// writeLoad is one load: a number of clients that create articles concurrently.
type writeLoad struct {
	published bool
	clients   int
}

func (l writeLoad) title() string {
	what, clients := "draft", "clients"
	if l.published {
		what = "create and publish"
	}
	if l.clients == 1 {
		clients = "client"
	}
	return fmt.Sprintf("%s, %d %s", what, l.clients, clients)
}

func (o options) loads() ([]writeLoad, error) {
	var loads []writeLoad
	for _, published := range []bool{false, true} {
		for clients := range strings.SplitSeq(o.clients, ",") {
			n, err := strconv.Atoi(clients)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("clients: %q is not a positive number", clients)
			}
			loads = append(loads, writeLoad{published, n})
		}
	}
	return loads, nil
}

// measure applies the nth load to t.
func (o options) measure(ctx context.Context, t target, n int, l writeLoad) (string, error) {
	requests, err := o.requests(t, fmt.Sprint(n), l.published)
	if err != nil {
		return "", err
	}
	warm := len(requests) / 10
	if _, err := load.RunAll(requests[:warm], l.clients, t.status); err != nil {
		return "", err
	}
	finish := func() error { return nil }
	if o.profile != "" && t.profiles != "" {
		finish = startProfile(ctx, t.profiles, o.profilePath(t.name+"-"+l.title()))
	}
	server, database := load.CPU(t.server), load.CPU(t.databases...)
	result, err := load.RunAll(requests[warm:], l.clients, t.status)
	if err != nil {
		return "", err
	}
	server, database = load.CPU(t.server)-server, load.CPU(t.databases...)-database
	cell := fmt.Sprintf("%.0f (%.2f", result.Rate(), server/float64(result.Requests))
	if len(t.databases) > 0 {
		cell += fmt.Sprintf(" + %.2f", database/float64(result.Requests))
	}
	return cell + ")", finish()
}

// autosave changes one draft repeatedly, as the dashboard does. Each change extends the latest
// revision.
func (o options) autosave(t target) (cell string, err error) {
	if t.change == nil || o.writes == 0 {
		return "", nil
	}
	requests := make([]load.Request, o.writes)
	for i := range requests {
		if requests[i], err = t.change(strings.Repeat("One more sentence of the draft. ", 1+i%20) + strconv.Itoa(i)); err != nil {
			return "", err
		}
	}
	took, err := load.Latencies(requests, http.StatusOK)
	if err != nil {
		return "", err
	}
	milliseconds := func(share int) float64 { return took[len(took)*share/100].Seconds() * 1000 }
	return fmt.Sprintf("%.2f, %.2f", milliseconds(50), milliseconds(99)), nil
}

func printTable(w io.Writer, header []string, rows [][]string) {
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(header)
	fmt.Fprintln(w, strings.Repeat("|---", len(header))+"|")
	for _, row := range rows {
		line(row)
	}
}
