package command

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/ports"
)

func tokenCreateCommand() *cli.Command {
	cfg := config.Default()
	var (
		in        access.TokenInput
		project   string
		abilities []string
		expiresIn time.Duration
	)
	return &cli.Command{
		Name:  "create",
		Usage: "create a token of a project and print its secret once",
		Flags: append(cfg.DatabaseFlags(),
			&cli.StringFlag{Name: "project", Usage: "the project's UUID", Required: true, Destination: &project},
			&cli.StringFlag{Name: "name", Usage: "what the token is for", Required: true, Destination: &in.Name},
			&cli.StringSliceFlag{Name: "ability", Usage: "read, create, update or delete; may be repeated", Value: []string{"read"}, Destination: &abilities},
			&cli.BoolFlag{Name: "allow-drafts", Usage: "may read drafts", Destination: &in.AllowDrafts},
			&cli.BoolFlag{Name: "allow-history", Usage: "may read what was public at earlier times", Destination: &in.AllowHistory},
			&cli.DurationFlag{Name: "expires-in", Usage: "how long the token is valid; 0 means without expiry", Destination: &expiresIn},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			for _, a := range abilities {
				in.Abilities = append(in.Abilities, core.Ability(a))
			}
			var tokens *access.Tokens
			var schemas ports.Schemas
			var clock ports.Clock
			stop, err := service.UseExisting(ctx, cfg, &tokens, &schemas, &clock)
			if err != nil {
				return err
			}
			defer stop()
			if expiresIn != 0 {
				in.ExpiresAt = new(clock.Now().Add(expiresIn))
			}
			p, err := schemas.ProjectByUUID(ctx, project)
			if err != nil {
				return err
			}
			token, secret, err := tokens.Create(ctx, core.SystemActor, p, in)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(c.Root().Writer, secret); err != nil {
				return revokeUnprinted(context.WithoutCancel(ctx), tokens, p, token.ID, err)
			}
			return nil
		},
	}
}

// revokeUnprinted revokes a token whose secret could not be printed because of cause.
func revokeUnprinted(ctx context.Context, tokens *access.Tokens, p *core.Project, id int64, cause error) error {
	if err := tokens.Revoke(ctx, core.SystemActor, p, id); err != nil {
		return fmt.Errorf("cannot print the secret of token %d (%w), and cannot revoke the token: %s", id, cause, Sentence(err))
	}
	return fmt.Errorf("cannot print the secret; the token is revoked: %w", cause)
}
