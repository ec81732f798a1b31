// Package archive measures backups and restores of a whole installation: time, memory and size.
package archive

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/ports"
	"imprimatur/test/bench/load"
	"imprimatur/test/bench/profiled"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

// lookEvery is how often the memory of the program and the size of SQLite's log are read.
const lookEvery = 50 * time.Millisecond

type options struct {
	entries, files, bytes int
	engines               string
}

// Bench registers the flags of the benchmark and returns the function that runs it.
func Bench(flags *flag.FlagSet) func(context.Context) error {
	var o options
	flags.IntVar(&o.entries, "entries", 100_000, "how many articles of about 700 bytes to import and publish")
	flags.IntVar(&o.files, "files", 1000, "how many files to upload")
	flags.IntVar(&o.bytes, "bytes", 100_000, "how many bytes each file has, which do not compress")
	flags.StringVar(&o.engines, "engines", "sqlite,postgres", "databases to measure: each is backed up, and restored to the same engine")
	return func(ctx context.Context) error { return run(ctx, os.Stdout, o) }
}

func run(ctx context.Context, w io.Writer, o options) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tseconds\tpeak memory MB\tarchive MB\tlargest log MB\t")
	for engine := range strings.SplitSeq(o.engines, ",") {
		if err := measure(ctx, table, o, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return table.Flush()
}

func measure(ctx context.Context, table io.Writer, o options, engine string) error {
	folder, err := os.MkdirTemp("", "imprimatur-archive-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // temporary
	from, err := installation(ctx, engine, filepath.Join(folder, "from"))
	if err != nil {
		return err
	}
	filled, err := site.Fill(ctx, from[0], o.entries)
	if err != nil {
		return err
	}
	if err := upload(ctx, from, filled.UUID, o); err != nil {
		return err
	}
	to, err := installation(ctx, engine, filepath.Join(folder, "to"))
	if err != nil {
		return err
	}
	archive := filepath.Join(folder, "backup.tar.zst")
	for _, step := range []struct {
		name     string
		database string
		args     []string
	}{
		{"back up", from[0], []string{"backup", "--out", archive, "--database-url", from[0], "--blob-url", from[1], "--scratch", folder, "--log-level", "error"}},
		{"verify", "", []string{"backup", "verify", archive}},
		{"restore", to[0], []string{"restore", "--database-url", to[0], "--blob-url", to[1], "--scratch", folder, "--log-level", "error", archive}},
	} {
		f, err := command(ctx, step.database, step.args)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		info, err := os.Stat(archive)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s, %s\t%.1f\t%.1f\t%.1f\t%.1f\t\n", step.name, engine, f.took.Seconds(), megabytes(f.peak), megabytes(info.Size()), megabytes(f.log))
	}
	return nil
}

// installation returns the URLs of an empty database and of an empty storage of files in folder.
func installation(ctx context.Context, engine, folder string) (urls [2]string, err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return urls, err
	}
	urls = [2]string{"sqlite:" + filepath.Join(folder, "imprimatur.db"), "file:" + filepath.Join(folder, "blobs")}
	if engine == "postgres" {
		urls[0], err = postgrestest.Database(ctx)
	}
	return urls, err
}

// upload uploads the files to the project with the given UUID.
func upload(ctx context.Context, urls [2]string, uuid string, o options) error {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.BlobURL, cfg.LogLevel = urls[0], urls[1], "error"
	var stores ports.Stores
	var library *media.Library
	stop, err := service.Use(ctx, cfg, &stores, &library)
	if err != nil {
		return err
	}
	defer stop()
	project, err := stores.Projects.ProjectByUUID(ctx, uuid)
	if err != nil {
		return err
	}
	for n := range o.files {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], uint64(n)) //nolint:gosec // a number of files
		received, err := library.Receive(ctx, project, fmt.Sprintf("file-%06d.pdf", n),
			io.MultiReader(strings.NewReader("%PDF-1.7\n"), io.LimitReader(rand.NewChaCha8(seed), int64(o.bytes))))
		if err != nil {
			return err
		}
		_, err = library.Keep(ctx, core.SystemActor, project, received, media.Change{})
		received.Discard(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// figures are what a command took: its time, its largest resident memory in bytes, and the largest size of the log
// of its SQLite database.
type figures struct {
	took      time.Duration
	peak, log int64
}

// command runs the program. Its standard output is dropped.
func command(ctx context.Context, databaseURL string, args []string) (f figures, err error) {
	program, err := os.Executable()
	if err != nil {
		return f, err
	}
	process := exec.CommandContext(ctx, program, append([]string{profiled.Command, ""}, args...)...)
	var said strings.Builder
	process.Stderr = &said
	began := time.Now()
	if err := process.Start(); err != nil {
		return f, err
	}
	looking, stop := context.WithCancel(ctx)
	seen := make(chan figures)
	go func() { seen <- look(looking, process.Process.Pid, databaseURL) }()
	err = process.Wait()
	took := time.Since(began)
	stop()
	f = <-seen
	f.took = took
	if err != nil {
		return f, fmt.Errorf("%w: %s", err, said.String())
	}
	return f, nil
}

// look returns the memory of a process and the size of the log of its database until ctx ends. Other files beside
// the database that end alike count as well.
func look(ctx context.Context, pid int, databaseURL string) (f figures) {
	path, isSQLite := strings.CutPrefix(databaseURL, "sqlite:")
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return f
		case <-ticks.C:
		}
		_, peak := load.Memory(pid)
		f.peak = max(f.peak, peak)
		if !isSQLite {
			continue
		}
		_ = filepath.WalkDir(filepath.Dir(path), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(d.Name(), "-wal") {
				return nil //nolint:nilerr // files come and go
			}
			if info, err := d.Info(); err == nil {
				f.log = max(f.log, info.Size())
			}
			return nil
		})
	}
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
