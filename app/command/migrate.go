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
	step := func(name, usage string, do func(*sqlstore.DB, context.Context) error) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Flags: cfg.DatabaseFlags(),
			Action: func(ctx context.Context, c *cli.Command) error {
				db, err := service.OpenDatabase(ctx, cfg)
				if err != nil {
					return err
				}
				defer db.Close()
				if err := do(db, ctx); err != nil {
					return err
				}
				return printMigrations(ctx, c, db)
			},
		}
	}
	return group("migrate", "apply, list or revert migrations of the database",
		step("up", "apply every missing migration", (*sqlstore.DB).Migrate),
		step("status", "list the migrations and their state", func(*sqlstore.DB, context.Context) error { return nil }),
		step("down", "revert the last applied migration and delete the data in its tables", (*sqlstore.DB).MigrateDown),
	)
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
