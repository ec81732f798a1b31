package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/media"
	"imprimatur/ports"
)

func checkCommand() *cli.Command {
	cfg := config.Default()
	var repair bool
	return &cli.Command{
		Name:  "check",
		Usage: "compare index, values, texts, counters, claims and files with the documents; the service may run",
		Flags: append(cfg.StorageFlags(),
			&cli.BoolFlag{Name: "repair", Usage: "repair what can be derived from the documents; fails only if differences remain", Destination: &repair},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			k := check{command: c, repair: repair}
			stop, err := service.UseExisting(ctx, cfg, &k.stores, &k.content, &k.media)
			if err != nil {
				return err
			}
			defer stop()
			return k.run(ctx)
		},
	}
}

// check is one run of the command.
type check struct {
	command *cli.Command
	repair  bool
	stores  ports.Stores
	content *definition.Checker
	media   *media.Checker // nil: files are not checked

	found, left int64
}

func (k *check) run(ctx context.Context) error {
	if err := eachProject(ctx, k.stores, func(p *core.Project) error { return k.project(ctx, p) }); err != nil {
		return err
	}
	deletions, err := k.stores.Deletions.Deletions(ctx)
	if err != nil {
		return err
	}
	if n := len(deletions); n > 0 {
		fmt.Fprintf(k.command.Root().Writer, "%d deletions are in progress; the service deletes their rows in the background\n", n)
	}
	fmt.Fprintf(k.command.Root().Writer, "%d differences found, %d repaired\n", k.found, k.found-k.left)
	if k.left > 0 {
		return fmt.Errorf("%d differences remain", k.left)
	}
	return nil
}

func (k *check) project(ctx context.Context, project *core.Project) error {
	report, err := k.content.Check(ctx, project, k.repair, func(collection string, d core.Difference) {
		if collection != "" {
			collection = " collection " + collection
		}
		fmt.Fprintf(k.command.Root().Writer, "project %s%s: %s\n", project.UUID, collection, d)
	})
	if err != nil {
		return err
	}
	k.found += report.Found
	k.left += report.Left
	if err != nil || k.media == nil {
		return err
	}
	found, left, err := k.media.Check(ctx, project, k.repair, func(d core.Difference) {
		fmt.Fprintf(k.command.Root().Writer, "project %s: %s\n", project.UUID, d)
	})
	k.found += found
	k.left += left
	return err
}
