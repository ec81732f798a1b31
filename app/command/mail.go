package command

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/service"
)

func mailTestCommand() *cli.Command {
	cfg := config.Default()
	var to string
	return &cli.Command{
		Name:  "test",
		Usage: "send a mail and say what happened",
		Flags: append(
			cfg.MailFlags(), cfg.BaseFlag(),
			&cli.StringFlag{Name: "to", Usage: "address of the receiver", Required: true, Destination: &to},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := cfg.Validate(); err != nil {
				return err
			}
			if !cfg.Mails() {
				return errors.New("setting --smtp-url: is required to send e-mails")
			}
			receiver, err := mail.ParseAddress(to)
			if err != nil {
				return fmt.Errorf("setting --to: %q is not an e-mail address", to)
			}
			base := cfg.BaseURL
			if base == "" {
				base = "http://" + cfg.Listen
			}
			sender, writer, err := service.NewMailSender(cfg, base)
			if err != nil {
				return err
			}
			defer sender.Close()
			written, err := writer.Test(*receiver, time.Now())
			if err != nil {
				return err
			}
			encrypted, answer := sender.Deliver(ctx, written)
			if answer.Fault != "" {
				return errors.New("the mail was not sent: " + answer.Fault)
			}
			if encrypted == "" {
				encrypted = "without encryption"
			}
			fmt.Fprintf(c.Root().Writer, "sent to %s, %s; the server now delivers it\n", written.To, encrypted)
			return nil
		},
	}
}
