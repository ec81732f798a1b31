// Package flat measures the cost of reads and writes among few and many entries, and among
// few and many other collections and projects, on Postgres and SQLite. The first entries
// are imported; the others are copies with equal table rows. The databases of all sizes
// exist together and each question is sent to all in turn, so compare the ratios.
package flat

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

type options struct {
	block       int
	sizes       string
	collections int
	engines     string
	scenes      string
	questions   string
	runs        int
	rounds      int
	plans       bool
	postgres    string
	keep        bool
	dir         string // temporary directory
	binary      string // path of the program
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.block, "block", 10_000, "articles of one block")
	flags.StringVar(&o.sizes, "sizes", "1,10,100", "sizes of the collection, in blocks")
	flags.IntVar(&o.collections, "collections", 1000, "number of collections, each of a 25th of a block")
	flags.StringVar(&o.engines, "engines", "postgres,sqlite", "engines to measure")
	flags.StringVar(&o.scenes, "scenes", "entries,collections", "what grows: entries, collections, or projects of one collection each")
	flags.StringVar(&o.questions, "questions", "", "only questions whose name contains this")
	flags.IntVar(&o.runs, "runs", 10, "runs of each statement in the database; the median is reported")
	flags.IntVar(&o.rounds, "rounds", 2, "rounds over HTTP; the median is reported; 0 skips HTTP and writes")
	flags.BoolVar(&o.plans, "plans", false, "print the statements and their plans at the last size")
	flags.StringVar(&o.postgres, "postgres", "", "URL of a Postgres server on which databases may be created; by default a server is started")
	flags.BoolVar(&o.keep, "keep", false, "keep the databases and print their URLs")
	return func(ctx context.Context) error { return run(ctx, o) }
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "imprimatur-bench-")
	if err != nil {
		return err
	}
	if !o.keep {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	}
	o.dir, o.binary = dir, filepath.Join(dir, "imprimatur")
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "imprimatur/app").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, output)
	}
	for name := range strings.SplitSeq(o.engines, ",") {
		e, err := engineNamed(ctx, o, name)
		if err != nil {
			return err
		}
		for scene := range strings.SplitSeq(o.scenes, ",") {
			b := &bench{o: o, engine: e, title: name}
			if err := b.run(ctx, scene); err != nil {
				return fmt.Errorf("%s, %s: %w", name, scene, err)
			}
		}
	}
	return nil
}

func engineNamed(ctx context.Context, o options, name string) (engine, error) {
	switch name {
	case "postgres":
		return newPostgres(ctx, o.postgres)
	case "sqlite":
		return sqliteEngine{dir: o.dir}, nil
	default:
		return nil, fmt.Errorf("unknown engine %q", name)
	}
}

// bench measures one engine in one scenario.
type bench struct {
	o      options
	engine engine
	title  string
	site   *site
	cases  []*sized
	rows   []row
}

// sized is a database of one size.
type sized struct {
	name     string
	database *database
	program  *program
	stop     func()
	server   *server
}

func (b *bench) run(ctx context.Context, scene string) error {
	defer b.close()
	questions, err := b.fill(ctx, scene)
	if err != nil {
		return err
	}
	for _, q := range questions {
		if strings.Contains(q.name, b.o.questions) {
			b.rows = append(b.rows, row{question: q, fresh: make([]effort, len(b.cases)), settled: make([]effort, len(b.cases)), http: make([]cost, len(b.cases))})
		}
	}
	if len(b.engine.hold()) > 0 {
		if err := b.efforts(ctx, func(r *row) []effort { return r.fresh }); err != nil {
			return err
		}
	}
	for _, c := range b.cases {
		if err := c.database.settle(ctx); err != nil {
			return err
		}
	}
	if err := b.efforts(ctx, func(r *row) []effort { return r.settled }); err != nil {
		return err
	}
	var writes [][]cost
	if b.o.rounds > 0 {
		if err := b.serve(ctx); err != nil {
			return err
		}
		if err := b.overHTTP(ctx); err != nil {
			return err
		}
		if writes, err = b.writes(ctx); err != nil {
			return err
		}
	}
	return b.print(ctx, os.Stdout, scene, writes)
}

// fill creates the databases and returns the questions that apply to all of them.
func (b *bench) fill(ctx context.Context, scene string) ([]question, error) {
	switch scene {
	case "collections":
		return b.fillMany(ctx, fmt.Sprintf("%d in the Project", b.o.collections), false)
	case "projects":
		return b.fillMany(ctx, fmt.Sprintf("%d Projects", b.o.collections), true)
	}
	have := 1
	for text := range strings.SplitSeq(b.o.sizes, ",") {
		want, err := strconv.Atoi(text)
		if err != nil || want < have {
			return nil, fmt.Errorf("sizes %q: must be numbers, each larger than the one before", b.o.sizes)
		}
		c, err := b.add(ctx, fmt.Sprintf("%d articles", want*b.o.block), b.o.block, len(b.cases)-1)
		if err != nil {
			return nil, err
		}
		if err := c.database.grow(ctx, b.site, have, want); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", b.title, c.name)
		have = want
	}
	return questions(), nil
}

// fillMany creates a database with one collection and one with many, in one project or in
// many.
func (b *bench) fillMany(ctx context.Context, name string, projects bool) ([]question, error) {
	if _, err := b.add(ctx, "alone", b.o.block/25, -1); err != nil {
		return nil, err
	}
	c, err := b.add(ctx, name, 0, 0)
	if err != nil {
		return nil, err
	}
	if err := c.database.spread(ctx, c.program, b.site, b.o.collections, projects); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", b.title, c.name)
	var own []question
	for _, q := range questions() {
		if q.own {
			own = append(own, q)
		}
	}
	return own, nil
}

// add adds a database: a copy of case from, or if from is negative, one with a block of
// count articles.
func (b *bench) add(ctx context.Context, name string, count, from int) (*sized, error) {
	c := &sized{name: name, stop: func() {}}
	var url string
	var err error
	if from < 0 {
		url, err = b.engine.create(ctx)
	} else {
		url, err = b.clone(ctx, b.cases[from])
	}
	if err != nil {
		return nil, err
	}
	if c.program, c.stop, err = use(ctx, url); err != nil {
		return nil, err
	}
	b.cases = append(b.cases, c)
	if from < 0 {
		if b.site, err = c.program.createSite(ctx, count); err != nil {
			return nil, err
		}
	}
	if c.database, err = connect(ctx, b.engine, url); err != nil || from >= 0 {
		return c, err
	}
	for _, statement := range b.engine.hold() {
		if err := c.database.exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// clone copies a database, which must not be in use.
func (b *bench) clone(ctx context.Context, c *sized) (url string, err error) {
	c.stop()
	if err := c.database.close(); err != nil {
		return "", err
	}
	if url, err = b.engine.clone(ctx, c.database.url); err != nil {
		return "", err
	}
	if c.program, c.stop, err = use(ctx, c.database.url); err != nil {
		return "", err
	}
	c.database, err = connect(ctx, b.engine, c.database.url)
	return url, err
}

func (b *bench) close() {
	for _, c := range b.cases {
		c.stop()
		if c.server != nil {
			c.server.stop()
		}
		if c.database != nil {
			_ = c.database.close() // the program exits
			if b.o.keep {
				fmt.Fprintf(os.Stderr, "%s is %s\n", c.name, c.database.url)
				continue
			}
			_ = b.engine.drop(context.Background(), c.database.url)
		}
	}
}
