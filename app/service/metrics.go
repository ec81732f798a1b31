package service

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/sqlstore/admission"
	"imprimatur/adapters/web"
)

// metrics are what is counted of every answer.
type metrics struct {
	duration *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
}

func newMetrics(registry *prometheus.Registry, db *sqlstore.DB) *metrics {
	m := &metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "imprimatur_http_request_duration_seconds",
			Help:    "How long requests took, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "imprimatur_http_response_bytes_total",
			Help: "Bytes of response bodies, by route.",
		}, []string{"method", "route"}),
	}
	registry.MustRegister(m.duration, m.bytes)
	registry.MustRegister(doorMetrics(db)...)
	return m
}

func (m *metrics) observe(a web.Answer) {
	m.duration.WithLabelValues(a.Method, a.Route, strconv.Itoa(a.Status)).Observe(a.Elapsed.Seconds())
	m.bytes.WithLabelValues(a.Method, a.Route).Add(float64(a.Bytes))
}

// readCacheMetrics say what the cache of answers is good for.
func readCacheMetrics(reads *cache.Reads) []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "imprimatur_read_cache_hits_total",
			Help: "Answers that were there already when they were asked for.",
		}, func() float64 { return float64(reads.Hits()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "imprimatur_read_cache_misses_total",
			Help: "Answers that had to be read when they were asked for.",
		}, func() float64 { return float64(reads.Misses()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "imprimatur_read_cache_bytes",
			Help: "About how much memory the cache of answers takes.",
		}, func() float64 { return float64(reads.Size()) }),
	}
}

// doorMetrics say what is at the doors of the database.
func doorMetrics(db *sqlstore.DB) (all []prometheus.Collector) {
	for what, load := range map[string]func() admission.Load{
		"read":  func() admission.Load { return db.Load().Reads },
		"write": func() admission.Load { return db.Load().Writes },
	} {
		labels := prometheus.Labels{"what": what}
		gauge := func(name, help string, value func(admission.Load) int) prometheus.Collector {
			return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
				func() float64 { return float64(value(load())) })
		}
		all = append(all,
			gauge("imprimatur_database_places", "How many requests may be at the database at once.", func(l admission.Load) int { return l.Places }),
			gauge("imprimatur_database_in_work", "Requests that are at the database.", func(l admission.Load) int { return l.Inside }),
			gauge("imprimatur_database_waiting", "Requests that wait for a place at the database.", func(l admission.Load) int { return l.Waiting }),
			prometheus.NewCounterFunc(prometheus.CounterOpts{
				Name: "imprimatur_database_refused_total", ConstLabels: labels,
				Help: "Requests that were answered 503 because too many were at the database.",
			}, func() float64 { return float64(load().Refused) }),
		)
	}
	return all
}
