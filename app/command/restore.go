package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/archive"
	"imprimatur/core/definition"
	"imprimatur/ports"
)

func restoreCommand() *cli.Command {
	cfg := config.Default()
	r := restore{}
	return &cli.Command{
		Name:  "restore",
		Usage: "make an installation from a backup, in an empty database of either engine; no service may run on it",
		Description: "FILE is the archive of imprimatur backup; - reads standard input. It is checked whole before anything is written. " +
			"The secret key is not in it: set that of the installation.",
		ArgsUsage: "FILE",
		Flags: append(cfg.StorageFlags(),
			&cli.StringSliceFlag{Name: "with", Usage: "earlier archives with the files that this one was made without (--blobs since:…); repeatable", Destination: &r.with},
			&cli.BoolFlag{Name: "allow-missing", Usage: "restore although files of --blobs since:… are missing", Destination: &r.opts.AllowMissing},
			scratchFlag(&r.scratch),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			collectOften()
			r.command = c
			return r.run(ctx, cfg)
		},
	}
}

// restore is one run of the command.
type restore struct {
	command *cli.Command
	with    []string
	scratch string
	opts    archive.RestoreOptions
}

func (r *restore) run(ctx context.Context, cfg config.Config) error {
	path, remove, err := archiveFile(r.command, r.scratch)
	if err != nil {
		return err
	}
	defer remove()
	bar := newProgress(r.command.Root().ErrWriter)
	opened, err := openArchive(ctx, path, false, bar)
	if err != nil {
		return err
	}
	for _, earlier := range r.with {
		a, err := openArchive(ctx, earlier, true, bar)
		if err != nil {
			return err
		}
		r.opts.Earlier = append(r.opts.Earlier, a)
	}
	var into restored
	stop, err := into.use(ctx, cfg)
	if err != nil {
		return err
	}
	defer stop()
	missing := 0
	r.opts.Missing = func(string) { missing++ }
	if err := into.restore(ctx, opened, r.opts, bar); err != nil {
		return err
	}
	out := r.command.Root().Writer
	fmt.Fprintf(out, "restored %s\n", contents(&opened.Manifest))
	fmt.Fprintln(out, paused)
	if missing > 0 {
		fmt.Fprintf(out, "%d files have no bytes: they are not in the archive; imprimatur check names them\n", missing)
	}
	return nil
}

// restored is a database in which an archive is restored.
type restored struct {
	db      *sqlstore.DB
	stores  ports.Stores
	blobs   ports.BlobStore
	content *definition.Checker
}

// use opens the database and the blob store, and sets more targets of service.Use.
func (r *restored) use(ctx context.Context, cfg config.Config, more ...any) (stop func(), err error) {
	cfg.Bulk, cfg.Bounded, cfg.Restoring = true, true, true
	return service.Use(ctx, cfg, append(more, &r.db, &r.stores, &r.blobs, &r.content)...)
}

func (r *restored) restore(ctx context.Context, a *archive.Archive, opts archive.RestoreOptions, bar *progress) error {
	defer bar.end()
	opts.Progress = func(rows, bytes int64) { bar.show(rows, "rows", readBytes(bytes, -1)) }
	return a.Restore(ctx, archive.Target{Rows: r.db, Blobs: r.blobs, Index: func(ctx context.Context) error {
		var entries int64
		return eachProject(ctx, r.stores, func(p *core.Project) error {
			return r.content.Rebuild(ctx, p, func(n int) {
				entries += int64(n)
				bar.show(entries, "entries indexed", "")
			})
		})
	}}, opts)
}

// eachProject calls do with every Project of the installation.
func eachProject(ctx context.Context, stores ports.Stores, do func(*core.Project) error) error {
	tenants, err := stores.Tenants.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		projects, err := stores.Projects.Projects(ctx, tenant.ID)
		if err != nil {
			return err
		}
		for _, project := range projects {
			if err := do(project); err != nil {
				return err
			}
		}
	}
	return nil
}
