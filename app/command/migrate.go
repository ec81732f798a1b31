package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/migrate"
	"imprimatur/app/config"
	"imprimatur/app/service"
)

func migrateCommand() *cli.Command {
	cfg := config.Default()
	var dryRun bool
	up := func(ctx context.Context, c *cli.Command) error {
		if dryRun {
			return readDatabase(ctx, c, cfg, func(db *sqlstore.DB) error { return printPlan(ctx, c.Root().Writer, db) })
		}
		return withDatabase(ctx, c, cfg, func(db *sqlstore.DB) error {
			if err := db.Migrate(ctx); err != nil {
				return err
			}
			return printMigrations(ctx, c.Root().Writer, db)
		})
	}
	return &cli.Command{
		Name: "migrate", Usage: "apply or list migrations of the database",
		Flags: append(cfg.DatabaseFlags(), &cli.BoolFlag{
			Name: "dry-run", Usage: "print the statements of the missing migrations and the locks that they take, and apply nothing", Destination: &dryRun,
		}),
		Action: up,
		Commands: []*cli.Command{
			{Name: "up", Usage: "apply every missing migration, as migrate alone does", Action: up},
			{Name: "status", Usage: "list the migrations and their state", Action: func(ctx context.Context, c *cli.Command) error {
				return readDatabase(ctx, c, cfg, func(db *sqlstore.DB) error { return printMigrations(ctx, c.Root().Writer, db) })
			}},
		},
	}
}

// readDatabase is withDatabase for a command that changes nothing. A database file that does not exist is not created: an
// empty one in a temporary folder stands for it.
func readDatabase(ctx context.Context, c *cli.Command, cfg config.Config, do func(*sqlstore.DB) error) error {
	engine, path, err := cfg.Database()
	if err == nil && engine == config.SQLite {
		if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) {
			dir, err := os.MkdirTemp("", "imprimatur-migrate-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
			cfg.DatabaseURL = "sqlite:" + filepath.Join(dir, "empty.db")
		}
	}
	return withDatabase(ctx, c, cfg, do)
}

func withDatabase(ctx context.Context, c *cli.Command, cfg config.Config, do func(*sqlstore.DB) error) error {
	db, err := service.OpenDatabase(ctx, cfg, func(reason string) {
		fmt.Fprintf(c.Root().ErrWriter, "waiting for the database: %s\n", reason)
	})
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // only the result of the command matters
	return service.Explained(cfg, do(db))
}

func printMigrations(ctx context.Context, out io.Writer, db *sqlstore.DB) error {
	migrations, err := db.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, m := range migrations {
		state := "missing"
		if m.Applied {
			state = "applied"
		}
		fmt.Fprintf(table, "%s\t%s\n", m.Name, state)
	}
	return table.Flush()
}

func printPlan(ctx context.Context, out io.Writer, db *sqlstore.DB) error {
	plans, err := db.Migrator().Plan(ctx)
	if err != nil {
		return err
	}
	if len(plans) == 0 {
		_, err := fmt.Fprintln(out, "no migration is missing")
		return err
	}
	for _, p := range plans {
		if _, err := fmt.Fprintf(out, "-- %s: %s\n%s\n", p.Name, effect(p), p.Text); err != nil {
			return err
		}
	}
	return nil
}

// effect says what a migration keeps waiting.
func effect(p migrate.Plan) string {
	switch {
	case p.Concurrent:
		return "outside a transaction, blocks nothing"
	case p.WholeDatabase:
		return "blocks writes to the database, not reads"
	case len(p.Locks) == 0:
		return "blocks no table that exists"
	}
	text := ""
	for _, l := range p.Locks {
		text += fmt.Sprintf("\n--   %s: %s, blocks %s", l.Table, l.Mode, l.Blocks)
	}
	return "takes these locks" + text
}
