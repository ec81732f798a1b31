package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/scratch"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/reading"
	"imprimatur/core/transfer"
	"imprimatur/ports"
)

// target is one collection of one project, which flags name, and the parts of the service
// that read and write it.
type target struct {
	cfg        config.Config
	uuid, slug string
	project    *core.Project
	collection *core.Collection

	db       *sqlstore.DB
	reader   *reading.Reader
	importer *transfer.Importer
	exporter *transfer.Exporter
}

func (t *target) flags() []cli.Flag {
	return append(t.cfg.DatabaseFlags(),
		projectUUID(&t.uuid),
		&cli.StringFlag{Name: "collection", Usage: "the collection's slug", Required: true, Destination: &t.slug},
	)
}

// projectUUID returns the flag of a command on one project.
func projectUUID(uuid *string) cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "the project's UUID", Required: true, Destination: uuid}
}

// own returns flags as those of a command that has subcommands with flags of their own. The command checks whether
// those that it requires are given.
func own(flags []cli.Flag) []cli.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Local, f.Required = true, false
		case *cli.BoolFlag:
			f.Local = true
		case *cli.Int64Flag:
			f.Local = true
		}
	}
	return flags
}

// vacuumThreshold is the number of written entries after which an import vacuums the
// tables.
const vacuumThreshold = 10_000

// open starts the core of the service and reads the collection that the flags name.
func (t *target) open(ctx context.Context) (stop func(), err error) {
	var schemas ports.Schemas
	stop, err = service.UseExisting(ctx, t.cfg, &t.db, &schemas, &t.reader, &t.importer, &t.exporter)
	if err != nil {
		return nil, err
	}
	if t.project, err = schemas.ProjectByUUID(ctx, t.uuid); err == nil {
		t.collection, err = t.reader.Collection(ctx, t.project, t.slug)
	}
	if err != nil {
		stop()
	}
	return stop, err
}

func importCommand() *cli.Command {
	t := target{cfg: config.Default()}
	var opts transfer.ImportOptions
	var check string
	return &cli.Command{
		Name:  "import",
		Usage: "write entries of a collection from JSON Lines",
		Description: "The file has one JSON object per line; see app/docs/operations.md. A line is written whole or not at all: " +
			"refused lines are reported, and all others are imported.",
		ArgsUsage: "<file, or - for standard input>",
		Commands:  []*cli.Command{importDirectoryCommand(), importWordPressCommand(), importContentfulCommand()},
		Flags: own(append(t.flags(),
			&cli.StringFlag{Name: "key-field", Usage: "the unique field that contains the key of a line", Destination: &opts.KeyField},
			&cli.StringFlag{
				Name: "check", Value: "publish", Destination: &check,
				Usage: "publish checks everything; draft accepts drafts that do not meet required, min and pattern, which an export can contain",
			},
			&cli.BoolFlag{Name: "quiet", Usage: "send webhooks no message for each change, only the one at the end (import.finished)", Destination: &opts.Quiet},
			&cli.Int64Flag{Name: "from-line", Usage: "continue at this line, counted from 1", Value: 1, Destination: &opts.From},
		)),
		Action: func(ctx context.Context, c *cli.Command) error {
			if t.uuid == "" || t.slug == "" {
				return errors.New("import needs --project and --collection")
			}
			if opts.From < 1 {
				return fmt.Errorf("--from-line is %d, but lines are counted from 1", opts.From)
			}
			if check != "draft" && check != "publish" {
				return fmt.Errorf("--check is %q, but must be draft or publish", check)
			}
			opts.AllowIncomplete = check == "draft"
			in, size, err := openInput(c)
			if err != nil {
				return err
			}
			defer in.Close()
			return runImport(ctx, c, &t, in, size, opts)
		},
	}
}

