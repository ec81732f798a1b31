// Command write measures writes on SQLite and Postgres: articles a second through the
// importer, the back-fill of a field that is indexed later, and one create, one update and
// one publish after the other through REST.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/content"
	"imprimatur/ports"
	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

type options struct {
	articles int
	writes   int
	postgres string
	engines  string
	profile  string
	clients  string
	dir      string // temporary
	binary   string // the program
}

func main() {
	var o options
	flag.IntVar(&o.articles, "articles", 100_000, "how many articles to import")
	flag.IntVar(&o.writes, "writes", 500, "how many single writes of each kind; the median counts")
	flag.StringVar(&o.postgres, "postgres", "", "URL of an empty Postgres database; when empty, a server of its own is started, which does not sync its files")
	flag.StringVar(&o.engines, "engines", "postgres,sqlite", "which databases to write to")
	flag.StringVar(&o.profile, "profile", "", "folder to keep a CPU profile of each import in")
	flag.StringVar(&o.clients, "clients", "1,16", "how many clients write at once, one number after the other")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.dir, err = os.MkdirTemp("", "imprimatur-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir) //nolint:errcheck // a temporary folder
	if o.postgres == "" && strings.Contains(o.engines, "postgres") {
		if o.postgres, err = postgrestest.Database(ctx); err != nil {
			return err
		}
	}
	o.binary = filepath.Join(o.dir, "imprimatur")
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "imprimatur/app").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, output)
	}
	fmt.Printf("| | import: articles/s | program: CPU µs each | database: CPU µs each | back-fill of a slot: s | CPU µs each | longest batch ms | of searches: s | CPU µs each | longest batch ms | create: ms | CPU ms | update: ms | CPU ms | publish: ms | CPU ms")
	for clients := range strings.SplitSeq(o.clients, ",") {
		fmt.Printf(" | drafts by %[1]s: 1/s | CPU ms | published by %[1]s: 1/s | CPU ms", clients)
	}
	fmt.Printf(" |\n|---%s|\n", strings.Repeat("|---", 15+4*len(strings.Split(o.clients, ","))))
	for engine := range strings.SplitSeq(o.engines, ",") {
		if err := o.engine(ctx, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

func (o options) engine(ctx context.Context, name string) error {
	switch name {
	case "sqlite":
		return o.measure(ctx, "SQLite", "sqlite:"+filepath.Join(o.dir, "bench.db"))
	case "postgres":
		postmaster, err := load.Postmaster(ctx, o.postgres)
		if err != nil {
			return err
		}
		return o.measure(ctx, "Postgres", o.postgres, postmaster)
	default:
		return errors.New("no such engine")
	}
}

// measure prints a row of the table. servers are the processes of the database, if any.
func (o options) measure(ctx context.Context, name, databaseURL string, servers ...int) error {
	s, err := o.fill(ctx, name, databaseURL, servers)
	if err != nil {
		return err
	}
	if err := o.backfills(ctx, databaseURL, s, servers); err != nil {
		return err
	}
	w, stop, err := o.serve(ctx, databaseURL, s, servers)
	if err != nil {
		return err
	}
	defer stop()
	bodies := o.bodies("one", "")
	ids := make([]int64, len(bodies))
	for _, kind := range []struct {
		method string
		path   func(i int) string
		body   func(i int) string
	}{
		{"POST", func(int) string { return "" }, func(i int) string { return bodies[i] }},
		{"PATCH", func(i int) string { return fmt.Sprint("/", ids[i]) }, func(i int) string { return fmt.Sprintf(`{"fields":{"views":%d}}`, 1_000_000+i) }},
		{"PATCH", func(i int) string { return fmt.Sprint("/", ids[i]) }, func(int) string { return `{"published":true}` }},
	} {
		if err := w.each(len(bodies), func(i int) (load.Request, *int64) {
			return load.NewRequest(w.address, kind.method, w.entries+kind.path(i), w.token, kind.body(i)), &ids[i]
		}); err != nil {
			return err
		}
	}
	for clients := range strings.SplitSeq(o.clients, ",") {
		n, err := strconv.Atoi(clients)
		if err != nil || n < 1 {
			return fmt.Errorf("clients: %q is not a number of them", clients)
		}
		for _, kind := range []struct{ name, more string }{{"drafts", ""}, {"published", `,"published":true`}} {
			if err := w.atOnce(n, o.bodies(kind.name+clients, kind.more)); err != nil {
				return err
			}
		}
	}
	fmt.Println(" |")
	return nil
}

// fill imports the articles.
func (o options) fill(ctx context.Context, name, databaseURL string, servers []int) (site.Site, error) {
	if o.profile != "" {
		file, err := os.Create(filepath.Join(o.profile, name+".pprof"))
		if err != nil {
			return site.Site{}, err
		}
		defer file.Close() //nolint:errcheck // what is missing of a profile is seen when it is read
		if err := pprof.StartCPUProfile(file); err != nil {
			return site.Site{}, err
		}
		defer pprof.StopCPUProfile()
	}
	spent := func() (program, database float64) { return load.CPU(os.Getpid()), load.CPU(servers...) }
	began := time.Now()
	program, database := spent()
	s, err := site.Fill(ctx, databaseURL, o.articles)
	took, each := time.Since(began).Seconds(), 1000/float64(o.articles)
	programNow, databaseNow := spent()
	fmt.Printf("| %s | %.0f | %.0f | %.0f", name, float64(o.articles)/took, (programNow-program)*each, (databaseNow-database)*each)
	return s, err
}

// backfills has a field of all articles indexed, and the texts of another one searchable,
// and prints how long each takes.
func (o options) backfills(ctx context.Context, databaseURL string, s site.Site, servers []int) error {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = databaseURL, "error"
	var stores ports.Stores
	var collections *content.Collections
	stop, err := service.Use(ctx, cfg, &stores, &collections)
	if err != nil {
		return err
	}
	defer stop()
	project, err := stores.Projects.ProjectByUUID(ctx, s.UUID)
	if err != nil {
		return err
	}
	all, err := stores.Collections.Collections(ctx, project.ID)
	if err != nil {
		return err
	}
	// The slot that this one leaves is what the next one gets: every row is to change.
	if _, err := collections.UpdateField(ctx, core.Actor{System: true}, project, all[0].ID, "rating", content.FieldInput{Indexed: new(false)}); err != nil {
		return err
	}
	for _, change := range []struct {
		field    string
		from, to content.FieldInput
	}{
		{"featured", content.FieldInput{Indexed: new(false)}, content.FieldInput{}},
		{"category", content.FieldInput{}, content.FieldInput{Searchable: true}},
	} {
		for _, in := range []content.FieldInput{change.from, change.to} {
			if _, err := collections.UpdateField(ctx, core.Actor{System: true}, project, all[0].ID, change.field, in); err != nil {
				return err
			}
		}
		pids := append(slices.Clone(servers), os.Getpid())
		began, spent, longest := time.Now(), load.CPU(pids...), time.Duration(0)
		for did := true; did; {
			batch := time.Now()
			if did, err = collections.Backfill(ctx); err != nil {
				return err
			}
			longest = max(longest, time.Since(batch))
		}
		fmt.Printf(" | %.1f | %.0f | %d", time.Since(began).Seconds(), (load.CPU(pids...)-spent)*1000/float64(o.articles), longest.Milliseconds())
	}
	return nil
}

// bodies are those of new articles, none of which was imported or has a slug that begins with
// another series; more goes on after the fields.
func (o options) bodies(series, more string) []string {
	var bodies []string
	_ = article.Each(o.writes, func(a article.Article) error { // it only fails when this does
		a.Slug = "new-" + series + "-" + a.Slug
		fields, err := json.Marshal(a)
		bodies = append(bodies, `{"fields":`+string(fields)+more+`}`)
		return err
	})
	return bodies
}

// writer is a served site that may be written to.
type writer struct {
	address, entries, token string
	pids                    []int // of the server and its database
}

func (o options) serve(ctx context.Context, databaseURL string, s site.Site, servers []int) (writer, func(), error) {
	w := writer{entries: "/public/v2/projects/" + s.UUID + "/collections/articles/entries"}
	abilities := []string{"--ability", "read", "--ability", "create", "--ability", "update"}
	output, err := exec.CommandContext(ctx, o.binary, append([]string{"token", "create", "--database-url", databaseURL, "--log-level", "error",
		"--project", s.UUID, "--name", "writer"}, abilities...)...).Output()
	if err != nil {
		return w, nil, fmt.Errorf("token: %w", err)
	}
	w.token = strings.TrimSpace(string(output))
	if w.address, err = load.FreeAddress(); err != nil {
		return w, nil, err
	}
	server := exec.CommandContext(ctx, o.binary, "serve", "--database-url", databaseURL, "--blob-url", "mem://", "--listen", w.address,
		"--ops-listen", "127.0.0.1:0", "--log-level", "error", "--rate-limit", "0")
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return w, nil, err
	}
	stop := func() {
		_ = server.Process.Kill() // it may have ended
		_ = server.Wait()
	}
	w.pids = append(slices.Clone(servers), server.Process.Pid)
	if err := load.Await(load.NewRequest(w.address, "GET", w.entries, w.token, ""), 30*time.Second); err != nil {
		stop()
		return w, nil, err
	}
	return w, stop, nil
}

// each sends count writes one after the other, notes the id of the entry that each
// answers, and prints the median time and the mean CPU time of one.
func (w writer) each(count int, write func(i int) (load.Request, *int64)) error {
	times := make([]float64, count)
	spent := load.CPU(w.pids...)
	for i := range count {
		request, id := write(i)
		began := time.Now()
		status, body, err := load.Once(request)
		if err != nil {
			return err
		}
		times[i] = float64(time.Since(began).Microseconds()) / 1000
		if status != 200 && status != 201 {
			return fmt.Errorf("status %d: %.300s", status, body)
		}
		var answer struct{ ID int64 }
		if err := json.Unmarshal(body, &answer); err != nil {
			return err
		}
		*id = answer.ID
	}
	slices.Sort(times)
	fmt.Printf(" | %.2f | %.2f", times[count/2], (load.CPU(w.pids...)-spent)/float64(count))
	return nil
}

// atOnce has so many clients create entries, and prints how many a second they were and the
// mean CPU time of one.
func (w writer) atOnce(clients int, bodies []string) error {
	next, faults := make(chan string), make(chan error, clients)
	began, spent := time.Now(), load.CPU(w.pids...)
	for range clients {
		go func() {
			for body := range next {
				status, answer, err := load.Once(load.NewRequest(w.address, "POST", w.entries, w.token, body))
				if err == nil && status != 201 {
					err = fmt.Errorf("status %d: %.300s", status, answer)
				}
				if err != nil {
					faults <- err
					return
				}
			}
			faults <- nil
		}()
	}
	var fault error
	for _, body := range bodies {
		select {
		case next <- body:
		case fault = <-faults:
		}
		if fault != nil {
			break
		}
	}
	close(next)
	for range clients {
		if fault != nil {
			break // the others end with the process
		}
		fault = <-faults
	}
	count := float64(len(bodies))
	fmt.Printf(" | %.0f | %.2f", count/time.Since(began).Seconds(), (load.CPU(w.pids...)-spent)/count)
	return fault
}
