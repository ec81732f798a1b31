package service

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/ports"
)

var databaseModule = fx.Module("database", fx.Provide(
	openDatabase,
	func(db *sqlstore.DB) ports.Stores { return db.Stores() },
	storesOf,
	func(db *sqlstore.DB) ports.Tx { return db },
))

// stores are the stores that constructors take one by one.
type stores struct {
	fx.Out

	Tenants     ports.TenantStore
	Departments ports.DepartmentStore
	Users       ports.UserStore
	Grants      ports.GrantStore
	Tokens      ports.TokenStore
	Usage       ports.TokenUsage
	SessionUse  ports.SessionUsage
	Collections ports.CollectionStore
	IndexChecks ports.IndexChecker
	Workflows   ports.WorkflowStore
	Requests    ports.RequestStore
	Schedules   ports.DueSchedules
	Idempotency ports.IdempotencyStore
	Keys        ports.SigningKeyStore
	Events      ports.EventStore
	Clock       ports.DatabaseClock
}

func storesOf(all ports.Stores) stores {
	return stores{
		Tenants: all.Tenants, Departments: all.Departments, Users: all.Users, Grants: all.Grants, Tokens: all.Tokens, Usage: all.Tokens, SessionUse: all.Sessions,
		Collections: all.Collections, IndexChecks: all.IndexChecks, Workflows: all.Workflows, Requests: all.Requests, Schedules: all.Schedules,
		Idempotency: all.Idempotency, Keys: all.SigningKeys, Events: all.Events, Clock: all.Clock,
	}
}

// OpenDatabase opens the database that cfg names, without applying migrations. Unless cfg.Existing is
// set, it creates a missing database, and waits up to databaseWait for the server of Postgres; it then
// calls waiting once with the reason.
func OpenDatabase(ctx context.Context, cfg config.Config, waiting func(reason string)) (*sqlstore.DB, error) {
	engine, address, err := cfg.Database()
	if err != nil {
		return nil, startFault("setting --database-url: %v", err)
	}
	if engine == config.Postgres {
		return openPostgres(ctx, cfg, address, waiting)
	}
	return openSQLite(ctx, cfg, address)
}

func openSQLite(ctx context.Context, cfg config.Config, path string) (*sqlstore.DB, error) {
	if _, err := os.Stat(path); cfg.Existing && errors.Is(err, fs.ErrNotExist) {
		return nil, startFault("setting --database-url: no database at %s; imprimatur serve or imprimatur migrate creates one", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, startFault("setting --database-url: cannot create the folder of %s", path)
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Bulk: cfg.Bulk, Bounded: cfg.Bounded})
	if err != nil {
		return nil, startFault("setting --database-url: %v", err)
	}
	return db, nil
}

func openPostgres(ctx context.Context, cfg config.Config, url string, waiting func(reason string)) (*sqlstore.DB, error) {
	db, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return nil, startFault("setting --database-url: %v", err)
	}
	if err := connect(ctx, cfg, url, db, waiting); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

const (
	// databaseWait is how long a start waits for the server of the database.
	databaseWait = 30 * time.Second
	// databasePoll is the time between two tries.
	databasePoll = 250 * time.Millisecond
)

// connect waits until db answers.
func connect(ctx context.Context, cfg config.Config, url string, db *sqlstore.DB, waiting func(reason string)) error {
	stopped := ctx.Err
	ctx, cancel := context.WithTimeout(ctx, databaseWait)
	defer cancel()
	for said := false; ; said = true {
		err := db.Ping(ctx)
		if err == nil {
			return createSchema(ctx, cfg, url)
		}
		fault := postgres.Diagnose(url, err)
		if fault.NoDatabase && !cfg.Existing {
			if err := postgres.Create(ctx, url); err != nil {
				return startFault("setting --database-url: %s, and the role may not create it", fault.Reason)
			}
			continue
		}
		if !fault.Temporary || cfg.Existing {
			return startFault("setting --database-url: %s", fault.Reason)
		}
		if !said {
			waiting(fault.Reason)
		}
		select {
		case <-ctx.Done():
			if stopped() != nil {
				return startFault("setting --database-url: %s; the start was stopped", fault.Reason)
			}
			return startFault("setting --database-url: %s, also after %s", fault.Reason, databaseWait)
		case <-time.After(databasePoll):
		}
	}
}

func createSchema(ctx context.Context, cfg config.Config, url string) error {
	if cfg.Existing {
		return nil
	}
	if err := postgres.CreateSchema(ctx, url); err != nil {
		return startFault("setting --database-url: the schema in search_path does not exist, and the role may not create it")
	}
	return nil
}

// refuseUnfinished returns an error if a restore of db did not finish.
func refuseUnfinished(ctx context.Context, db *sqlstore.DB) error {
	restoring, err := db.Restoring(ctx)
	if err == nil && restoring {
		err = startFault("setting --database-url: a restore of this database did not finish; run imprimatur restore again")
	}
	return err
}

// Explained returns err in words for the operator if the role of the database lacks a right, and else err.
func Explained(cfg config.Config, err error) error {
	if engine, url, parsing := cfg.Database(); parsing == nil && engine == config.Postgres && err != nil {
		if reason := postgres.Denied(url, err); reason != "" {
			return startFault("setting --database-url: %s", reason)
		}
	}
	return err
}

// starting ends when the start is to be given up.
type starting struct{ context.Context }

func openDatabase(until starting, lifecycle fx.Lifecycle, cfg config.Config, log *zap.Logger, tracer ports.Tracer) (*sqlstore.DB, error) {
	db, err := OpenDatabase(until, cfg, func(reason string) {
		log.Warn("waiting for the database", zap.String("reason", reason), zap.Duration("limit", databaseWait))
	})
	if err != nil {
		return nil, err
	}
	if cfg.Existing {
		migrated, err := db.Migrated(context.Background())
		if err == nil && !migrated {
			err = startFault("setting --database-url: the database lacks migrations; apply them with imprimatur migrate")
		}
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	if tracer != nil {
		db.Trace(tracer)
	}
	db.ReportSlow(cfg.SlowQuery, func(ctx context.Context, took time.Duration, plan string) {
		log.With(httpx.LogFields(ctx)...).Warn("slow read", zap.Duration("took", took), zap.String("plan", plan))
	})
	migrate := func(ctx context.Context) error {
		if !cfg.NoMigrate && !cfg.Existing {
			if err := db.Migrate(ctx); err != nil {
				return Explained(cfg, err)
			}
		}
		// A database that does not fit is refused; /readyz reports missing migrations.
		if migrated, err := db.Migrated(ctx); err != nil || !migrated || cfg.Restoring {
			return err
		}
		return refuseUnfinished(ctx, db)
	}
	lifecycle.Append(fx.StartStopHook(migrate, db.Close))
	return db, nil
}
