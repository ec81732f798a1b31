package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/wire"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/delivery"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// selection has the flags and arguments that select deliveries.
type selection struct {
	statuses        []webhook.DeliveryStatus // that --status may have
	project, status string
	webhook         int64
}

// flags returns the flags of a command that takes deliveries with some statuses.
func (s *selection) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "project", Usage: "the project's UUID; without it all projects", Destination: &s.project},
		&cli.Int64Flag{Name: "webhook", Usage: "the webhook's id; without it all webhooks", Destination: &s.webhook},
		&cli.StringFlag{Name: "status", Usage: statusNames(s.statuses), Destination: &s.status},
	}
}

func statusNames(statuses []webhook.DeliveryStatus) string {
	names := make([]string, len(statuses))
	for i, s := range statuses {
		names[i] = string(s)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// check returns the faults of the flags.
func (s *selection) check(c *cli.Command) error {
	switch {
	case c.IsSet("webhook") && s.webhook < 1:
		return errors.New("setting --webhook: must be at least 1")
	case c.IsSet("status") && !slices.Contains(s.statuses, webhook.DeliveryStatus(s.status)):
		return fmt.Errorf("setting --status: must be %s", statusNames(s.statuses))
	default:
		return nil
	}
}

// checkChange returns the faults of a command that changes deliveries: it never changes all of them
// unasked.
func (s *selection) checkChange(c *cli.Command) error {
	switch {
	case c.Args().Present() && s.status != "":
		return errors.New("select deliveries either by their ids or with --status")
	case !c.Args().Present() && s.project == "" && s.webhook == 0 && s.status == "":
		return errors.New("select deliveries: by their ids, or with --project, --webhook or --status")
	default:
		return s.check(c)
	}
}

// resolve returns the selection, with ids from arguments.
func (s *selection) resolve(ctx context.Context, projects ports.ProjectStore, arguments []string) (delivery.Selection, error) {
	selected := delivery.Selection{WebhookID: s.webhook, Status: webhook.DeliveryStatus(s.status)}
	for _, argument := range arguments {
		id, err := strconv.ParseInt(argument, 10, 64)
		if err != nil || id < 1 {
			return selected, fmt.Errorf("%q is not the id of a delivery", argument)
		}
		selected.IDs = append(selected.IDs, id)
	}
	if s.project != "" {
		p, err := projects.ProjectByUUID(ctx, s.project)
		if err != nil {
			return selected, err
		}
		selected.ProjectID = p.ID
	}
	return selected, nil
}

// mostListed is the greatest --limit.
const mostListed = 1000

func deliveriesListCommand() *cli.Command {
	cfg := config.Default()
	s := selection{statuses: []webhook.DeliveryStatus{webhook.DeliveryGathering, webhook.DeliveryWaiting, webhook.DeliveryDelivered, webhook.DeliveryParked}}
	var limit int
	var asJSON bool
	return &cli.Command{
		Name:  "list",
		Usage: "list deliveries to webhooks, newest first",
		Flags: slices.Concat(cfg.DatabaseFlags(), s.flags(), []cli.Flag{
			&cli.IntFlag{Name: "limit", Usage: "how many, at most 1000", Value: 50, Destination: &limit},
			&cli.BoolFlag{Name: "json", Usage: "write JSON Lines, with all attempts", Destination: &asJSON},
		}),
		Action: func(ctx context.Context, c *cli.Command) error {
			if limit < 1 || limit > mostListed {
				return fmt.Errorf("setting --limit: must be from 1 to %d", mostListed)
			}
			if err := s.check(c); err != nil {
				return err
			}
			var stores ports.Stores
			var operations *delivery.Operations
			stop, err := service.UseExisting(ctx, cfg, &stores, &operations)
			if err != nil {
				return err
			}
			defer stop()
			selected, err := s.resolve(ctx, stores.Projects, nil)
			if err != nil {
				return err
			}
			listed, err := operations.List(ctx, selected, limit)
			if err != nil {
				return err
			}
			projects, err := projectsOf(ctx, stores.Projects, listed)
			if err != nil {
				return err
			}
			if asJSON {
				return writeDeliveries(c.Root().Writer, projects, listed)
			}
			return showDeliveries(c.Root().Writer, projects, listed)
		},
	}
}

// projectsOf returns the Projects of deliveries by id.
func projectsOf(ctx context.Context, projects ports.ProjectStore, listed []delivery.Listed) (map[int64]core.Project, error) {
	byID := map[int64]core.Project{}
	for _, d := range listed {
		byID[d.ProjectID] = core.Project{} // one that is deleted meanwhile has no name
	}
	var ids []int64
	for id := range byID {
		ids = append(ids, id)
	}
	found, err := projects.ProjectsByIDs(ctx, ids)
	for _, p := range found {
		byID[p.ID] = *p
	}
	return byID, err
}

// listedDelivery is a line of the JSON output.
type listedDelivery struct {
	Project   string `json:"project"` // UUID
	WebhookID int64  `json:"webhookId"`
	wire.Delivery
}

func writeDeliveries(w io.Writer, projects map[int64]core.Project, listed []delivery.Listed) error {
	lines := json.NewEncoder(w)
	for _, d := range listed {
		if err := lines.Encode(listedDelivery{projects[d.ProjectID].UUID, d.WebhookID, wire.DeliveryOf(d.Logged)}); err != nil {
			return err
		}
	}
	return nil
}

func showDeliveries(w io.Writer, projects map[int64]core.Project, listed []delivery.Listed) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tPROJECT\tWEBHOOK\tTYPE\tEVENTS\tSTATUS\tATTEMPTS\tNEXT OR END\tLAST ANSWER")
	for _, d := range listed {
		fmt.Fprintf(table, "%d\t%s\t%d %s\t%s\t%d\t%s\t%d\t%s\t%s\n", d.ID, printable(core.Clip(projects[d.ProjectID].Name)), d.WebhookID, printable(core.Clip(d.Webhook.Name)),
			d.Type, d.Count, d.Status, d.Attempts, core.FormatTime(endOrNext(d.Delivery)), lastAnswer(d.Log))
	}
	return table.Flush()
}

func endOrNext(d webhook.Delivery) time.Time {
	if d.EndedAt.IsZero() {
		return d.DueAt
	}
	return d.EndedAt
}

// lastAnswer returns the status of the last response, or why none came.
func lastAnswer(log []webhook.DeliveryAttempt) string {
	if len(log) == 0 {
		return "-"
	}
	last := log[len(log)-1]
	if last.Code == 0 {
		return last.Fault
	}
	return strconv.Itoa(last.Code)
}

func deliveriesRetryCommand() *cli.Command {
	return changeDeliveries("retry", "send deliveries again, now: those with the given ids, or all parked ones of a selection",
		[]webhook.DeliveryStatus{webhook.DeliveryParked, webhook.DeliveryWaiting},
		func(ctx context.Context, operations *delivery.Operations, selected delivery.Selection) (string, error) {
			retried, left, err := operations.Retry(ctx, selected)
			text := fmt.Sprintf("due now: %d", retried)
			if left > 0 {
				text += fmt.Sprintf("; parked because their webhook is off: %d", left)
			}
			return text, err
		})
}

func deliveriesParkCommand() *cli.Command {
	return changeDeliveries("park", "stop sending deliveries: those with the given ids, or all that wait of a selection",
		[]webhook.DeliveryStatus{webhook.DeliveryWaiting, webhook.DeliveryGathering},
		func(ctx context.Context, operations *delivery.Operations, selected delivery.Selection) (string, error) {
			parked, err := operations.Park(ctx, selected)
			return fmt.Sprintf("parked: %d", parked), err
		})
}

// changeDeliveries returns a command that changes selected deliveries with do and prints its result.
func changeDeliveries(
	name, usage string, statuses []webhook.DeliveryStatus, do func(context.Context, *delivery.Operations, delivery.Selection) (string, error),
) *cli.Command {
	cfg := config.Default()
	s := selection{statuses: statuses}
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: "[id...]",
		Flags:     append(cfg.DatabaseFlags(), s.flags()...),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := s.checkChange(c); err != nil {
				return err
			}
			var stores ports.Stores
			var operations *delivery.Operations
			stop, err := service.UseExisting(ctx, cfg, &stores, &operations)
			if err != nil {
				return err
			}
			defer stop()
			selected, err := s.resolve(ctx, stores.Projects, c.Args().Slice())
			if err != nil {
				return err
			}
			result, err := do(ctx, operations, selected)
			if err == nil {
				fmt.Fprintln(c.Root().Writer, result)
			}
			return err
		},
	}
}
