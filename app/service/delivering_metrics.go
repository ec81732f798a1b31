package service

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// observe returns a function that counts attempts.
func (d *delivering) observe(registry *prometheus.Registry) func(webhook.Delivery, webhook.DeliveryAttempt) {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "imprimatur_deliveries_total",
		Help: "Attempts of this process to send a message to a webhook, by outcome: delivered, failed (another attempt follows) or parked (none follows).",
	}, []string{"outcome"})
	outcomes := map[webhook.DeliveryStatus]string{webhook.DeliveryDelivered: "delivered", webhook.DeliveryWaiting: "failed", webhook.DeliveryParked: "parked"}
	for _, outcome := range outcomes {
		attempts.WithLabelValues(outcome) // a rate needs the value 0 before the first attempt
	}
	registry.MustRegister(attempts)
	return func(sent webhook.Delivery, _ webhook.DeliveryAttempt) {
		attempts.WithLabelValues(outcomes[sent.Status]).Inc()
		d.poke()
	}
}

// queue is a queue of the whole installation: its length, and the time since which its first waits.
type queue struct {
	length, age *prometheus.Desc
	read        func(ctx context.Context) (count int64, since time.Time, err error) // of an index
}

// queues collects the lengths and ages of queues. Ages are by the clock of the database.
type queues struct {
	stores ports.Stores
	all    []queue
}

var (
	outboxEvents = prometheus.NewDesc("imprimatur_outbox_events",
		"Events of the whole installation that have to be delivered and are not yet distributed; -1 if the database is unavailable.", nil, nil)
	outboxAge = prometheus.NewDesc("imprimatur_outbox_age_seconds",
		"Age of the oldest event that is not yet distributed; 0 without one.", nil, nil)
	waitingDeliveries = prometheus.NewDesc("imprimatur_deliveries_waiting",
		"Deliveries of the whole installation that are neither delivered nor parked; -1 if the database is unavailable.", nil, nil)
	lateDeliveries = prometheus.NewDesc("imprimatur_deliveries_late_seconds",
		"How long the delivery has been due that has been due for longest; 0 without one.", nil, nil)
)

// queuesTimeout is the time limit of the reads of one scrape.
const queuesTimeout = time.Second

// Describe implements prometheus.Collector.
func (qs queues) Describe(to chan<- *prometheus.Desc) {
	for _, q := range qs.all {
		to <- q.length
		to <- q.age
	}
}

// Collect implements prometheus.Collector.
func (qs queues) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queuesTimeout)
	defer cancel()
	now, _ := qs.stores.Clock.Now(ctx) // without the database, all reads fail, too
	for _, q := range qs.all {
		count, since, err := q.read(ctx)
		if err != nil {
			count, since = -1, now
		}
		to <- prometheus.MustNewConstMetric(q.length, prometheus.GaugeValue, float64(count))
		to <- prometheus.MustNewConstMetric(q.age, prometheus.GaugeValue, ageOf(since, now).Seconds())
	}
}

// ageOf returns the time from since to now; 0 if since is zero or later.
func ageOf(since, now time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(now.Sub(since), 0)
}
