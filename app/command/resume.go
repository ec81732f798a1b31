package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/approval"
	"imprimatur/core/installation"
	"imprimatur/ports"
)

func resumeCommand() *cli.Command {
	cfg := config.Default()
	r := resume{}
	return &cli.Command{
		Name:  "resume",
		Usage: "end the pause after a restore; without settings, show what a decision is about",
		Description: "After a restore nothing is published by time and nothing is sent. The command prints what is due, the tokens that are off, " +
			"and the people with their roles and second factors, all as of the backup. With --due, --deliveries and --tokens it then ends the pause.",
		Flags: append(cfg.DatabaseFlags(),
			&cli.StringFlag{Name: "due", Usage: "publish publishes and unpublishes what is due; skip clears the times and leaves requests approved", Destination: &r.due},
			&cli.StringFlag{Name: "deliveries", Usage: "send sends the messages to webhooks and the e-mails that wait; park keeps them for deliveries retry", Destination: &r.deliveries},
			&cli.StringFlag{Name: "tokens", Usage: "keep switches on the tokens that the restore switched off; revoke revokes them", Destination: &r.tokens},
			&cli.Int64Flag{Name: "release-numbers-from", Usage: "the smallest number that approval requests of this year get, because smaller ones may have been given after the backup", Destination: &r.releases},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			r.command = c
			return r.run(ctx, cfg)
		},
	}
}

// resume is one run of the command.
type resume struct {
	command                 *cli.Command
	due, deliveries, tokens string
	releases                int64

	db     *sqlstore.DB
	stores ports.Stores
	worker *approval.Worker
}

// choices are the values of the settings that end the pause.
var choices = map[string][2]string{"due": {"publish", "skip"}, "deliveries": {"send", "park"}, "tokens": {"keep", "revoke"}}

func (r *resume) run(ctx context.Context, cfg config.Config) error {
	missing, err := r.missing()
	if err != nil {
		return err
	}
	stop, err := service.UseExisting(ctx, cfg, &r.db, &r.stores, &r.worker)
	if err != nil {
		return err
	}
	defer stop()
	state, err := r.stores.Installation.Installation(ctx)
	if err != nil {
		return err
	}
	out := r.command.Root().Writer
	if !state.Paused() {
		_, err := fmt.Fprintln(out, "the installation is not paused")
		return err
	}
	if err := r.show(ctx, out); err != nil {
		return err
	}
	if len(missing) > 0 {
		_, err := fmt.Fprintf(out, "\nThe installation stays paused: %s missing.\n", strings.Join(missing, " and "))
		return err
	}
	return r.resume(ctx, out)
}

// missing returns the settings that are not given, with their values.
func (r *resume) missing() (missing []string, err error) {
	if r.releases < 0 {
		return nil, fmt.Errorf("setting --release-numbers-from: is %d, but must be positive", r.releases)
	}
	for _, given := range []struct{ name, value string }{{"due", r.due}, {"deliveries", r.deliveries}, {"tokens", r.tokens}} {
		allowed := choices[given.name]
		switch given.value {
		case "":
			missing = append(missing, fmt.Sprintf("--%s %s|%s", given.name, allowed[0], allowed[1]))
		case allowed[0], allowed[1]:
		default:
			return nil, fmt.Errorf("setting --%s: is %q, but must be %s or %s", given.name, given.value, allowed[0], allowed[1])
		}
	}
	return missing, nil
}

