package service

import (
	"context"
	"sync"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/httpx"
	"imprimatur/app/config"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/core/identity"
	"imprimatur/core/media"
	"imprimatur/core/notices"
	"imprimatur/ports"
)

// workersModule runs the background jobs.
var workersModule = fx.Module("workers", fx.Invoke(startWorkers))

// The intervals of the background jobs.
const (
	refusalInterval  = time.Second
	blobInterval     = 5 * time.Second
	usageInterval    = 10 * time.Second
	backfillInterval = time.Second
	reminderInterval = 5 * time.Second
	domainInterval   = 10 * time.Minute // each domain is due once a day
	tidyInterval     = 10 * time.Minute
	agingInterval    = 10 * time.Minute
	sweepInterval    = 6 * time.Hour // a sweep lists all blobs
)

type workers struct {
	jobs    *jobs
	running sync.WaitGroup
}

func startWorkers(lifecycle fx.Lifecycle, log *zap.Logger, jobs *jobs, usage *access.Usage, collections *definition.Collections, stores ports.Stores, cfg config.Config, reminding *notices.Reminding, paused pauseCheck, providers *identity.Providers, sweeper *media.Sweeper, blobs *watchedBlobs, limiters httpx.Limiters) {
	w := &workers{jobs: jobs}
	ctx, cancel := context.WithCancel(context.Background())
	lifecycle.Append(fx.StartStopHook(
		func() {
			w.every(ctx, refusalInterval, "refused requests", logRefusals(log, limiters))
			w.every(ctx, blobInterval, "check of files", blobs.check)
			w.every(ctx, usageInterval, "token usage", usage.Flush)
			w.every(ctx, backfillInterval, "index back-fill", func(ctx context.Context) error { return drain(ctx, collections.Backfill) })
			w.every(ctx, reminderInterval, "reminders", func(ctx context.Context) error {
				if paused, err := paused(ctx); err != nil || paused {
					return err
				}
				return reminding.Remind(ctx)
			})
			w.every(ctx, domainInterval, "records of domains", func(ctx context.Context) error {
				if paused, err := paused(ctx); err != nil || paused {
					return err
				}
				return drain(ctx, providers.Recheck)
			})
			w.every(ctx, agingInterval, "old rows", func(ctx context.Context) error { return deleteOld(ctx, stores, cfg.EventRetention) })
			w.every(ctx, tidyInterval, "deleted media", func(ctx context.Context) error {
				_, err := sweeper.Tidy(ctx, media.SweepAge)
				return err
			})
			w.every(ctx, sweepInterval, "media sweep", func(ctx context.Context) error {
				_, err := sweeper.Sweep(ctx, media.SweepAge)
				return err
			})
		},
		func(ctx context.Context) {
			cancel()
			w.running.Wait()
			if err := usage.Flush(ctx); err != nil { // must not fail the stop
				log.Warn("latest token usage lost", zap.Error(err))
			}
		},
	))
}

// every runs the job at once and then at each interval until ctx ends. It logs failures
// and continues.
func (w *workers) every(ctx context.Context, interval time.Duration, job string, do func(context.Context) error) {
	w.jobs.known(job)
	w.running.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			if err := do(ctx); err != nil && ctx.Err() == nil {
				w.jobs.fail(job, err)
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// logRefusals returns a job that logs the number of requests refused since its last run, if
// any. A log line for each request would add to the overload.
func logRefusals(log *zap.Logger, limiters httpx.Limiters) func(context.Context) error {
	var reads, writes int64
	return func(context.Context) error {
		lastReads, lastWrites := reads, writes
		reads, writes = limiters.Reads.Refused(), limiters.Writes.Refused()
		if reads > lastReads || writes > lastWrites {
			log.Warn("server overloaded: requests refused", zap.Int64("reads", reads-lastReads), zap.Int64("writes", writes-lastWrites))
		}
		return nil
	}
}

// drain calls do until it returns false or an error, or ctx ends. After each call it rests for as long as the
// call took, so that at least half of the time is left to requests where there is one writer.
func drain(ctx context.Context, do func(context.Context) (bool, error)) error {
	for ctx.Err() == nil {
		began := time.Now()
		if did, err := do(ctx); err != nil || !did {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Since(began)):
		}
	}
	return nil
}
