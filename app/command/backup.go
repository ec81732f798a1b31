package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/build"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core/archive"
	"imprimatur/ports"
)

func backupCommand() *cli.Command {
	cfg := config.Default()
	b := backup{blobs: string(archive.AllBlobs)}
	return &cli.Command{
		Name:  "backup",
		Usage: "write the whole installation into one file, from which imprimatur restore makes it again on SQLite or Postgres; the service may run",
		Flags: append(cfg.StorageFlags(),
			&cli.StringFlag{Name: "out", Usage: "the file to write, which only its owner may read; - is standard output", Destination: &b.out},
			&cli.StringFlag{Name: "blobs", Usage: "bytes of media to back up: all, none, or since:<archive> for those that another archive does not have", Value: b.blobs, Destination: &b.blobs},
			scratchFlag(&b.scratch),
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			collectOften()
			b.command = c
			return b.run(ctx, cfg)
		},
		Commands: []*cli.Command{backupVerifyCommand()},
	}
}

// scratchFlag is the flag of a folder for temporary files.
func scratchFlag(folder *string) cli.Flag {
	return &cli.StringFlag{Name: "scratch", Usage: "folder for temporary files, with room for a copy of a SQLite database; empty: that of the system", Destination: folder}
}

// backup is one run of the command.
type backup struct {
	command             *cli.Command
	out, blobs, scratch string
}

func (b *backup) run(ctx context.Context, cfg config.Config) error {
	if b.out == "" {
		return errors.New("setting --out: is required: the file to write, or - for standard output")
	}
	opts := archive.Options{Scratch: b.scratch}
	if err := b.selection(ctx, &opts); err != nil {
		return err
	}
	from := archive.Source{Version: build.Read().Version, Schema: build.Read().Schema}
	var db *sqlstore.DB
	var stores ports.Stores
	targets := []any{&db, &stores}
	if opts.Selection != archive.NoBlobs {
		targets = append(targets, &from.Blobs)
	}
	stop, err := service.UseExisting(ctx, cfg, targets...)
	if err != nil {
		return err
	}
	defer stop()
	from.Rows = db
	held, release, err := archive.Hold(ctx, stores.Holds)
	if err != nil {
		return err
	}
	err = b.write(held, from, opts)
	if cause := context.Cause(held); err != nil && cause != nil && ctx.Err() == nil {
		err = cause
	}
	return errors.Join(err, release())
}

// selection reads the flag --blobs.
func (b *backup) selection(ctx context.Context, opts *archive.Options) (err error) {
	earlier, since := strings.CutPrefix(b.blobs, "since:")
	switch {
	case b.blobs == string(archive.AllBlobs), b.blobs == string(archive.NoBlobs):
		opts.Selection = archive.Selection(b.blobs)
	case since:
		opts.Selection = archive.SinceBlobs
		opts.Since, err = openArchive(ctx, earlier, true, newProgress(b.command.Root().ErrWriter))
	default:
		err = fmt.Errorf("setting --blobs: is %q, but must be all, none or since:<archive>", b.blobs)
	}
	return err
}

func (b *backup) write(ctx context.Context, from archive.Source, opts archive.Options) error {
	diagnostics := b.command.Root().ErrWriter
	bar := newProgress(diagnostics)
	opts.Progress = func(rows, bytes int64) { bar.show(rows, "rows", readBytes(bytes, -1)) }
	opts.Missing = func(name string) {
		bar.end()
		fmt.Fprintf(diagnostics, "file %s: its bytes are missing or damaged, and the archive does not have them\n", name)
	}
	var made *archive.Manifest
	err := writeOutput(b.command, b.out, func(w io.Writer) (err error) {
		made, err = archive.Write(ctx, w, from, opts)
		return err
	})
	bar.end()
	if err == nil {
		fmt.Fprintln(diagnostics, contents(made))
	}
	return err
}

// contents says what an archive has.
func contents(m *archive.Manifest) string {
	rows := int64(0)
	for _, n := range m.Counts {
		rows += n
	}
	return fmt.Sprintf("%d rows in %d tables and %d files (%.1f MB) of %s", rows, len(m.Counts), m.Blobs.Stored, float64(m.Blobs.Bytes)/1e6, m.Time)
}

// openArchive checks the archive in a file.
func openArchive(ctx context.Context, path string, names bool, bar *progress) (*archive.Archive, error) {
	defer bar.end()
	a, err := archive.Open(ctx, path, archive.OpenOptions{
		Tables: sqlstore.ArchiveTables(), Schema: build.Read().Schema, Names: names,
		Progress: func(rows int64) { bar.show(rows, "rows checked", "") },
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(path), errors.New(Sentence(err)))
	}
	return a, nil
}

// archiveFile returns the path of the archive that the only argument names. For "-" it copies standard
// input into a temporary file, because an archive is read several times.
func archiveFile(c *cli.Command, scratch string) (path string, remove func(), err error) {
	if c.Args().Len() != 1 {
		return "", nil, fmt.Errorf("%s takes one FILE; - reads standard input", c.Name)
	}
	if path = c.Args().First(); path != "-" {
		return path, func() {}, nil
	}
	file, err := os.CreateTemp(scratch, "imprimatur-archive-") // mode 0600
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.Remove(file.Name()) } // a temporary file
	_, err = io.Copy(file, c.Root().Reader)
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return "", nil, err
	}
	return file.Name(), remove, nil
}
