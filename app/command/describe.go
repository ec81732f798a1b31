package command

import (
	"context"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/graphql"
	"imprimatur/adapters/rest"
)

func openAPICommand() *cli.Command {
	return describeCommand("openapi", "print the OpenAPI 3.1 document as YAML", func() []byte { return rest.New(rest.Deps{}).OpenAPI() })
}

func schemaCommand() *cli.Command {
	c := describeCommand("schema", "print the GraphQL schema, or keep the definitions of a project as a file", func() []byte { return []byte(graphql.SDL()) })
	c.Commands = []*cli.Command{schemaPullCommand(), schemaPlanCommand(), schemaApplyCommand(), schemaCheckCommand()}
	return c
}

func describeCommand(name, usage string, describe func() []byte) *cli.Command {
	return &cli.Command{Name: name, Usage: usage, Action: func(_ context.Context, c *cli.Command) error {
		_, err := c.Root().Writer.Write(describe())
		return err
	}}
}
