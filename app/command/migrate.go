package command

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
)

func migrateCommand() *cli.Command {
	cfg := config.Default()
	step := func(name, usage string, do func(context.Context, *cli.Command, *sqlstore.DB) error) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Flags: cfg.DatabaseFlags(),
			Action: func(ctx context.Context, c *cli.Command) error {
				db, err := service.OpenDatabase(ctx, cfg)
				if err != nil {
					return err
				}
				defer db.Close()
				return do(ctx, c, db)
			},
		}
	}
	return &cli.Command{
		Name:  "migrate",
		Usage: "apply, list or revert migrations of the database",
		Commands: []*cli.Command{
			step("up", "apply every missing migration", func(ctx context.Context, c *cli.Command, db *sqlstore.DB) error {
				if err := db.Migrate(ctx); err != nil {
					return err
				}
				return printMigrations(ctx, c, db)
			}),
			step("status", "list the migrations and their state", printMigrations),
			step("down", "revert the last applied migration and delete the data in its tables", func(ctx context.Context, c *cli.Command, db *sqlstore.DB) error {
				if err := db.MigrateDown(ctx); err != nil {
					return err
				}
				return printMigrations(ctx, c, db)
			}),
		},
	}
}

func printMigrations(ctx context.Context, c *cli.Command, db *sqlstore.DB) error {
	migrations, err := db.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Root().Writer, 0, 4, 2, ' ', 0)
	for _, m := range migrations {
		state := "missing"
		if m.Applied {
			state = "applied"
		}
		fmt.Fprintf(table, "%s\t%s\n", m.Name, state)
	}
	return table.Flush()
}