// openInput opens the file that the only argument names. It returns the size in bytes, or
// -1 for standard input.
func openInput(c *cli.Command) (io.ReadCloser, int64, error) {
	if c.Args().Len() != 1 {
		return nil, 0, errors.New("import needs one file, or - for standard input")
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

func runImport(ctx context.Context, c *cli.Command, t *target, in io.Reader, size int64, opts transfer.ImportOptions) error {
	t.cfg.Bulk = true
	stop, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer stop()
	yield, err := newYield(ctx, t.cfg, t.db)
	if err != nil {
		return err
	}
	spool, err := scratch.New("imprimatur-import-")
	if err != nil {
		return err
	}
	defer spool.Close()
	bar := newProgress(c.Root().ErrWriter)
	opts.Between, opts.Spool = yield, spool
	opts.Progress = func(lines, bytes int64) { bar.show(lines, "lines", readBytes(bytes, size)) }
	report, err := t.importer.Import(ctx, core.SystemActor, t.project, t.collection.ID, in, opts)
	bar.end()
	for _, line := range report.Cleaned {
		for _, cleaned := range line.Cleaned {
			fmt.Fprintf(c.Root().ErrWriter, "%s: %s: removed %s\n", lineName(line.Line, line.Key, line.Group), printable(cleaned.Location), printable(strings.Join(cleaned.Removed, ", ")))
		}
	}
	for _, failed := range report.Failed {
		fmt.Fprintf(c.Root().ErrWriter, "%s: %s\n", lineName(failed.Line, failed.Key, failed.Group), Sentence(failed.Err))
	}
	fmt.Fprintf(c.Root().Writer, "%d created, %d updated, %d unchanged, %d lines refused\n",
		report.Created, report.Updated, report.Unchanged, len(report.Failed))
	if report.Created+report.Updated >= vacuumThreshold && ctx.Err() == nil {
		if failed := t.db.Vacuum(ctx); failed != nil { // not an error: autovacuum follows later
			fmt.Fprintf(c.Root().ErrWriter, "cannot vacuum the tables: %s\n", Sentence(failed))
		}
	}
	if err != nil {
		stopped := fmt.Sprintf("stopped after line %d (continue with --from-line %d)", report.Lines, report.Lines+1)
		if ctx.Err() != nil { // the operator has stopped it
			return errors.New(stopped)
		}
		return fmt.Errorf("%s: %w", stopped, err)
	}
	if len(report.Failed) > 0 {
		return fmt.Errorf("%d lines were refused; all others are imported", len(report.Failed))
	}
	return nil
}

// lineName names a line by its number and its key or group.
func lineName(number int64, key json.RawMessage, group string) string {
	switch {
	case key != nil:
		return fmt.Sprintf("line %d (key %s)", number, printable(string(key)))
	case group != "":
		return fmt.Sprintf("line %d (group %q)", number, group)
	default:
		return fmt.Sprintf("line %d", number)
	}
}

func exportCommand() *cli.Command {
	t := target{cfg: config.Default()}
	var opts transfer.ExportOptions
	return &cli.Command{
		Name:  "export",
		Usage: "print the entries of a collection as JSON Lines; if drafts are incomplete, import them with --check draft",
		Description: "The output has one JSON object per line, an entry with its texts, relations and media, which import writes whole or not at all; " +
			"see app/docs/operations.md. Values of hidden fields are left out unless --with-hidden is given. Values of password fields are never exported. " +
			"Fields that were left out are named at the end, on standard error.",
		Flags: append(t.flags(), &cli.BoolFlag{
			Name: "with-hidden", Usage: "export the values of hidden fields too; passwords are never exported", Destination: &opts.Hidden,
		}),
		Action: func(ctx context.Context, c *cli.Command) error {
			stop, err := t.open(ctx)
			if err != nil {
				return err
			}
			defer stop()
			bar := newProgress(c.Root().ErrWriter)
			opts.Progress = func(entries int64) { bar.show(entries, "entries", "") }
			report, err := t.exporter.Export(ctx, t.project, t.collection.ID, c.Root().Writer, opts)
			bar.end()
			if len(report.Hidden) > 0 {
				fmt.Fprintf(c.Root().ErrWriter, "not exported: values of hidden fields (%s); --with-hidden exports them\n", strings.Join(report.Hidden, ", "))
			}
			if len(report.Passwords) > 0 {
				fmt.Fprintf(c.Root().ErrWriter, "not exported: values of password fields (%s), which are never exported\n", strings.Join(report.Passwords, ", "))
			}
			return err
		},
	}
}
