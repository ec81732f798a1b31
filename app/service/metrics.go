package service

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/httpx"
)

// metrics observes responses.
type metrics struct {
	duration *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	cache    sync.Map // labels to *observers; faster than a lookup by label values
}

// labels identify the observers of a response. Routes, methods and statuses limit their
// number.
type labels struct {
	method, route string
	status        int
}

type observers struct {
	duration prometheus.Observer
	bytes    prometheus.Counter
}

func newMetrics(registry *prometheus.Registry, limiters httpx.Limiters) *metrics {
	m := &metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "imprimatur_http_request_duration_seconds",
			Help:    "Duration of requests by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "imprimatur_http_response_bytes_total",
			Help: "Bytes of response bodies by route.",
		}, []string{"method", "route"}),
	}
	registry.MustRegister(m.duration, m.bytes)
	registry.MustRegister(limiterMetrics("read", limiters.Reads)...)
	registry.MustRegister(limiterMetrics("write", limiters.Writes)...)
	return m
}

func (m *metrics) observe(r httpx.Completed) {
	o := m.observers(labels{knownMethod(r.Method), r.Route, r.Status})
	o.duration.Observe(r.Elapsed.Seconds())
	o.bytes.Add(float64(r.Bytes))
}

func (m *metrics) observers(l labels) *observers {
	if found, ok := m.cache.Load(l); ok {
		return found.(*observers)
	}
	found, _ := m.cache.LoadOrStore(l, &observers{
		m.duration.WithLabelValues(l.method, l.route, strconv.Itoa(l.status)),
		m.bytes.WithLabelValues(l.method, l.route),
	})
	return found.(*observers)
}

// knownMethod returns method, or "other" for an unknown one, because the memory of a label
// value is never freed.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "other"
}

// readCacheMetrics returns the metrics of the read cache.
func readCacheMetrics(reads *cache.Reads) []prometheus.Collector {
	return []prometheus.Collector{
		counter("imprimatur_read_cache_hits_total", "Reads that the cache answered.", nil, reads.Hits),
		counter("imprimatur_read_cache_misses_total", "Reads that the cache could not answer.", nil, reads.Misses),
		gauge("imprimatur_read_cache_bytes", "Approximate memory of cached responses.", nil, reads.Size),
	}
}

// limiterMetrics returns the metrics of a limiter.
func limiterMetrics(what string, l *httpx.Limiter) []prometheus.Collector {
	labels := prometheus.Labels{"what": what}
	return []prometheus.Collector{
		gauge("imprimatur_http_requests_in_flight", "Requests that are being processed.", labels, l.InFlight),
		gauge("imprimatur_http_requests_waiting", "Requests in the queue for processing.", labels, l.Waiting),
		counter("imprimatur_http_requests_refused_total", "Requests refused with 503 because the queue was full or the wait too long.", labels, l.Refused),
	}
}

// gauge returns a metric with the results of read.
func gauge[T int64 | uint64](name, help string, labels prometheus.Labels, read func() T) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(read()) })
}

// counter returns a metric with the results of read, which only grow.
func counter[T int64 | uint64](name, help string, labels prometheus.Labels, read func() T) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return float64(read()) })
}
