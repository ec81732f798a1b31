package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/demo"
	"imprimatur/app/service"
)

// demoDir is the folder of the demo's database, files and demo.json.
const demoDir = "var/demo"

func demoCommand() *cli.Command {
	cfg := config.Default()
	cfg.LogFormat, cfg.LogLevel = "console", "warn"
	var (
		keep     bool
		database string
	)
	return &cli.Command{
		Name:  "demo",
		Usage: "serve an example organisation with content; needs no setup",
		Flags: append(cfg.ListenFlags(),
			&cli.StringFlag{Name: "database-url", Usage: "an empty database, instead of SQLite in " + demoDir, Destination: &database},
			&cli.BoolFlag{Name: "keep", Usage: "use the existing data in " + demoDir, Destination: &keep},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			cfg.DatabaseURL = database
			return runDemo(ctx, cfg, demoDir, keep, c.Root().Writer)
		},
	}
}

// runDemo serves the example organisation from dir until ctx ends. Its database is SQLite in dir
// unless cfg names another.
func runDemo(ctx context.Context, cfg config.Config, dir string, keep bool, out io.Writer) error {
	if cfg.DatabaseURL == "" {
		cfg.DatabaseURL = "sqlite:" + filepath.Join(dir, "imprimatur.db")
	}
	cfg.BlobURL = "file:" + filepath.Join(dir, "blobs")
	if err := cfg.Validate(); err != nil {
		return err
	}
	facts, err := prepareDemo(ctx, cfg, dir, keep)
	if err != nil {
		return err
	}
	var failed error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err = service.Run(ctx, cfg, func(a service.Addresses) {
		facts.BaseURL, facts.OpsURL = a.Public, a.Ops
		if failed = facts.Save(dir); failed != nil {
			stop()
			return
		}
		fmt.Fprint(out, facts.Welcome(dir))
	})
	return errors.Join(failed, err)
}

// prepareDemo creates the organisation in dir. With keep, it uses an existing one.
func prepareDemo(ctx context.Context, cfg config.Config, dir string, keep bool) (demo.Facts, error) {
	if keep {
		facts, err := demo.Load(dir)
		if !errors.Is(err, fs.ErrNotExist) {
			return facts, err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return demo.Facts{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return demo.Facts{}, err
	}
	var parts demo.Parts
	stop, err := service.Use(ctx, cfg, &parts.Organisation, &parts.Members, &parts.Users, &parts.Tokens,
		&parts.Collections, &parts.Writer, &parts.Importer, &parts.Reader,
		&parts.Sessions, &parts.Workflows, &parts.Reviews, &parts.Library)
	if err != nil {
		return demo.Facts{}, err
	}
	defer stop()
	return demo.Seed(ctx, parts)
}
