package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/content"
	"imprimatur/core/transfer"
	"imprimatur/ports"
)

// collectionFlags name one collection of one project.
type collectionFlags struct {
	cfg           config.Config
	project, slug string
}

func (f *collectionFlags) flags() []cli.Flag {
	return append(f.cfg.DatabaseFlags(),
		&cli.StringFlag{Name: "project", Usage: "the project's UUID", Required: true, Destination: &f.project},
		&cli.StringFlag{Name: "collection", Usage: "the collection's slug", Required: true, Destination: &f.slug},
	)
}

// muchWritten is how many entries an import writes for the tables to be tended at once.
const muchWritten = 10_000

// moving is what moves the entries of one collection in and out.
type moving struct {
	db         *sqlstore.DB
	schemas    ports.Schemas
	reader     *content.Reader
	importer   *transfer.Importer
	exporter   *transfer.Exporter
	project    *core.Project
	collection *core.Collection
}

// open starts the service's core and finds the collection that the flags name.
func (f *collectionFlags) open(ctx context.Context) (m moving, stop func(), err error) {
	stop, err = service.Use(ctx, f.cfg, &m.db, &m.schemas, &m.reader, &m.importer, &m.exporter)
	if err != nil {
		return m, nil, err
	}
	if m.project, err = m.schemas.ProjectByUUID(ctx, f.project); err == nil {
		m.collection, err = m.reader.Collection(ctx, m.project, f.slug)
	}
	if err != nil {
		stop()
	}
	return m, stop, err
}

func importCommand() *cli.Command {
	target := collectionFlags{cfg: config.Default()}
	var opts transfer.ImportOptions
	return &cli.Command{
		Name:         "import",
		Usage:        "write entries of a collection from JSON Lines",
		ArgsUsage:    "<file, or - for standard input>",
		OnUsageError: usageError,
		Flags: append(target.flags(),
			&cli.StringFlag{Name: "key-field", Usage: "the unique field that a line's key is the value of", Destination: &opts.KeyField},
			&cli.Int64Flag{Name: "from-line", Usage: "go on with this line, from 1", Value: 1, Destination: &opts.From},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			if opts.From < 1 {
				return fmt.Errorf("--from-line is %d, but lines are counted from 1", opts.From)
			}
			in, size, err := openInput(c)
			if err != nil {
				return err
			}
			defer in.Close()
			return runImport(ctx, c, &target, in, size, opts)
		},
	}
}

// openInput opens the file that the command's one argument names and returns its
// size, -1 when that is not known.
func openInput(c *cli.Command) (io.ReadCloser, int64, error) {
	if c.Args().Len() != 1 {
		return nil, 0, errors.New("import takes one file, or - for standard input")
	}
	if c.Args().First() == "-" {
		return io.NopCloser(c.Root().Reader), -1, nil
	}
	file, err := os.Open(c.Args().First())
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

func runImport(ctx context.Context, c *cli.Command, target *collectionFlags, in io.Reader, size int64, opts transfer.ImportOptions) error {
	target.cfg.Bulk = true
	m, stop, err := target.open(ctx)
	if err != nil {
		return err
	}
	defer stop()
	leaveOthersTheirs, err := turns(ctx, target.cfg)
	if err != nil {
		return err
	}
	bar := progressBar(c, size, "importing", true)
	opts.Progress = func(_, bytes int64) {
		_ = bar.Set64(bytes) // a terminal that went away
		leaveOthersTheirs()
	}
	report, err := m.importer.Import(ctx, core.Actor{System: true}, m.project, m.collection.ID, in, opts)
	_ = bar.Finish()
	for _, failed := range report.Failed {
		fmt.Fprintf(c.Root().ErrWriter, "line %d: %s\n", failed.Line, Sentence(failed.Err))
	}
	fmt.Fprintf(c.Root().Writer, "%d created, %d updated, %d unchanged, %d lines refused\n",
		report.Created, report.Updated, report.Unchanged, len(report.Failed))
	if report.Created+report.Updated >= muchWritten && ctx.Err() == nil {
		if failed := m.db.Tend(ctx); failed != nil { // the server does so by itself, later
			fmt.Fprintf(c.Root().ErrWriter, "the tables could not be vacuumed: %s\n", Sentence(failed))
		}
	}
	if err != nil {
		return fmt.Errorf("stopped after line %d (go on with --from-line %d): %w", report.Lines, report.Lines+1, err)
	}
	if len(report.Failed) > 0 {
		return fmt.Errorf("%d lines were refused; the others are in", len(report.Failed))
	}
	return nil
}

func exportCommand() *cli.Command {
	target := collectionFlags{cfg: config.Default()}
	return &cli.Command{
		Name:         "export",
		Usage:        "print the entries of a collection as JSON Lines",
		OnUsageError: usageError,
		Flags:        target.flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			m, stop, err := target.open(ctx)
			if err != nil {
				return err
			}
			defer stop()
			bar := progressBar(c, -1, "exporting", false)
			_, err = m.exporter.Export(ctx, m.project, m.collection.ID, c.Root().Writer, func(entries int64) { _ = bar.Set64(entries) })
			_ = bar.Finish()
			return err
		},
	}
}

// progressBar draws on standard error: bytes or entries, of a known size or -1.
func progressBar(c *cli.Command, size int64, description string, bytes bool) *progressbar.ProgressBar {
	return progressbar.NewOptions64(size,
		progressbar.OptionSetDescription(description),
		progressbar.OptionSetWriter(c.Root().ErrWriter),
		progressbar.OptionShowBytes(bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100e6),
		progressbar.OptionSetPredictTime(size > 0),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(c.Root().ErrWriter) }),
	)
}
