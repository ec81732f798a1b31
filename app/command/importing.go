package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/egress"
	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/importing"
	"imprimatur/app/importing/contentful"
	"imprimatur/app/importing/directory"
	"imprimatur/app/importing/wordpress"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/definition/schema"
	"imprimatur/ports"
)

// maxRedirects is how many redirects an import follows to a file.
const maxRedirects = 5

// importTarget is the project that an import of a whole site writes, and how.
type importTarget struct {
	cfg     config.Config
	uuid    string
	opts    importing.Options
	report  string
	allowed []string
	// of imports from other systems
	inspect        bool
	mapping, media string

	db       *sqlstore.DB
	stores   ports.Stores
	importer *importing.Importer
	project  *core.Project
}

func (t *importTarget) flags(more ...cli.Flag) []cli.Flag {
	t.cfg = config.Default()
	return append(append(t.cfg.StorageFlags(), t.cfg.ImageFlag(), projectUUID(&t.uuid),
		&cli.BoolFlag{Name: "dry-run", Usage: "check and count everything, and write nothing", Destination: &t.opts.DryRun},
		&cli.BoolFlag{Name: "published", Usage: "publish what was public; otherwise everything becomes a draft", Destination: &t.opts.Publish},
		&cli.BoolFlag{Name: "overwrite", Usage: "also write entries that a person has changed here since", Destination: &t.opts.Overwrite},
		&cli.BoolFlag{Name: "keep-legacy", Usage: "keep values that have no place in the hidden field legacy", Destination: &t.opts.KeepLegacy},
		&cli.BoolFlag{Name: "quiet", Usage: "send webhooks no message for each change, only those of import.finished", Destination: &t.opts.Quiet},
		&cli.StringFlag{
			Name: "report", Value: "import-report", Destination: &t.report,
			Usage: "the beginning of the names of the report: <report>.json with counts, <report>.jsonl with what has no place, <report>.csv with old addresses",
		},
		&cli.StringSliceFlag{
			Name: "import-allow", Usage: "networks or host:port inside that files may be fetched from: 10.0.0.0/8, files.internal:8080; repeatable", Destination: &t.allowed,
		},
	), more...)
}

func importDirectoryCommand() *cli.Command {
	var t importTarget
	return &cli.Command{
		Name:  "directory",
		Usage: "write a whole project from a directory of our own files",
		Description: "The directory has schema.yaml, one <collection>.jsonl for each collection, media.jsonl and the folder media; see app/docs/import-directory.md. " +
			"Importing again changes only what differs. Exit code 1: something was not written.",
		ArgsUsage: "<directory>",
		Flags:     t.flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() != 1 {
				return errors.New("import directory needs one directory")
			}
			return t.run(ctx, c, func(known schema.File) (importing.Content, func(), error) {
				d, err := directory.Open(c.Args().First(), known)
				if err != nil {
					return nil, nil, err
				}
				return d, func() { _ = d.Close() }, nil // it is read only
			})
		},
	}
}

// mappedFlags are the flags of imports from other systems.
func (t *importTarget) mappedFlags() []cli.Flag {
	return t.flags(
		&cli.BoolFlag{Name: "inspect", Usage: "write the mapping file that the import suggests, and what would become of everything; nothing else", Destination: &t.inspect},
		&cli.StringFlag{Name: "mapping", Usage: "a mapping file of --inspect, which may be edited; without it everything becomes what --inspect suggests", Destination: &t.mapping},
		&cli.StringFlag{Name: "media", Usage: "the folder with the files; without it they are fetched", Destination: &t.media},
	)
}

// mapped imports a source by its mapping.
func (t *importTarget) mapped(ctx context.Context, c *cli.Command, open func(file string) (importing.Source, func(), error)) error {
	if c.Args().Len() != 1 {
		return fmt.Errorf("import %s needs one export", c.Name)
	}
	if t.inspect && t.mapping == "" {
		return errors.New("--inspect needs --mapping, the file to write")
	}
	t.opts.DryRun = t.opts.DryRun || t.inspect
	return t.run(ctx, c, func(known schema.File) (importing.Content, func(), error) {
		source, closeSource, err := open(c.Args().First())
		if err != nil {
			return nil, nil, err
		}
		m, err := t.mappingOf(ctx, source, known)
		if err != nil {
			closeSource()
			return nil, nil, err
		}
		if t.opts.KeepLegacy {
			m.KeepLegacy()
		}
		return importing.NewMapped(source, m, t.project, known), closeSource, nil
	})
}

