package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/wire"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/definition/schema"
	"imprimatur/ports"
)

// schemas reads and changes the definitions of a project, on a database or by requests to a service.
type schemas interface {
	pull(ctx context.Context) (wire.SchemaFile, error)
	plan(ctx context.Context, in wire.SchemaPlanning) (wire.SchemaPlan, error)
	apply(ctx context.Context, in wire.SchemaApplying) (wire.SchemaPlan, error)
}

// schemaTarget is the project that flags name, and where it is.
type schemaTarget struct {
	cfg               config.Config
	url, token, uuid  string
	out               string
	planned           string
	acknowledge, drop bool
}

func (t *schemaTarget) flags(more ...cli.Flag) []cli.Flag {
	t.cfg = config.Default()
	return append(append(t.cfg.DatabaseFlags(),
		&cli.StringFlag{Name: "url", Usage: "the address of a running service, in place of a database", Destination: &t.url},
		config.TokenFlag(&t.token),
		&cli.StringFlag{Name: "project", Usage: "the project's UUID", Required: true, Destination: &t.uuid},
	), more...)
}

// open returns the schemas that the flags name.
func (t *schemaTarget) open(ctx context.Context) (found schemas, stop func(), err error) {
	if t.url != "" {
		found, err = newProjectClient(t.url, t.token, t.uuid)
		return found, func() {}, err
	}
	if t.token != "" {
		return nil, nil, errors.New("--token needs --url")
	}
	var own ownSchemas
	var projects ports.Schemas
	stop, err = service.UseExisting(ctx, t.cfg, &own.planner, &projects)
	if err != nil {
		return nil, nil, err
	}
	if own.project, err = projects.ProjectByUUID(ctx, t.uuid); err != nil {
		stop()
		return nil, nil, err
	}
	return own, stop, nil
}

// ownSchemas are those of a database.
type ownSchemas struct {
	planner *schema.Planner
	project *core.Project
}

func (s ownSchemas) pull(ctx context.Context) (wire.SchemaFile, error) {
	found, err := s.planner.Pull(ctx, s.project)
	return wire.SchemaFileOf(found), err
}

func (s ownSchemas) plan(ctx context.Context, in wire.SchemaPlanning) (wire.SchemaPlan, error) {
	plan, err := s.planner.Plan(ctx, core.SystemActor, s.project, []byte(in.Schema))
	return wire.SchemaPlanOf(plan), err
}

func (s ownSchemas) apply(ctx context.Context, in wire.SchemaApplying) (wire.SchemaPlan, error) {
	plan, err := s.planner.Apply(ctx, core.SystemActor, s.project, []byte(in.Schema), in.Options())
	return wire.SchemaPlanOf(plan), err
}

// plannedSchema is the file of plan --out: a file of definitions and the definitions that it was planned for.
type plannedSchema struct {
	Format  int    `json:"format"`
	Project string `json:"project"`
	Base    string `json:"base"`
	Schema  string `json:"schema"`
}

const plannedFormat = 1

func schemaPullCommand() *cli.Command {
	var t schemaTarget
	return &cli.Command{
		Name: "pull", Usage: "write the definitions of a project as a file",
		Flags: t.flags(&cli.StringFlag{Name: "out", Usage: "the file to write; - is standard output", Value: "-", Destination: &t.out}),
		Action: func(ctx context.Context, c *cli.Command) error {
			return t.with(ctx, func(s schemas) error {
				file, err := s.pull(ctx)
				if err != nil {
					return err
				}
				return writeOutput(c, t.out, func(w io.Writer) error {
					_, err := io.WriteString(w, file.Schema)
					return err
				})
			})
		},
	}
}

func schemaPlanCommand() *cli.Command {
	var t schemaTarget
	return &cli.Command{
		Name: "plan", Usage: "print what a file of definitions would change", ArgsUsage: "<file, or - for standard input>",
		Flags: t.flags(&cli.StringFlag{Name: "out", Usage: "also write the plan to this file, for apply --plan", Destination: &t.out}),
		Action: func(ctx context.Context, c *cli.Command) error {
			return t.withFile(ctx, c, func(s schemas, text string) error {
				plan, err := s.plan(ctx, wire.SchemaPlanning{Schema: text})
				if err != nil {
					return err
				}
				printChanges(c.Root().Writer, plan)
				if t.out == "" {
					return nil
				}
				return writeOutput(c, t.out, func(w io.Writer) error {
					return json.NewEncoder(w).Encode(plannedSchema{plannedFormat, t.uuid, plan.Base, text})
				})
			})
		},
	}
}

func schemaCheckCommand() *cli.Command {
	var t schemaTarget
	return &cli.Command{
		Name: "check", Usage: "exit with 1 unless the definitions of a project are those of a file", ArgsUsage: "<file, or - for standard input>",
		Flags: t.flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			return t.withFile(ctx, c, func(s schemas, text string) error {
				plan, err := s.plan(ctx, wire.SchemaPlanning{Schema: text})
				if err != nil {
					return err
				}
				printChanges(c.Root().Writer, plan)
				if len(plan.Changes)+len(plan.Refused) > 0 {
					return exitCode(1)
				}
				return nil
			})
		},
	}
}

