package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/identity"
	"imprimatur/ports"
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

// userResetCommand sets the password of a user who cannot sign in.
func userResetCommand() *cli.Command {
	cfg := config.Default()
	var email string
	return &cli.Command{
		Name:  "reset",
		Usage: "set a user's password and end the sessions; the password is the first line of standard input",
		Flags: append(cfg.DatabaseFlags(), emailFlag(&email)),
		Action: func(ctx context.Context, c *cli.Command) error {
			password, err := firstLine(c.Root().Reader)
			if err != nil {
				return err
			}
			return withUser(ctx, cfg, email, func(user core.User, p people) error {
				if err := p.passwords.Set(ctx, core.SystemActor, user.ID, identity.PasswordChange{New: password}); err != nil {
					return err
				}
				fmt.Fprintf(c.Root().Writer, "user %d: %s has a new password, all sessions have ended\n", user.ID, user.Email)
				if !user.Active {
					fmt.Fprintln(c.Root().Writer, "the account is not active: an administrator has to activate it")
				}
				return nil
			})
		},
	}
}

// userSessionsCommand lists the sessions of a user, or ends them.
func userSessionsCommand() *cli.Command {
	cfg := config.Default()
	var email string
	var end bool
	return &cli.Command{
		Name:  "sessions",
		Usage: "list the sessions of a user: start, end, address, browser",
		Flags: append(cfg.DatabaseFlags(), emailFlag(&email),
			&cli.BoolFlag{Name: "end", Usage: "end them all", Destination: &end}),
		Action: func(ctx context.Context, c *cli.Command) error {
			return withUser(ctx, cfg, email, func(user core.User, p people) error {
				open, err := p.stores.Sessions.Sessions(ctx, user.ID)
				if err != nil {
					return err
				}
				open = slices.DeleteFunc(open, func(s account.Session) bool { return time.Now().After(s.ExpiresAt) })
				for _, s := range open {
					fmt.Fprintf(c.Root().Writer, "%s\t%s\t%s\t%s\n", core.TimeText(s.CreatedAt), core.TimeText(s.ExpiresAt), s.Address, printable(s.UserAgent))
				}
				if !end {
					return nil
				}
				err = p.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
					return stores.Sessions.DeleteByUser(ctx, user.ID)
				})
				if err != nil {
					return err
				}
				fmt.Fprintf(c.Root().Writer, "ended %d sessions\n", len(open))
				return nil
			})
		},
	}
}

// userFactorsCommand shows the second factors of a user, or removes them.
func userFactorsCommand() *cli.Command {
	cfg := config.Default()
	var email string
	var remove bool
	return &cli.Command{
		Name:  "factors",
		Usage: "show the second factors of a user",
		Flags: append(cfg.DatabaseFlags(), emailFlag(&email),
			&cli.BoolFlag{Name: "remove", Usage: "remove them all and end all sessions", Destination: &remove}),
		Action: func(ctx context.Context, c *cli.Command) error {
			return withUser(ctx, cfg, email, func(user core.User, p people) error {
				own, err := p.factors.Own(ctx, core.Actor{User: &user})
				if err != nil {
					return err
				}
				fmt.Fprintf(c.Root().Writer, "user %d: %s: authenticator app: %t, passkeys: %d, recovery codes: %d\n", user.ID, user.Email, own.TOTP, own.Passkeys, own.Recovery)
				if !remove {
					return nil
				}
				if err := p.factors.Reset(ctx, core.SystemActor, user.ID); err != nil {
					return err
				}
				fmt.Fprintln(c.Root().Writer, "removed, all sessions have ended; the password alone signs in")
				return nil
			})
		},
	}
}

func emailFlag(email *string) cli.Flag {
	return &cli.StringFlag{Name: "email", Usage: "the address that the user signs in with", Required: true, Destination: email}
}

// people is what commands about users need.
type people struct {
	passwords *identity.Passwords
	factors   *identity.Factors
	stores    ports.Stores
	tx        ports.Tx
}

// withUser calls work with the user who has an e-mail address.
func withUser(ctx context.Context, cfg config.Config, email string, work func(core.User, people) error) error {
	var p people
	stop, err := service.UseExisting(ctx, cfg, &p.passwords, &p.factors, &p.stores, &p.tx)
	if err != nil {
		return err
	}
	defer stop()
	user, err := p.stores.Users.UserByEmail(ctx, address.Mailbox(email))
	if err != nil {
		return err
	}
	return work(user, p)
}

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return "", errors.New("no password on standard input; try: echo 'a long password' | imprimatur user …")
	}
	return line, nil
}
