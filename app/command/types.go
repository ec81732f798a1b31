package command

import (
	"context"
	"io"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/typescript"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/ports"
)

func typesCommand() *cli.Command {
	cfg := config.Default()
	var project, out string
	return &cli.Command{
		Name:  "types",
		Usage: "write the collections of a project as a TypeScript module, for clients of the REST API",
		Flags: append(cfg.DatabaseFlags(),
			&cli.StringFlag{Name: "project", Usage: "the project's UUID", Required: true, Destination: &project},
			&cli.StringFlag{Name: "out", Usage: "the file to write; - is standard output", Value: "-", Destination: &out},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			var schemas ports.Schemas
			var stores ports.Stores
			stop, err := service.UseExisting(ctx, cfg, &schemas, &stores)
			if err != nil {
				return err
			}
			defer stop()
			p, err := schemas.ProjectByUUID(ctx, project)
			if err != nil {
				return err
			}
			collections, err := schemas.Collections(ctx, p.ID)
			if err != nil {
				return err
			}
			components, err := stores.Components.Components(ctx, p.ID)
			if err != nil {
				return err
			}
			return writeOutput(c, out, func(w io.Writer) error {
				_, err := w.Write(typescript.Module(p, collections, components))
				return err
			})
		},
	}
}