func schemaApplyCommand() *cli.Command {
	var t schemaTarget
	return &cli.Command{
		Name: "apply", Usage: "make the definitions of a project those of a file, in one transaction", ArgsUsage: "<file, or - for standard input; none with --plan>",
		Description: "Without --plan the file is applied to the definitions as they are now. Exit code 1: refused, nothing has changed.",
		Flags: t.flags(
			&cli.StringFlag{Name: "plan", Usage: "the file of plan --out: applies it only to the definitions that it was made for", Destination: &t.planned},
			&cli.BoolFlag{Name: "allow-remove", Usage: "remove what the file does not have", Destination: &t.drop},
			&cli.BoolFlag{Name: "acknowledge", Usage: "confirm what readers of published entries of a governed project see", Destination: &t.acknowledge},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			in := wire.SchemaApplying{AllowRemove: t.drop, Acknowledge: t.acknowledge}
			if t.planned == "" {
				return t.withFile(ctx, c, func(s schemas, text string) error {
					plan, err := s.plan(ctx, wire.SchemaPlanning{Schema: text})
					if err != nil {
						return err
					}
					in.Schema, in.Base = text, plan.Base
					return apply(ctx, c, s, in)
				})
			}
			if c.Args().Present() {
				return errors.New("--plan has the file: give no other one")
			}
			planned, err := t.readPlan()
			if err != nil {
				return err
			}
			in.Schema, in.Base = planned.Schema, planned.Base
			return t.with(ctx, func(s schemas) error { return apply(ctx, c, s, in) })
		},
	}
}

func apply(ctx context.Context, c *cli.Command, s schemas, in wire.SchemaApplying) error {
	plan, err := s.apply(ctx, in)
	if err != nil {
		return err
	}
	plan.Removes, plan.Acknowledge = false, nil // they were allowed
	printChanges(c.Root().Writer, plan)
	if n := len(plan.Changes); n > 0 {
		fmt.Fprintf(c.Root().Writer, "applied: %d changes\n", n)
	}
	return nil
}

func (t *schemaTarget) readPlan() (planned plannedSchema, err error) {
	content, err := os.ReadFile(t.planned)
	if err != nil {
		return planned, err
	}
	if err := json.Unmarshal(content, &planned); err != nil || planned.Format != plannedFormat {
		return planned, fmt.Errorf("%s is not a file of plan --out", t.planned)
	}
	if planned.Project != t.uuid {
		return planned, fmt.Errorf("%s is a plan for the project %s", t.planned, printable(planned.Project))
	}
	return planned, nil
}

// with calls do with the schemas that the flags name.
func (t *schemaTarget) with(ctx context.Context, do func(schemas) error) error {
	s, stop, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer stop()
	return do(s)
}

// withFile is with for a command whose argument is a file.
func (t *schemaTarget) withFile(ctx context.Context, c *cli.Command, do func(s schemas, text string) error) error {
	if c.Args().Len() != 1 {
		return errors.New("schema " + c.Name + " needs one file, or - for standard input")
	}
	var text []byte
	var err error
	if c.Args().First() == "-" {
		text, err = io.ReadAll(io.LimitReader(c.Root().Reader, schema.MaxText+1))
	} else {
		text, err = os.ReadFile(c.Args().First())
	}
	if err != nil {
		return err
	}
	return t.with(ctx, func(s schemas) error { return do(s, string(text)) })
}

// changeMarks begin the line of a change.
var changeMarks = map[string]string{string(core.ChangeAdded): "+", string(core.ChangeRemoved): "-", string(core.ChangeEdited): "~"}

// printChanges prints a plan for people.
func printChanges(w io.Writer, plan wire.SchemaPlan) {
	var out bytes.Buffer
	for _, c := range plan.Changes {
		fmt.Fprintf(&out, "%s %s", changeMarks[c.Change], c.Path)
		if c.Restores {
			out.WriteString(" (gets back the values that entries still have)")
		}
		if c.Stored != nil {
			fmt.Fprintf(&out, " (%d entries, %d public)", *c.Stored, *c.Public)
		}
		out.WriteByte('\n')
		for _, o := range c.Options {
			fmt.Fprintf(&out, "    %s: %s -> %s\n", o.Name, printable(string(o.Before)), printable(string(o.After)))
		}
	}
	for _, p := range plan.Refused {
		fmt.Fprintf(&out, "! %s: %s\n", p.Path, printable(p.Message))
	}
	if len(plan.Acknowledge) > 0 {
		out.WriteString("needs --acknowledge, for what readers of published entries would see:\n")
	}
	for _, p := range plan.Acknowledge {
		fmt.Fprintf(&out, "    %s: %s\n", p.Path, printable(p.Message))
	}
	if plan.Removes {
		out.WriteString("needs --allow-remove\n")
	}
	if out.Len() == 0 {
		out.WriteString("no changes\n")
	}
	_, _ = w.Write(out.Bytes()) // outputWriter keeps the error
}
