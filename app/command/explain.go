package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/rest"
	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
)

func explainCommand() *cli.Command {
	t := target{cfg: config.Default()}
	return &cli.Command{
		Name:      "explain",
		Usage:     "print the plan, the SQL and the engine's own plan of one list request",
		ArgsUsage: "<query string of the request>",
		Flags:     t.flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() > 1 {
				return errors.New("explain needs one quoted query string")
			}
			query, err := rest.ParseQuery(c.Args().First())
			if err != nil {
				return err
			}
			stop, err := t.open(ctx)
			if err != nil {
				return err
			}
			defer stop()
			query.Collection = t.collection.Slug
			if query.Status != "" && query.State == "" {
				query.State = "with_draft" // as in the dashboard
			}
			listing, err := t.reader.Prepare(ctx, t.project, true, query)
			if err != nil {
				return err
			}
			explained, err := t.db.Explain(ctx, listing.Selection())
			if err != nil {
				return err
			}
			return printExplained(c.Root().Writer, explained)
		},
	}
}

func printExplained(out io.Writer, explained []sqlstore.Explained) error {
	if len(explained) == 0 {
		_, err := fmt.Fprintln(out, "The request selects no entries, so it needs no statement.")
		return err
	}
	for _, e := range explained {
		if _, err := fmt.Fprintf(out, "%s\n\n%s\nSQL\n\n%s\n\nArguments: %v\n\nQuery plan of the engine\n\n%s\n\n", e.Title, e.Plan, e.Statement.Text, e.Statement.Args, e.Engine); err != nil {
			return err
		}
	}
	return nil
}
