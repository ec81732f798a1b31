package command

import (
	"context"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/graphql"
	"imprimatur/adapters/rest"
)

func openAPICommand() *cli.Command {
	return &cli.Command{
		Name:  "openapi",
		Usage: "print the OpenAPI 3.1 document as YAML",
		Action: func(_ context.Context, c *cli.Command) error {
			return printText(c, rest.New(rest.Deps{}).OpenAPI())
		},
	}
}

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the GraphQL schema",
		Action: func(_ context.Context, c *cli.Command) error {
			return printText(c, []byte(graphql.SDL()))
		},
	}
}

func printText(c *cli.Command, text []byte) error {
	_, err := c.Root().Writer.Write(text)
	return err
}
