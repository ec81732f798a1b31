package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core/media"
	"imprimatur/ports"
)

func mediaSweepCommand() *cli.Command {
	cfg := config.Default()
	var olderThan time.Duration
	return &cli.Command{
		Name:  "sweep",
		Usage: "remove unreferenced blobs; the service also does this regularly",
		Flags: append(cfg.StorageFlags(),
			&cli.DurationFlag{Name: "older-than", Usage: "keep newer blobs, which may belong to a running upload", Value: media.SweepAge, Destination: &olderThan},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			if olderThan < 0 {
				return errors.New("--older-than must not be negative")
			}
			var sweeper *media.Sweeper
			stop, err := service.UseExisting(ctx, cfg, &sweeper)
			if err != nil {
				return err
			}
			defer stop()
			report, err := sweeper.Sweep(ctx, olderThan)
			fmt.Fprintf(c.Root().Writer, "removed %d blobs of deleted items, %d unreferenced blobs and %d partial uploads\n",
				report.Released, report.Stray, report.Abandoned)
			if report.Foreign > 0 {
				fmt.Fprintf(c.Root().ErrWriter, "kept %d blobs that belong to no project of this database\n", report.Foreign)
			}
			return err
		},
	}
}

func mediaRebuildCommand() *cli.Command {
	cfg := config.Default()
	var options media.RebuildOptions
	var project string
	return &cli.Command{
		Name:  "rebuild",
		Usage: "create the variants of pictures again",
		Flags: append(cfg.StorageFlags(), cfg.ImageFlag(),
			&cli.StringFlag{Name: "project", Usage: "only of the project with this UUID", Destination: &project},
			&cli.BoolFlag{Name: "missing", Usage: "only where a variant is missing", Destination: &options.MissingOnly},
			&cli.Int64Flag{Name: "after", Usage: "continue after the item with this id", Destination: &options.After},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			var rebuilder *media.Rebuilder
			var schemas ports.Schemas
			stop, err := service.UseExisting(ctx, cfg, &rebuilder, &schemas)
			if err != nil {
				return err
			}
			defer stop()
			if project != "" {
				p, err := schemas.ProjectByUUID(ctx, project)
				if err != nil {
					return err
				}
				options.ProjectID = p.ID
			}
			return runRebuild(ctx, c, rebuilder, options)
		},
	}
}

func runRebuild(ctx context.Context, c *cli.Command, rebuilder *media.Rebuilder, options media.RebuildOptions) error {
	total, err := rebuilder.Count(ctx, options)
	if err != nil {
		return err
	}
	bar := progressBar(c, total, "rebuilding", false)
	report, err := rebuilder.Rebuild(ctx, options, func(done int64) { _ = bar.Set64(done) })
	_ = bar.Finish()
	for _, failed := range report.Failed {
		fmt.Fprintf(c.Root().ErrWriter, "item %d: %s\n", failed.ID, Sentence(failed.Err))
	}
	fmt.Fprintf(c.Root().Writer, "%d rebuilt, %d without variants, %d failed\n", report.Rebuilt, report.Skipped, len(report.Failed))
	if err != nil {
		return fmt.Errorf("stopped after item %d (continue with --after %d): %w", report.Last, report.Last, err)
	}
	if len(report.Failed) > 0 {
		return fmt.Errorf("%d pictures failed", len(report.Failed))
	}
	return nil
}