// mappingOf reads the mapping file, or writes the one that the source suggests.
func (t *importTarget) mappingOf(ctx context.Context, source importing.Source, known schema.File) (importing.Mapping, error) {
	if t.mapping != "" && !t.inspect {
		text, err := os.ReadFile(t.mapping)
		if err != nil {
			return importing.Mapping{}, err
		}
		return importing.ParseMapping(text, source)
	}
	m := importing.MappingOf(source, t.project, known)
	for login, address := range source.Survey().Addresses {
		user, err := t.stores.Users.UserByEmail(ctx, address)
		if err == nil && user.Name != "" {
			m.People[login] = user.Name
		} else if err != nil && !errors.Is(err, core.ErrNotFound) {
			return m, err
		}
	}
	if !t.inspect {
		return m, nil
	}
	file, err := os.OpenFile(t.mapping, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // one that was edited stays
	if err != nil {
		return m, err
	}
	_, err = file.Write(m.Text())
	return m, errors.Join(err, file.Close())
}

func importWordPressCommand() *cli.Command {
	var t importTarget
	return &cli.Command{
		Name: "wordpress", Usage: "write a whole site from an export of WordPress (Tools, Export, All content)", ArgsUsage: "<file>",
		Description: "See app/docs/import-wordpress.md. Importing again, also a later export, changes only what differs. Exit code 1: something was not written.",
		Flags:       t.mappedFlags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			return t.mapped(ctx, c, func(file string) (importing.Source, func(), error) {
				s, err := wordpress.Open(ctx, file, t.media)
				if err != nil {
					return nil, nil, err
				}
				return s, func() { _ = s.Close() }, nil // it is read only
			})
		},
	}
}

func importContentfulCommand() *cli.Command {
	var t importTarget
	return &cli.Command{
		Name: "contentful", Usage: "write a whole space from an export of Contentful (contentful space export)", ArgsUsage: "<file or folder>",
		Description: "See app/docs/import-contentful.md. Importing again, also a later export, changes only what differs. Exit code 1: something was not written.",
		Flags:       t.mappedFlags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			return t.mapped(ctx, c, func(file string) (importing.Source, func(), error) {
				s, err := contentful.Open(ctx, file, t.media)
				if err != nil {
					return nil, nil, err
				}
				return s, func() { _ = s.Close() }, nil // it is read only
			})
		},
	}
}

// run imports what open returns. known are the definitions of the project.
func (t *importTarget) run(ctx context.Context, c *cli.Command, open func(known schema.File) (importing.Content, func(), error)) error {
	t.cfg.Bulk, t.cfg.Bounded = true, true
	collectOften()
	allowed, err := egress.ParseAllowed(t.allowed)
	if err != nil {
		return fmt.Errorf("setting --import-allow: %w", err)
	}
	var schemas ports.Schemas
	stop, err := service.UseExisting(ctx, t.cfg, &t.db, &t.stores, &schemas, &t.importer)
	if err != nil {
		return err
	}
	defer stop()
	if t.project, err = schemas.ProjectByUUID(ctx, t.uuid); err != nil {
		return err
	}
	known, err := t.known(ctx)
	if err != nil {
		return err
	}
	content, closeContent, err := open(known)
	if err != nil {
		return err
	}
	defer closeContent()
	if t.opts.Between, err = newYield(ctx, t.cfg, t.db); err != nil {
		return err
	}
	t.opts.Fetcher = egress.NewFetcher(egress.New(allowed, egress.WithPlain())).Following(maxRedirects)
	bar := newProgress(c.Root().ErrWriter)
	t.opts.Progress = func(done, total int64, things string) { bar.show(done, things, share(done, total)) }
	report, err := t.write(func() (*importing.Report, error) {
		return t.importer.Import(ctx, core.SystemActor, t.project, content, t.opts)
	})
	bar.end()
	if report != nil {
		err = errors.Join(err, report.Text(c.Root().Writer))
	}
	if err != nil {
		return err
	}
	return t.settle(ctx, c, report)
}

// settle vacuums the tables after many writes, and returns an error if entries or files were not written.
func (t *importTarget) settle(ctx context.Context, c *cli.Command, report *importing.Report) error {
	var changed int64
	for _, w := range report.Collections {
		changed += w.Created + w.Updated
	}
	if changed >= vacuumThreshold {
		if failed := t.db.Vacuum(ctx); failed != nil { // not an error: autovacuum follows later
			fmt.Fprintf(c.Root().ErrWriter, "cannot vacuum the tables: %s\n", Sentence(failed))
		}
	}
	missing := report.Lost[importing.LostEntry] - report.Left + report.Files.Listed
	if missing > 0 {
		return fmt.Errorf("%d entries and files have no place; %s.jsonl lists them", missing, t.report)
	}
	return nil
}

// known returns the definitions of the project.
func (t *importTarget) known(ctx context.Context) (schema.File, error) {
	components, err := t.stores.Components.Components(ctx, t.project.ID)
	if err != nil {
		return schema.File{}, err
	}
	collections, err := t.stores.Collections.Collections(ctx, t.project.ID)
	return schema.Of(components, collections), err
}

// write opens the files of the report, runs do and completes them.
func (t *importTarget) write(do func() (*importing.Report, error)) (report *importing.Report, err error) {
	rows, err := os.Create(t.report + ".jsonl")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	table, err := os.Create(t.report + ".csv")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	counts, err := os.Create(t.report + ".json")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, counts.Close()) }()
	t.opts.Rows, t.opts.Redirects = io.Writer(rows), importing.NewRedirects(table)
	report, err = do()
	return report, errors.Join(err, report.JSON(counts), t.opts.Redirects.Close())
}
