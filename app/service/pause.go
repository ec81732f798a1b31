package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/ports"
)

// pauseCheck reports whether the installation is paused since a restore. Workers that publish by time or send
// something ask it before each round. It notices restores by other tools.
type pauseCheck func(ctx context.Context) (bool, error)

func newPause(db *sqlstore.DB, stores ports.Stores, log *zap.Logger) pauseCheck {
	return func(ctx context.Context) (bool, error) {
		noticed, err := db.Notice(ctx)
		if err != nil {
			return false, err
		}
		if noticed {
			log.Warn("other tools restored the database: another epoch begins")
		}
		state, err := stores.Installation.Installation(ctx)
		return state.Paused(), err
	}
}

// pauseModule notices restores.
var pauseModule = fx.Module("pause", fx.Invoke(watchRestores))

// restoreInterval is how often a process looks for restores. A restore waits longer for processes that work
// with its database.
const restoreInterval = 250 * time.Millisecond

// restores looks for restores of the database under the service.
type restores struct {
	db       *sqlstore.DB
	paused   pauseCheck
	shutdown fx.Shutdowner
	log      *zap.Logger
}

func watchRestores(lifecycle fx.Lifecycle, shutdown fx.Shutdowner, db *sqlstore.DB, paused pauseCheck, jobs *jobs, registry *prometheus.Registry, log *zap.Logger) {
	r := &restores{db, paused, shutdown, log}
	registry.MustRegister(pausedMetric(paused))
	looking := newLoop(jobs, "restores", "restores cannot be noticed", restoreInterval, r.look)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	lifecycle.Append(fx.StartStopHook(
		func(starting context.Context) error {
			if migrated, err := db.Migrated(starting); err != nil || !migrated {
				return err // /readyz reports missing migrations
			}
			if err := r.start(starting); err != nil {
				return err
			}
			running.Go(func() { looking.run(ctx) })
			return nil
		},
		func(stopping context.Context) {
			cancel()
			running.Wait()
			_ = db.Remember(stopping) // what is not noted is only not noticed
		},
	))
}

// start notices a restore before the first request, and logs that the installation is paused.
func (r *restores) start(ctx context.Context) error {
	switch known, err := r.db.HasPlace(ctx); {
	case err != nil:
		return err
	case !known:
		r.log.Warn("the role may not read the system identifier of the server, so a restore by other tools is not noticed: run imprimatur restored after one")
	}
	paused, err := r.paused(ctx)
	if errors.Is(err, core.ErrUnavailable) { // it cannot be written, so nothing can be overwritten; look tries again
		r.log.Error("restores cannot be noticed", zap.Error(err))
		return nil
	}
	if paused {
		r.log.Warn("the installation is paused since a restore: nothing is published by time, and nothing is sent; end the pause with imprimatur resume")
	}
	return err
}

// look ends the process if a restore has begun: what the process knows, and what it writes, is not of the
// restored installation.
func (r *restores) look(ctx context.Context) (bool, error) {
	if begun, err := r.db.Restoring(ctx); err != nil || begun {
		if begun {
			r.log.Error("a restore of the database has begun: the process ends")
			err = r.shutdown.Shutdown(fx.ExitCode(1))
		}
		return false, err
	}
	if _, err := r.paused(ctx); err != nil {
		return false, err
	}
	return false, r.db.Remember(ctx)
}

// pausedMetric is 1 while the installation is paused.
func pausedMetric(paused pauseCheck) prometheus.Collector {
	return gauge("imprimatur_paused", "1 while the installation is paused since a restore; -1 if the database is unavailable.", nil, func() int64 {
		ctx, cancel := context.WithTimeout(context.Background(), queuesTimeout)
		defer cancel()
		switch is, err := paused(ctx); {
		case err != nil:
			return -1
		case is:
			return 1
		default:
			return 0
		}
	})
}
