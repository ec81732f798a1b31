package service

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

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
