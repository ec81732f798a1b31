package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"imprimatur/app/build"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version, the commit, the version of Go and the last migration",
		Action: func(_ context.Context, c *cli.Command) error {
			_, err := fmt.Fprintln(c.Root().Writer, build.Read())
			return err
		},
	}
}
