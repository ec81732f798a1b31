package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
)

func userCreateCommand() *cli.Command {
	cfg := config.Default()
	var in access.UserInput
	var tenantID int64
	return &cli.Command{
		Name:  "create",
		Usage: "create a user; the password is the first line of standard input",
		Flags: append(cfg.DatabaseFlags(),
			&cli.StringFlag{Name: "email", Usage: "the address to sign in with", Required: true, Destination: &in.Email},
			&cli.StringFlag{Name: "name", Usage: "the person's name", Destination: &in.Name},
			&cli.BoolFlag{Name: "super-admin", Usage: "has all permissions everywhere", Destination: &in.SuperAdmin},
			&cli.Int64Flag{Name: "tenant", Usage: "id of the tenant that manages the user; 0 is the platform", Destination: &tenantID},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			var err error
			if in.Password, err = firstLine(c.Root().Reader); err != nil {
				return err
			}
			if in.Name == "" {
				in.Name, _, _ = strings.Cut(in.Email, "@")
			}
			var users *access.Users
			stop, err := service.Use(ctx, cfg, &users)
			if err != nil {
				return err
			}
			defer stop()
			user, err := users.Create(ctx, core.SystemActor, tenantID, in)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.Root().Writer, "user %d: %s\n", user.ID, user.Email)
			return nil
		},
	}
}

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return "", errors.New("no password on standard input; try: echo 'a long password' | imprimatur user create …")
	}
	return line, nil
}
