package command

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
)

func migrateCommand() *cli.Command {
	cfg := config.Default()
	step := func(name, usage string, do func(context.Context, *cli.Command, *sqlstore.DB) error, flags ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Flags: append(cfg.DatabaseFlags(), flags...), OnUsageError: usageError,
			Action: func(ctx context.Context, c *cli.Command) error {
				if err := errors.Join(noArguments(c), checkPartitions(c, cfg)); err != nil {
					return err
				}
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
		Usage: "bring the database's tables up to date, or back one step",
		Commands: []*cli.Command{
			step("up", "apply what is missing", func(ctx context.Context, c *cli.Command, db *sqlstore.DB) error {
				if err := db.Migrate(ctx); err != nil {
					return err
				}
				if c.IsSet(partitionsFlag) {
					if err := postgres.Partition(ctx, cfg.DatabaseURL, c.Int(partitionsFlag)); err != nil {
						return err
					}
				}
				return printMigrations(ctx, c, cfg, db)
			}, &cli.IntFlag{
				Name:    partitionsFlag,
				Usage:   "then spread the tables of content over that many hash partitions by project, 1 being whole tables; they are locked for as long as that takes (Postgres only)",
				Sources: cli.EnvVars("IMPRIMATUR_PARTITIONS"),
			}),
			step("status", "say what is applied", func(ctx context.Context, c *cli.Command, db *sqlstore.DB) error {
				return printMigrations(ctx, c, cfg, db)
			}),
			step("down", "take back the last one applied, with what its tables hold", func(ctx context.Context, c *cli.Command, db *sqlstore.DB) error {
				if err := db.MigrateDown(ctx); err != nil {
					return err
				}
				return printMigrations(ctx, c, cfg, db)
			}),
		},
	}
}

const partitionsFlag = "partitions"

// checkPartitions finds fault before anything is migrated.
func checkPartitions(c *cli.Command, cfg config.Config) error {
	if !c.IsSet(partitionsFlag) {
		return nil
	}
	if engine, _, _ := cfg.Database(); engine != config.Postgres {
		return errors.New("setting --" + partitionsFlag + ": only a Postgres database can be partitioned")
	}
	if n := c.Int(partitionsFlag); n < 1 || n > postgres.MaxPartitions {
		return fmt.Errorf("setting --%s: must be 1 to %d", partitionsFlag, postgres.MaxPartitions)
	}
	return nil
}

func printMigrations(ctx context.Context, c *cli.Command, cfg config.Config, db *sqlstore.DB) error {
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
	return errors.Join(table.Flush(), printPartitions(ctx, c, cfg))
}

// printPartitions says nothing of tables that are whole.
func printPartitions(ctx context.Context, c *cli.Command, cfg config.Config) error {
	if engine, _, _ := cfg.Database(); engine != config.Postgres {
		return nil
	}
	n, err := postgres.Partitions(ctx, cfg.DatabaseURL)
	if err != nil || n == 1 {
		return err
	}
	_, err = fmt.Fprintf(c.Root().Writer, "content lies in %d partitions\n", n)
	return err
}
