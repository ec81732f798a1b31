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
			fmt.Fprintf(c.Root().Writer, "removed %d blobs of deleted items, %d unreferenced blobs, %d partial uploads and %d unused renditions\n",
				report.Released, report.Stray, report.Abandoned, report.Unused)
			if report.Foreign > 0 {
				fmt.Fprintf(c.Root().ErrWriter, "kept %d blobs that belong to no project of this database\n", report.Foreign)
			}
			return err
		},
	}
}

func mediaRebuildCommand() *cli.Command {
	cfg := config.Default()
	var which media.PictureSelection
	var project string
	return &cli.Command{
		Name:  "rebuild",
		Usage: "create the renditions of pictures again",
		Flags: append(cfg.StorageFlags(), cfg.ImageFlag(),
			projectFlag(&project), afterFlag(&which),
			&cli.BoolFlag{Name: "missing", Usage: "only where a thumbnail is missing", Destination: &which.MissingOnly},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			var rebuilder *media.Rebuilder
			var schemas ports.Schemas
			stop, err := service.UseExisting(ctx, cfg, &rebuilder, &schemas)
			if err != nil {
				return err
			}
			defer stop()
			if which.ProjectID, err = projectID(ctx, schemas, project); err != nil {
				return err
			}
			return runRebuild(ctx, c, rebuilder, which)
		},
	}
}

func runRebuild(ctx context.Context, c *cli.Command, rebuilder *media.Rebuilder, which media.PictureSelection) error {
	total, err := rebuilder.Count(ctx, which)
	if err != nil {
		return err
	}
	bar := newProgress(c.Root().ErrWriter)
	report, err := rebuilder.Rebuild(ctx, which, func(done int64) { bar.show(done, "items", fmt.Sprintf(" of %d", total)) })
	bar.end()
	fmt.Fprintf(c.Root().Writer, "%d rebuilt, %d without variants, %d failed\n", report.Rebuilt, report.Skipped, len(report.Failed))
	return picturesFault(c, report.Failed, report.Last, err)
}

func mediaCleanCommand() *cli.Command {
	cfg := config.Default()
	var which media.PictureSelection
	var project string
	return &cli.Command{
		Name:  "clean",
		Usage: "remove the location from stored pictures",
		Description: "Replaces the files of pictures that say where they were taken by files that do not; see media in the operations guide. " +
			"Files that publications or open approval requests name stay as they are, and so do those of projects with keepLocation. " +
			"It can run while the service runs, on several machines, and again.",
		Flags: append(cfg.StorageFlags(), projectFlag(&project), afterFlag(&which)),
		Action: func(ctx context.Context, c *cli.Command) error {
			var cleaner *media.Cleaner
			var schemas ports.Schemas
			stop, err := service.UseExisting(ctx, cfg, &cleaner, &schemas)
			if err != nil {
				return err
			}
			defer stop()
			if which.ProjectID, err = projectID(ctx, schemas, project); err != nil {
				return err
			}
			return runClean(ctx, c, cleaner, which)
		},
	}
}

func runClean(ctx context.Context, c *cli.Command, cleaner *media.Cleaner, which media.PictureSelection) error {
	total, err := cleaner.Count(ctx, which)
	if err != nil {
		return err
	}
	bar := newProgress(c.Root().ErrWriter)
	report, err := cleaner.Clean(ctx, which, func(done int64) { bar.show(done, "items", fmt.Sprintf(" of %d", total)) })
	bar.end()
	fmt.Fprintf(c.Root().Writer, "%d cleaned, %d clean before, %d sealed and kept, %d skipped, %d failed\n",
		report.Cleaned, report.Clean, report.Sealed, report.Skipped, len(report.Failed))
	return picturesFault(c, report.Failed, report.Last, err)
}

// projectFlag and afterFlag select pictures.
func projectFlag(project *string) cli.Flag {
	return &cli.StringFlag{Name: "project", Usage: "only of the project with this UUID", Destination: project}
}

func afterFlag(which *media.PictureSelection) cli.Flag {
	return &cli.Int64Flag{Name: "after", Usage: "continue after the item with this id", Destination: &which.After}
}

// projectID returns the id of the Project with the UUID, or 0 for an empty UUID.
func projectID(ctx context.Context, schemas ports.Schemas, uuid string) (int64, error) {
	if uuid == "" {
		return 0, nil
	}
	p, err := schemas.ProjectByUUID(ctx, uuid)
	if err != nil {
		return 0, err
	}
	return p.ID, nil
}

// picturesFault prints the pictures that failed and returns the error of a run over pictures that
// ended after the item last with err.
func picturesFault(c *cli.Command, failed []media.PictureFault, last int64, err error) error {
	for _, f := range failed {
		fmt.Fprintf(c.Root().ErrWriter, "item %d: %s\n", f.ID, Sentence(f.Err))
	}
	if err != nil {
		return fmt.Errorf("stopped after item %d (continue with --after %d): %w", last, last, err)
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d pictures failed", len(failed))
	}
	return nil
}
