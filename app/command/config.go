package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
)

func configCommand() *cli.Command {
	cfg := config.Default()
	flags := cfg.Flags()
	return &cli.Command{
		Name: "config", Usage: "check the settings of serve and print them, secrets masked", Flags: flags,
		Action: func(_ context.Context, c *cli.Command) error {
			for _, line := range config.Show(flags, c.IsSet) {
				if _, err := fmt.Fprintln(c.Root().Writer, line); err != nil {
					return err
				}
			}
			return cfg.Validate()
		},
	}
}
