package service

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/core/approval"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// publishingModule runs the worker of schedules.
var publishingModule = fx.Module("publishing", fx.Invoke(startPublishing))

const (
	// publishingPause is the wait after a failure.
	publishingPause = 500 * time.Millisecond
	// publishingYield is the wait while other processes publish due content, and for the
	// commit of a new schedule.
	publishingYield = 20 * time.Millisecond
)

// publishingLoop runs an approval.Worker in a loop.
type publishingLoop struct {
	worker *approval.Worker
	paused pauseCheck
	wakeup wakeup
	jobs   *jobs
}

// publishingJob is its name.
const publishingJob = "publishing"

func startPublishing(
	lifecycle fx.Lifecycle, jobs *jobs, worker *approval.Worker, paused pauseCheck, wakeup wakeup, schedules ports.DueSchedules, registry *prometheus.Registry,
) {
	p := &publishingLoop{worker: worker, paused: paused, wakeup: wakeup, jobs: jobs}
	jobs.known(publishingJob)
	worker.Observe = p.observe(registry, schedules)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	lifecycle.Append(fx.StartStopHook(
		func() { running.Go(func() { p.run(ctx) }) },
		func() {
			cancel()
			running.Wait()
		},
	))
}

// run publishes due content until ctx ends. It logs failures and continues.
func (p *publishingLoop) run(ctx context.Context) {
	for ctx.Err() == nil {
		pause, err := p.publishDue(ctx)
		if err != nil && ctx.Err() == nil {
			p.jobs.fail(publishingJob, err)
			pause = publishingPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-p.wakeup:
			timer.Reset(publishingYield)
			<-timer.C
		}
		timer.Stop()
	}
}

// publishDue publishes due content, if any, and returns the time until the next call.
func (p *publishingLoop) publishDue(ctx context.Context) (time.Duration, error) {
	wait, err := p.worker.Wait(ctx)
	if err != nil || wait > 0 {
		return wait, err
	}
	if paused, err := p.paused(ctx); err != nil || paused {
		return publishingPause, err
	}
	published, failed, err := p.worker.PublishDue(ctx)
	if published+failed == 0 {
		return publishingYield, err
	}
	return 0, err
}

// observe returns a function that counts publication attempts and logs failed ones.
func (p *publishingLoop) observe(registry *prometheus.Registry, schedules ports.DueSchedules) func(schedule.Schedule, time.Duration, error) {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "imprimatur_publications_total",
		Help: "Attempts of this process to publish or unpublish due content, by outcome.",
	}, []string{"outcome"})
	lateness := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "imprimatur_publication_lateness_seconds",
		Help:    "Time from due to published or unpublished.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2, 5, 10, 60},
	})
	failing := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "imprimatur_publications_failing",
		Help: "Due schedules of the whole installation that failed and will be retried; -1 if the database is unavailable.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		count, err := schedules.CountFailed(ctx)
		if err != nil {
			return -1
		}
		return float64(count)
	})
	registry.MustRegister(attempts, lateness, failing, lateWork(schedules))
	return func(due schedule.Schedule, late time.Duration, fault error) {
		if fault == nil {
			attempts.WithLabelValues(string(due.Action) + "ed").Inc()
			lateness.Observe(max(late, 0).Seconds())
			return
		}
		attempts.WithLabelValues("failed").Inc()
		p.jobs.log.Error("schedule failed, will be retried",
			zap.Int64("project", due.ProjectID), zap.Int64("entry", due.EntryID), zap.String("action", string(due.Action)), zap.Int64("request", due.RequestID),
			zap.Int("attempt", due.Attempts+1), zap.Error(fault))
	}
}

// lateWork returns the metric of the schedule that has been due for longest.
func lateWork(schedules ports.DueSchedules) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "imprimatur_publications_late_seconds",
		Help: "How long the schedule of the whole installation has been due that has been due for longest, or for its next attempt; 0 without one.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), queuesTimeout)
		defer cancel()
		wait, scheduled, err := schedules.NextDue(ctx)
		if err != nil || !scheduled {
			return 0
		}
		return max(-wait, 0).Seconds()
	})
}