func (r *resume) resume(ctx context.Context, out io.Writer) error {
	if r.due == "skip" {
		skipped, err := r.worker.SkipDue(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%d due times skipped\n", skipped)
	}
	err := r.db.Resume(ctx, installation.Resumption{KeepTokens: r.tokens == "keep", Park: r.deliveries == "park", ReleaseNumbersFrom: r.releases})
	if err == nil {
		_, err = fmt.Fprintln(out, "\nthe installation goes on")
	}
	return err
}

// shownDue bounds the schedules that are printed.
const shownDue = 1000

// show prints what is due, the tokens that are off, what waits to be sent, and the people.
func (r *resume) show(ctx context.Context, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	err := errors.Join(r.showDue(ctx, table), r.showTokens(ctx, table), r.showWaiting(ctx, table), r.showPeople(ctx, table))
	return errors.Join(err, table.Flush())
}

func (r *resume) showDue(ctx context.Context, out io.Writer) error {
	due, err := r.stores.Schedules.Due(ctx, shownDue)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Due: %d\n", len(due))
	for _, s := range due {
		fmt.Fprintf(out, "  %s\t%s\tproject %d\tentry %d\trequest %d\n", core.FormatTime(s.DueAt), s.Action, s.ProjectID, s.EntryID, s.RequestID)
	}
	return nil
}

func (r *resume) showTokens(ctx context.Context, out io.Writer) error {
	off, err := r.db.OffTokens(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nTokens that are off: %d\n", len(off))
	for _, t := range off {
		used := "never used"
		if !t.LastUsedAt.IsZero() {
			used = "last used " + core.TimeText(t.LastUsedAt)
		}
		fmt.Fprintf(out, "  %d\t%s\tproject %d\t%v\tdrafts %t\thistory %t\t%s\n",
			t.ID, printable(t.Name), t.ProjectID, t.Abilities, t.AllowDrafts, t.AllowHistory, used)
	}
	return nil
}

func (r *resume) showWaiting(ctx context.Context, out io.Writer) error {
	deliveries, _, err := r.stores.Deliveries.Waiting(ctx)
	if err != nil {
		return err
	}
	mails, _, err := r.stores.Mails.Backlog(ctx)
	fmt.Fprintf(out, "\nWaiting: %d messages to webhooks, %d e-mails\n", deliveries, mails)
	return err
}

// peoplePage is the number of accounts that are read at once.
const peoplePage = 200

func (r *resume) showPeople(ctx context.Context, out io.Writer) error {
	fmt.Fprintln(out, "\nPeople with roles or second factors, as of the backup:")
	for offset := int64(0); ; offset += peoplePage {
		users, err := r.stores.Users.Users(ctx, 0, offset, peoplePage)
		if err != nil {
			return err
		}
		more := len(users) > peoplePage
		users = users[:min(len(users), peoplePage)]
		if err := r.showUsers(ctx, out, users); err != nil || !more {
			return err
		}
	}
}

func (r *resume) showUsers(ctx context.Context, out io.Writer, users []core.User) error {
	ids := make([]int64, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	held, err := r.stores.Grants.Roles(ctx, ids)
	if err != nil {
		return err
	}
	roles := map[int64][]string{}
	for _, h := range held {
		roles[h.UserID] = append(roles[h.UserID], roleText(h))
	}
	for _, u := range users {
		if u.SuperAdmin {
			roles[u.ID] = append([]string{"super admin"}, roles[u.ID]...)
		}
		if len(roles[u.ID]) == 0 && !u.HasFactor() {
			continue
		}
		fmt.Fprintf(out, "  %s\tactive %t\t%s\tauthenticator app %t\tpasskeys %d\n", printable(u.Email), u.Active, strings.Join(roles[u.ID], ", "), u.TOTP, u.Passkeys)
	}
	return nil
}

// roleText is a role with its place.
func roleText(h account.HeldRole) string {
	name := string(h.Role)
	if h.CustomRole.ID != 0 {
		name = h.CustomRole.Name
	}
	return printable(name + " of " + h.Place)
}

func restoredCommand() *cli.Command {
	cfg := config.Default()
	return &cli.Command{
		Name:  "restored",
		Usage: "tell the installation that other tools have restored its database: it begins another epoch and pauses, as after imprimatur restore",
		Flags: cfg.DatabaseFlags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			var db *sqlstore.DB
			stop, err := service.UseExisting(ctx, cfg, &db)
			if err != nil {
				return err
			}
			defer stop()
			if err := db.BeginEpoch(ctx); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.Root().Writer, paused)
			return err
		},
	}
}

// paused is what restores say at their end.
const paused = "the installation is paused: nothing is published by time, and nothing is sent; end the pause with imprimatur resume"
