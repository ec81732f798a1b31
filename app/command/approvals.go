package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/wire"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core/approval"
	"imprimatur/ports"
)

func approvalsExportCommand() *cli.Command {
	cfg := config.Default()
	var project, output string
	return &cli.Command{
		Name:  "export",
		Usage: "write all approval requests of a project, with their verified audit chains, as JSON Lines",
		Flags: append(cfg.DatabaseFlags(),
			&cli.StringFlag{Name: "project", Usage: "the project's UUID", Required: true, Destination: &project},
			&cli.StringFlag{Name: "output", Usage: "the file to write; - is standard output", Value: "-", Destination: &output},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			var schemas ports.Schemas
			var exporter *approval.Exporter
			stop, err := service.UseExisting(ctx, cfg, &schemas, &exporter)
			if err != nil {
				return err
			}
			defer stop()
			p, err := schemas.ProjectByUUID(ctx, project)
			if err != nil {
				return err
			}
			bar := newProgress(c.Root().ErrWriter)
			var written int64
			err = writeOutput(c, output, func(w io.Writer) (err error) {
				written, err = exporter.Export(ctx, p, wire.WriteApprovals(w), func(requests int64) { bar.show(requests, "requests", "") })
				return err
			})
			bar.end()
			if err == nil {
				fmt.Fprintf(c.Root().ErrWriter, "%d requests written\n", written)
			}
			return err
		},
	}
}

// writeOutput calls write with the file that output names, or with standard output for
// "-". A regular file appears, or is replaced, only when it is complete. Symbolic links are
// followed, and a device or pipe is written into.
func writeOutput(c *cli.Command, output string, write func(io.Writer) error) error {
	if output == "-" {
		return write(c.Root().Writer)
	}
	if resolved, err := filepath.EvalSymlinks(output); err == nil {
		output = resolved
	}
	// A symbolic link that is left leads to a file that does not exist yet.
	if info, err := os.Lstat(output); err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	file, err := os.CreateTemp(filepath.Dir(output), filepath.Base(output)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), output)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
