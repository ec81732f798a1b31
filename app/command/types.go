package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/typescript"
	"imprimatur/adapters/wire"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/ports"
)

// watchInterval is the time between two looks of "types --watch" at the definitions.
const watchInterval = 2 * time.Second

func typesCommand() *cli.Command {
	t := types{cfg: config.Default()}
	return &cli.Command{
		Name:  "types",
		Usage: "write the collections of a project as a TypeScript module, for clients of the REST API",
		Flags: append(t.cfg.DatabaseFlags(),
			&cli.StringFlag{Name: "url", Usage: "the address of a running service, in place of a database", Destination: &t.url},
			config.TokenFlag(&t.token),
			&cli.StringFlag{Name: "project", Usage: "the project's UUID", Required: true, Destination: &t.uuid},
			&cli.StringFlag{Name: "out", Usage: "the file to write; - is standard output", Value: "-", Destination: &t.out},
			&cli.BoolFlag{Name: "check", Usage: "write nothing, and fail if the file of --out is not current", Destination: &t.check},
			&cli.BoolFlag{Name: "watch", Usage: "write the file of --out again after each change of the definitions, until it is interrupted", Destination: &t.watch},
		),
		Action: t.run,
	}
}

// types writes the module of one project.
type types struct {
	cfg              config.Config
	url, token, uuid string
	out              string
	check, watch     bool
}

func (t *types) run(ctx context.Context, c *cli.Command) error {
	switch {
	case t.out == "-" && (t.check || t.watch):
		return errors.New("--check and --watch need a file: --out")
	case t.check && t.watch:
		return errors.New("--check and --watch exclude each other")
	}
	module, stop, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer stop()
	current, err := module(ctx)
	switch {
	case err != nil:
		return err
	case t.check:
		return t.compare(current)
	}
	if err := t.write(c, current); err != nil || !t.watch {
		return err
	}
	return t.follow(ctx, c, module, current)
}

// compare returns an error unless the file has the text current.
func (t *types) compare(current []byte) error {
	written, err := os.ReadFile(t.out)
	if err != nil {
		return err
	}
	if !bytes.Equal(written, current) {
		return fmt.Errorf("%s is not current: run \"imprimatur types\" without --check", t.out)
	}
	return nil
}

func (t *types) write(c *cli.Command, module []byte) error {
	return writeOutput(c, t.out, func(w io.Writer) error {
		_, err := w.Write(module)
		return err
	})
}

// follow writes the file whenever the module differs from the one written last, until ctx ends. A look that fails
// is reported once, and tried again.
func (t *types) follow(ctx context.Context, c *cli.Command, module readModule, written []byte) error {
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	reported := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		current, err := module(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			if reported != err.Error() {
				fmt.Fprintln(c.Root().ErrWriter, err)
			}
			reported = err.Error()
			continue
		}
		reported = ""
		if bytes.Equal(current, written) {
			continue
		}
		if err := t.write(c, current); err != nil {
			return err
		}
		fmt.Fprintln(c.Root().ErrWriter, "written:", t.out)
		written = current
	}
}

// readModule returns the module of a project as it is now.
type readModule func(context.Context) ([]byte, error)

// open returns the module that the flags name, on a database or at a service.
func (t *types) open(ctx context.Context) (module readModule, stop func(), err error) {
	if t.url != "" {
		client, err := newProjectClient(t.url, t.token, t.uuid)
		if err != nil {
			return nil, nil, err
		}
		return client.module, func() {}, nil
	}
	if t.token != "" {
		return nil, nil, errors.New("--token needs --url")
	}
	var stores ports.Stores
	if stop, err = service.UseExisting(ctx, t.cfg, &stores); err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context) ([]byte, error) { return moduleOf(ctx, stores, t.uuid) }, stop, nil
}

// moduleOf returns the module of a project in a database.
func moduleOf(ctx context.Context, stores ports.Stores, uuid string) ([]byte, error) {
	p, err := stores.Projects.ProjectByUUID(ctx, uuid)
	if err != nil {
		return nil, err
	}
	collections, err := stores.Collections.Collections(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	components, err := stores.Components.Components(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	return typescript.Module(wire.PublicProjectOf(p), wire.Each(collections, wire.PublicCollectionOf), wire.Each(components, wire.PublicComponentOf)), nil
}

// module returns the module of a project at a service.
func (c *projectClient) module(ctx context.Context) ([]byte, error) {
	var project wire.PublicProject
	var collections struct{ Data []wire.PublicCollection }
	var components struct{ Data []wire.PublicComponent }
	err := c.do(ctx, http.MethodGet, "", nil, &project)
	if err == nil {
		err = c.do(ctx, http.MethodGet, "/collections", nil, &collections)
	}
	if err == nil {
		err = c.do(ctx, http.MethodGet, "/components", nil, &components)
	}
	return typescript.Module(project, collections.Data, components.Data), err
}
