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

// OpenDatabase opens the database that cfg names, without applying migrations.
func OpenDatabase(ctx context.Context, cfg config.Config) (*sqlstore.DB, error) {
	engine, address, err := cfg.Database()
	if err != nil {
		return nil, startFault("setting --database-url: %v", err)
	}
	var db *sqlstore.DB
	switch engine {
	case config.Postgres:
		db, err = postgres.Open(ctx, address, postgres.Options{})
	default:
		if _, err := os.Stat(address); cfg.Existing && errors.Is(err, fs.ErrNotExist) {
			return nil, startFault("setting --database-url: no database at %s; imprimatur serve or imprimatur migrate up creates one", address)
		}
		if err := os.MkdirAll(filepath.Dir(address), 0o700); err != nil {
			return nil, startFault("setting --database-url: cannot create the folder of %s", address)
		}
		db, err = sqlite.Open(ctx, address, sqlite.Options{Bulk: cfg.Bulk})
	}
	if err != nil {
		return nil, startFault("setting --database-url: %v", err)
	}
	if err := db.Ping(ctx); err != nil {
		_ = db.Close() // the first error is returned
		if postgres.NoSuchDatabase(err) {
			return nil, startFault("setting --database-url: no such database on the server")
		}
		return nil, startFault("setting --database-url: database unavailable")
	}
	return db, nil
}

func openDatabase(lifecycle fx.Lifecycle, cfg config.Config, log *zap.Logger) (*sqlstore.DB, error) {
	db, err := OpenDatabase(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Existing {
		migrated, err := db.Migrated(context.Background())
		if err == nil && !migrated {
			err = startFault("setting --database-url: the database lacks migrations; apply them with imprimatur migrate up")
		}
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	db.ReportSlow(cfg.SlowQuery, func(took time.Duration, plan string) {
		log.Warn("slow read", zap.Duration("took", took), zap.String("plan", plan))
	})
	migrate := func(ctx context.Context) error {
		if cfg.NoMigrate || cfg.Existing {
			return nil
		}
		return db.Migrate(ctx)
	}
	lifecycle.Append(fx.StartStopHook(migrate, db.Close))
	return db, nil
}
