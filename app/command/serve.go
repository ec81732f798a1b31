package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/service"
)

func serveCommand() *cli.Command {
	cfg := config.Default()
	return &cli.Command{
		Name:  "serve",
		Usage: "serve the content API and the dashboard API",
		Flags: cfg.Flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			return service.Run(ctx, cfg, func(a service.Addresses) {
				fmt.Fprintf(c.Root().ErrWriter, "imprimatur serves on %s (operations on %s)\n", a.Public, a.Ops)
			})
		},
	}
}
