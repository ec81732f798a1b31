package service

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/web"
)

// metrics are what is counted of every answer.
type metrics struct {
	duration *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
}

func newMetrics(registry *prometheus.Registry) *metrics {
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
