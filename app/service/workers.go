package service

import (
	"context"
	"sync"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest"
	"imprimatur/app/config"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/core/media"
	"imprimatur/core/notices"
	"imprimatur/ports"
)

// workersModule runs the background jobs.
var workersModule = fx.Module("workers", fx.Invoke(startWorkers))

// The intervals of the background jobs.
const (
	refusalInterval   = time.Second
	usageInterval     = 10 * time.Second
	backfillInterval  = time.Second
	reminderInterval  = 5 * time.Second
	sessionInterval   = 10 * time.Minute
	tidyInterval      = 10 * time.Minute
	retentionInterval = 10 * time.Minute
	sweepInterval     = 6 * time.Hour // a sweep lists all blobs
)

// invitationRetention is how long invitations are kept after their end.
const invitationRetention = 90 * 24 * time.Hour

type workers struct {
	log     *zap.Logger
	running sync.WaitGroup
}

func startWorkers(lifecycle fx.Lifecycle, log *zap.Logger, usage *access.Usage, collections *definition.Collections, stores ports.Stores, cfg config.Config, clock ports.Clock, reminding *notices.Reminding, sweeper *media.Sweeper, limiters httpx.Limiters) {
	w := &workers{log: log}
	ctx, cancel := context.WithCancel(context.Background())
	lifecycle.Append(fx.StartStopHook(
		func() {
			w.every(ctx, refusalInterval, "refused requests", logRefusals(log, limiters))
			w.every(ctx, usageInterval, "token usage", usage.Flush)
			w.every(ctx, backfillInterval, "index back-fill", func(ctx context.Context) error { return drain(ctx, collections.Backfill) })
			w.every(ctx, reminderInterval, "reminders", reminding.Remind)
			w.every(ctx, sessionInterval, "expired sessions", func(ctx context.Context) error {
				return stores.Sessions.DeleteExpired(ctx, clock.Now())
			})
			w.every(ctx, sessionInterval, "old token usage", func(ctx context.Context) error {
				return stores.Tokens.DeleteUsage(ctx, core.Day(clock.Now()).AddDate(0, 0, 1-core.UsageDays))
			})
			w.every(ctx, sessionInterval, "failed sign-ins", func(ctx context.Context) error {
				return stores.SignIns.DeleteEnded(ctx, clock.Now())
			})
			w.every(ctx, sessionInterval, "expired links", func(ctx context.Context) error {
				return stores.Links.DeleteExpired(ctx, clock.Now())
			})
			w.every(ctx, retentionInterval, "old invitations", func(ctx context.Context) error {
				return stores.Invitations.DeleteBefore(ctx, clock.Now().Add(-invitationRetention))
			})
			w.every(ctx, sessionInterval, "spent challenges", func(ctx context.Context) error {
				return stores.Spent.DeleteExpired(ctx, clock.Now())
			})
			w.every(ctx, sessionInterval, "expired idempotency keys", func(ctx context.Context) error {
				return stores.Idempotency.DeleteBefore(ctx, clock.Now().Add(-rest.IdempotencyLifetime))
			})
			w.every(ctx, retentionInterval, "old events", func(ctx context.Context) error {
				return deleteOldEvents(ctx, stores, cfg.EventRetention)
			})
			w.every(ctx, retentionInterval, "old deliveries", func(ctx context.Context) error { return deleteOldDeliveries(ctx, stores) })
			w.every(ctx, retentionInterval, "old e-mails", func(ctx context.Context) error { return deleteOldMails(ctx, stores) })
			w.every(ctx, retentionInterval, "old notices", func(ctx context.Context) error { return deleteOldNotices(ctx, stores) })
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
				w.log.Warn("latest token usage lost", zap.Error(err))
			}
		},
	))
}

// every runs the job at once and then at each interval until ctx ends. It logs failures
// and continues.
func (w *workers) every(ctx context.Context, interval time.Duration, job string, do func(context.Context) error) {
	w.running.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			if err := do(ctx); err != nil && ctx.Err() == nil {
				w.log.Error("background job failed", zap.String("job", job), zap.Error(err))
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

// eventBatch is the number of events that one statement deletes.
const eventBatch = 500

// deleteOldEvents deletes events older than retention by the clock of the database. A
// retention of 0 keeps all.
func deleteOldEvents(ctx context.Context, stores ports.Stores, retention time.Duration) error {
	if retention == 0 {
		return nil
	}
	now, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	return drain(ctx, func(ctx context.Context) (bool, error) {
		deleted, err := stores.Events.DeleteBefore(ctx, now.Add(-retention), eventBatch)
		return deleted == eventBatch, err
	})
}

// drain calls do until it returns false or an error, or ctx ends.
func drain(ctx context.Context, do func(context.Context) (bool, error)) error {
	for ctx.Err() == nil {
		if did, err := do(ctx); err != nil || !did {
			return err
		}
	}
	return nil
}
