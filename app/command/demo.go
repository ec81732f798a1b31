package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"imprimatur/adapters/mail"
	"imprimatur/app/config"
	"imprimatur/app/demo"
	"imprimatur/app/service"
)

// demoDir is the folder of the demo's database, files and demo.json.
const demoDir = "var/demo"

// seedMemory is the soft limit of the memory of the Go runtime, in bytes, while the demo is filled.
const seedMemory = 60 << 20

func demoCommand() *cli.Command {
	cfg := config.Default()
	cfg.LogFormat, cfg.LogLevel = "console", "warn"
	var (
		keep     bool
		withSite bool
		database string
	)
	return &cli.Command{
		Name:  "demo",
		Usage: "serve an example organisation with content; needs no setup",
		Flags: append(cfg.ListenFlags(), cfg.SecretFlag(),
			&cli.StringFlag{Name: "database-url", Usage: "an empty database, instead of SQLite in " + demoDir, Destination: &database},
			&cli.BoolFlag{Name: "keep", Usage: "use the existing data in " + demoDir, Destination: &keep},
			&cli.BoolFlag{Name: "with-site", Usage: "build and serve the example site of " + siteDir + " as well; needs npm and a checkout of the source", Destination: &withSite},
		),
		Action: func(ctx context.Context, c *cli.Command) error {
			cfg.DatabaseURL = database
			for setting, address := range map[string]*string{"listen": &cfg.Listen, "ops-listen": &cfg.OpsListen} {
				if c.IsSet(setting) {
					continue
				}
				if next := service.NextFree(*address); next != *address {
					fmt.Fprintf(c.Root().ErrWriter, "%s is in use: the demo uses %s (--%s)\n", *address, next, setting)
					*address = next
				}
			}
			var beside *site
			if withSite {
				var err error
				if beside, err = newSite(&cfg, c.Root().Writer); err != nil {
					return err
				}
			}
			return runDemo(ctx, cfg, demoDir, keep, c.Root().Writer, beside)
		},
	}
}

// runDemo serves the example organisation from dir until ctx ends. Its database is SQLite in dir
// unless cfg names another. beside, unless nil, is the site that is served as well.
func runDemo(ctx context.Context, cfg config.Config, dir string, keep bool, out io.Writer, beside *site) error {
	if cfg.DatabaseURL == "" {
		cfg.DatabaseURL = "sqlite:" + filepath.Join(dir, "imprimatur.db")
	}
	cfg.KeyFolder = dir
	cfg.CatchMail = cfg.SMTPURL == ""
	cfg.Localhost = true
	cfg.BlobURL = "file:" + filepath.Join(dir, "blobs")
	if err := cfg.Validate(); err != nil {
		return err
	}
	unlock, err := lockDemo(dir)
	if err != nil {
		return err
	}
	defer unlock()
	// prepareDemo may remove the data in dir, so a start that must fail fails before.
	if err := service.CheckListen(cfg); err != nil {
		return err
	}
	facts, err := prepareDemo(ctx, cfg, dir, keep)
	if err != nil {
		return err
	}
	if beside != nil {
		if err := beside.connect(ctx, cfg, facts); err != nil {
			return err
		}
		defer beside.wait()
	}
	var failed error
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err = service.Run(ctx, cfg, func(a service.Addresses) {
		facts.BaseURL, facts.OpsURL, facts.MailURL = a.Public, a.Ops, ""
		if cfg.CatchMail {
			facts.MailURL = a.Public + mail.MailboxPath
		}
		if failed = facts.Save(dir); failed != nil {
			stop()
			return
		}
		fmt.Fprint(out, facts.Welcome(dir))
		if beside != nil {
			beside.start(ctx, facts)
		}
	})
	return errors.Join(failed, err)
}

// lockDemo locks dir until unlock is called or the process ends. It returns an error when another
// process holds the lock. The lock is a file beside dir, because dir itself can be removed.
func lockDemo(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o750); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(file); err != nil {
		_ = file.Close() // the first error is returned
		if errors.Is(err, errLocked) {
			return nil, fmt.Errorf("another demo runs in %s; stop it first", dir)
		}
		return nil, err
	}
	return func() { _ = file.Close() }, nil // closing releases the lock
}

// errLocked is the error of lock when another process holds the lock.
var errLocked = errors.New("locked by another process")

// prepareDemo creates the organisation in dir. With keep, it uses an existing one.
func prepareDemo(ctx context.Context, cfg config.Config, dir string, keep bool) (demo.Facts, error) {
	if keep {
		facts, err := demo.Load(dir)
		if !errors.Is(err, fs.ErrNotExist) {
			return facts, err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return demo.Facts{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return demo.Facts{}, err
	}
	var parts demo.Parts
	stop, err := service.Use(ctx, cfg, &parts.Organisation, &parts.Members, &parts.Users, &parts.Tokens,
		&parts.Planner, &parts.Collections, &parts.Writer, &parts.Importer, &parts.Reader,
		&parts.Sessions, &parts.Workflows, &parts.Reviews, &parts.Library, &parts.Releases, &parts.Assistants)
	if err != nil {
		return demo.Facts{}, err
	}
	defer stop()
	// Hashes of passwords and pictures leave garbage of 64 MB at a time, which the lazy collector would keep.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(seedMemory))
	return demo.Seed(ctx, parts)
}
