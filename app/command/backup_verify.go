package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"imprimatur/app/config"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/archive"
	"imprimatur/core/media"
	"imprimatur/ports"
)

func backupVerifyCommand() *cli.Command {
	v := verification{}
	return &cli.Command{
		Name:  "verify",
		Usage: "check every hash of a backup, every record of an approval in it and the content of every publication, without the installation",
		Description: "FILE is the archive of imprimatur backup; - reads standard input. The exit code is 0 if it is whole. " +
			"With --restore the archive is restored into a temporary SQLite database, which is then checked as imprimatur check does.",
		ArgsUsage: "FILE",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "restore", Usage: "restore it into a temporary database and check that", Destination: &v.restore},
			scratchFlag(&v.scratch),
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			collectOften()
			v.command = c
			return v.run(ctx)
		},
	}
}

// verification is one run of the command.
type verification struct {
	command *cli.Command
	scratch string
	restore bool

	requests, publications int64 // verified ones
	faults                 int
}

func (v *verification) run(ctx context.Context) (err error) {
	path, remove, err := archiveFile(v.command, v.scratch)
	if err != nil {
		return err
	}
	defer remove()
	bar := newProgress(v.command.Root().ErrWriter)
	opened, err := openArchive(ctx, path, false, bar)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(v.scratch, "imprimatur-verify-") // mode 0700
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := v.restored(ctx, opened, folder, bar); err != nil {
		return err
	}
	fmt.Fprintf(v.command.Root().Writer, "the archive is whole: %s, %d approval requests and %d publications verified\n",
		contents(&opened.Manifest), v.requests, v.publications)
	return nil
}

// unverified are the tables whose rows the proofs do not need.
var unverified = []string{"entries", "revisions", "media", "events", "deliveries", "delivery_attempts", "notices", "mails"}

// someRows leaves out tables.
type someRows struct{ ports.ArchiveTarget }

func (s someRows) InsertRows(ctx context.Context, table string, rows [][]byte) error {
	for _, name := range unverified {
		if name == table {
			return nil
		}
	}
	return s.ArchiveTarget.InsertRows(ctx, table, rows)
}

// restored restores the archive, or what its proofs need, into a folder and checks it.
func (v *verification) restored(ctx context.Context, opened *archive.Archive, folder string, bar *progress) error {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.BlobURL = "sqlite:"+filepath.Join(folder, "verify.db"), "file:"+filepath.Join(folder, "blobs")
	cfg.LogLevel = "error"
	var into restored
	var exporter *approval.Exporter
	var files *media.Checker
	stop, err := into.use(ctx, cfg, &exporter, &files)
	if err != nil {
		return err
	}
	defer stop()
	if v.restore {
		err = into.restore(ctx, opened, archive.RestoreOptions{AllowMissing: true}, bar)
	} else {
		err = opened.Restore(ctx, archive.Target{Rows: someRows{into.db}, Index: func(context.Context) error { return nil }}, archive.RestoreOptions{})
	}
	if err != nil {
		return err
	}
	if err := v.proofs(ctx, into.stores, exporter); err != nil || !v.restore {
		return err
	}
	if opened.Blobs.Selection != archive.AllBlobs {
		files = nil
	}
	k := check{command: v.command, stores: into.stores, content: into.content, media: files}
	return k.run(ctx)
}

// proofs verifies the records of all approval requests and the content of all publications.
func (v *verification) proofs(ctx context.Context, stores ports.Stores, exporter *approval.Exporter) error {
	publications := proof.NewPublications(stores, nil)
	err := eachProject(ctx, stores, func(p *core.Project) error {
		requests, err := exporter.Export(ctx, p, func(x approval.Exported) error {
			for _, f := range x.Audit.Faults {
				v.fault(p, "request "+x.Request.ReleaseNumber(), f.Location, f.Message)
			}
			return nil
		}, nil)
		if err != nil {
			return err
		}
		published, err := publications.Check(ctx, p.ID, func(of core.Publication, f *proof.Fault) {
			v.fault(p, fmt.Sprintf("entry %d, publication %d", of.EntryID, of.Number), f.Location, f.Message)
		})
		v.requests, v.publications = v.requests+requests, v.publications+published
		return err
	})
	if err == nil && v.faults > 0 {
		err = fmt.Errorf("%d faults in records of approvals and in publications", v.faults)
	}
	return err
}

func (v *verification) fault(p *core.Project, of, location, message string) {
	v.faults++
	fmt.Fprintf(v.command.Root().Writer, "project %s, %s: %s %s\n", p.UUID, of, location, message)
}
