package service

import (
	"context"
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
	func(stores ports.Stores) ports.IdempotencyStore { return stores.Idempotency },
	func(stores ports.Stores) ports.EventStore { return stores.Events },
	func(db *sqlstore.DB) ports.Tx { return db },
))

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
	db.ReportSlow(cfg.SlowQuery, func(took time.Duration, plan string) {
		log.Warn("slow read", zap.Duration("took", took), zap.String("plan", plan))
	})
	migrate := func(ctx context.Context) error {
		if cfg.NoMigrate {
			return nil
		}
		return db.Migrate(ctx)
	}
	lifecycle.Append(fx.StartStopHook(migrate, db.Close))
	return db, nil
}
