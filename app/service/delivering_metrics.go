package service

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"imprimatur/core"
	"imprimatur/ports"
)

// observe returns a function that counts attempts.
func (d *delivering) observe(registry *prometheus.Registry) func(core.Delivery, core.DeliveryAttempt) {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "imprimatur_deliveries_total",
		Help: "Attempts of this process to send a message to a webhook, by outcome: delivered, failed (another attempt follows) or parked (none follows).",
	}, []string{"outcome"})
	outcomes := map[core.DeliveryStatus]string{core.DeliveryDelivered: "delivered", core.DeliveryWaiting: "failed", core.DeliveryParked: "parked"}
	for _, outcome := range outcomes {
		attempts.WithLabelValues(outcome) // a rate needs the value 0 before the first attempt
	}
	registry.MustRegister(attempts)
	return func(sent core.Delivery, _ core.DeliveryAttempt) {
		attempts.WithLabelValues(outcomes[sent.Status]).Inc()
		d.poke()
	}
}

// queues collects the lengths of the outbox and of the queue of deliveries of the whole installation,
// by two reads of indexes. Ages are by the clock of the database.
type queues struct{ stores ports.Stores }

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
func (queues) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{outboxEvents, outboxAge, waitingDeliveries, lateDeliveries} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (q queues) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queuesTimeout)
	defer cancel()
	now, _ := q.stores.Clock.Now(ctx) // without the database, both reads fail, too
	send := func(length, age *prometheus.Desc, count int64, since time.Time, err error) {
		if err != nil {
			count, since = -1, now
		}
		to <- prometheus.MustNewConstMetric(length, prometheus.GaugeValue, float64(count))
		to <- prometheus.MustNewConstMetric(age, prometheus.GaugeValue, ageOf(since, now).Seconds())
	}
	count, oldest, err := q.stores.Outbox.Backlog(ctx)
	send(outboxEvents, outboxAge, count, oldest, err)
	count, due, err := q.stores.Deliveries.Waiting(ctx)
	send(waitingDeliveries, lateDeliveries, count, due, err)
}

// ageOf returns the time from since to now; 0 if since is zero or later.
func ageOf(since, now time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(now.Sub(since), 0)
}
