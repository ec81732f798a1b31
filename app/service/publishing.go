package service

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/ports"
)

// publishingModule runs the worker of scheduled publications.
var publishingModule = fx.Module("publishing", fx.Invoke(startPublishing))

const (
	// publishingPause is the wait after a failure, and the longest between two polls.
	publishingPause = 500 * time.Millisecond
	// publishingYield is the wait while other processes publish what is due, and until
	// a new schedule is committed.
	publishingYield = 20 * time.Millisecond
)

// publishing runs an approval.Worker in a loop.
type publishing struct {
	worker *approval.Worker
	alarm  alarm
	log    *zap.Logger
}

func startPublishing(
	lifecycle fx.Lifecycle, log *zap.Logger, worker *approval.Worker, alarm alarm, stores ports.Stores, registry *prometheus.Registry,
) {
	p := &publishing{worker: worker, alarm: alarm, log: log}
	worker.Observe = p.observe(registry, stores.Publications)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	lifecycle.Append(fx.Hook{
		OnStart: func(context.Context) error {
			running.Go(func() { p.run(ctx) })
			return nil
		},
		OnStop: func(context.Context) error {
			cancel()
			running.Wait()
			return nil
		},
	})
}

// run publishes what is due until ctx ends. It logs failures and continues.
func (p *publishing) run(ctx context.Context) {
	for ctx.Err() == nil {
		pause, err := p.turn(ctx)
		if err != nil && ctx.Err() == nil {
			p.log.Error("publishing what is due failed", zap.Error(err))
			pause = publishingPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-p.alarm:
			timer.Reset(publishingYield)
			<-timer.C
		}
		timer.Stop()
	}
}

// turn publishes what is due, if anything, and returns how long to wait after it.
func (p *publishing) turn(ctx context.Context) (time.Duration, error) {
	wait, err := p.worker.Wait(ctx)
	if err != nil || wait > 0 {
		return wait, err
	}
	published, failed, err := p.worker.PublishDue(ctx)
	if published+failed == 0 {
		return publishingYield, err
	}
	return 0, err
}

// observe counts the attempts, and logs those that fail.
func (p *publishing) observe(registry *prometheus.Registry, publications ports.PublicationStore) func(core.Publication, time.Duration, error) {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "imprimatur_publications_total",
		Help: "Attempts of this process to publish what was due, by how they ended.",
	}, []string{"outcome"})
	lateness := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "imprimatur_publication_lateness_seconds",
		Help:    "How late what was due went public.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2, 5, 10, 60},
	})
	failing := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "imprimatur_publications_failing",
		Help: "What was due, could not be published so far and will be tried again, in the whole installation; -1: the database does not say.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		count, err := publications.CountFailed(ctx)
		if err != nil {
			return -1
		}
		return float64(count)
	})
	registry.MustRegister(attempts, lateness, failing)
	return func(due core.Publication, late time.Duration, fault error) {
		if fault == nil {
			attempts.WithLabelValues("published").Inc()
			lateness.Observe(max(late, 0).Seconds())
			return
		}
		attempts.WithLabelValues("failed").Inc()
		p.log.Error("a due publication failed and will be tried again",
			zap.Int64("project", due.ProjectID), zap.Int64("entry", due.EntryID), zap.Int64("request", due.RequestID),
			zap.Int("attempt", due.Attempts+1), zap.Error(fault))
	}
}
