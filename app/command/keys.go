package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/signing"
)

// keysCommand returns a command on the signing keys of an installation.
func keysCommand(name, usage, arguments string, flags []cli.Flag, do func(ctx context.Context, c *cli.Command, keys *signing.Keys) error) *cli.Command {
	cfg := config.Default()
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: arguments, Flags: append(append(cfg.DatabaseFlags(), cfg.SecretFlag()), flags...),
		Action: func(ctx context.Context, c *cli.Command) error {
			var keys *signing.Keys
			stop, err := service.UseExisting(ctx, cfg, &keys)
			if err != nil {
				return err
			}
			defer stop()
			if err := do(ctx, c, keys); !errors.Is(err, signing.ErrSecret) {
				return err
			}
			return service.SecretFault()
		},
	}
}

func keysShowCommand() *cli.Command {
	return keysCommand("show", "print the public keys, as they are at "+signing.DocumentPath, "", nil, func(ctx context.Context, c *cli.Command, keys *signing.Keys) error {
		document, err := keys.Document(ctx)
		if err != nil {
			return err
		}
		lines := json.NewEncoder(c.Root().Writer)
		lines.SetIndent("", "  ")
		return lines.Encode(document)
	})
}

// replaceFlag confirms that a secret key which is not that of the database is not a mistake.
const replaceFlag = "new-secret-key"

func keysRotateCommand() *cli.Command {
	replace := &cli.BoolFlag{Name: replaceFlag, Usage: "make the given secret key that of the database; what only the old one opens is lost"}
	return keysCommand("rotate", "sign with a new key; what the old one signed stays valid", "", []cli.Flag{replace}, func(ctx context.Context, c *cli.Command, keys *signing.Keys) error {
		rotate := keys.Rotate
		if c.Bool(replaceFlag) {
			rotate = keys.Replace
		}
		made, err := rotate(ctx)
		if err != nil {
			return err
		}
		select { // until the new key signs, so that the next proof is signed by it
		case <-time.After(signing.Handover):
		case <-ctx.Done():
		}
		fmt.Fprintf(c.Root().Writer, "%s signs from %s on\n", made.Fingerprint, core.FormatTime(made.From))
		return nil
	})
}

func keysRevokeCommand() *cli.Command {
	return keysCommand("revoke", "revoke a key: nothing that it ever signed is valid any more", "KEY", nil, func(ctx context.Context, c *cli.Command, keys *signing.Keys) error {
		if c.Args().Len() != 1 {
			return errors.New("keys revoke takes the id of one KEY, as keys show prints it")
		}
		revoked, err := keys.Revoke(ctx, c.Args().First())
		if errors.Is(err, core.ErrNotFound) {
			return fmt.Errorf("no signing key has the id %s; keys show prints all", c.Args().First())
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Root().Writer, "%s is revoked since %s\n", revoked.Fingerprint, core.FormatTime(revoked.RevokedAt))
		return nil
	})
}
