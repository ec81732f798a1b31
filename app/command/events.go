package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/wire"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/ports"
)

func eventsExportCommand() *cli.Command {
	cfg := config.Default()
	var project, output string
	return &cli.Command{
		Name:  "export",
		Usage: "write all events of one project or of the whole installation as JSON Lines",
		Flags: append(cfg.DatabaseFlags(),
			&cli.StringFlag{Name: "project", Usage: "the project's UUID; without it the whole installation", Destination: &project},
			&cli.StringFlag{Name: "output", Usage: "the file to write; - is standard output", Value: "-", Destination: &output},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			var stores ports.Stores
			stop, err := service.UseExisting(ctx, cfg, &stores)
			if err != nil {
				return err
			}
			defer stop()
			query := ports.EventQuery{Limit: eventPage}
			if project != "" {
				p, err := stores.Projects.ProjectByUUID(ctx, project)
				if err != nil {
					return err
				}
				query.ProjectID = p.ID
			}
			written := 0
			err = writeOutput(c, output, func(w io.Writer) (err error) {
				written, err = exportEvents(ctx, stores.Events, query, w)
				return err
			})
			if err == nil {
				fmt.Fprintf(c.Root().ErrWriter, "%d events written\n", written)
			}
			return err
		},
	}
}

// eventPage is the number of events per query.
const eventPage = 1000

// exportEvents writes the events that query selects and returns their number.
func exportEvents(ctx context.Context, events ports.EventStore, query ports.EventQuery, w io.Writer) (written int, err error) {
	lines := json.NewEncoder(w)
	for {
		page, err := events.Events(ctx, query)
		if err != nil || len(page) == 0 {
			return written, err
		}
		for _, e := range page {
			if err := lines.Encode(wire.EventOf(e)); err != nil {
				return written, err
			}
		}
		written += len(page)
		query.After = page[len(page)-1].ID
	}
}
