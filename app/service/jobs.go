package service

import (
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
)

// jobs logs and counts the failures of background jobs.
type jobs struct {
	log    *zap.Logger
	failed *prometheus.CounterVec
}

func newJobs(log *zap.Logger, registry *prometheus.Registry) *jobs {
	j := &jobs{log: log, failed: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "imprimatur_jobs_failed_total",
		Help: "Failed runs of background jobs of this process by name. A job that failed runs again.",
	}, []string{"name"})}
	registry.MustRegister(j.failed)
	return j
}

// known gives the metric of a job the value 0, which a rate needs before the first failure.
func (j *jobs) known(name string) { j.failed.WithLabelValues(name) }

// fail records a failed run.
func (j *jobs) fail(name string, err error) {
	j.count(name)
	j.log.Error("background job failed", zap.String("job", name), zap.Error(err))
}

// count records a failed run that has been logged.
func (j *jobs) count(name string) { j.failed.WithLabelValues(name).Inc() }
