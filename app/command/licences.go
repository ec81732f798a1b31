package command

import (
	"context"

	"github.com/urfave/cli/v3"

	"imprimatur/app/licences"
)

func licencesCommand() *cli.Command {
	return &cli.Command{
		Name: "licences", Aliases: []string{"licenses"}, Usage: "print the licences of the third-party works inside the program",
		Action: func(_ context.Context, c *cli.Command) error { return licences.Write(c.Root().Writer) },
	}
}
