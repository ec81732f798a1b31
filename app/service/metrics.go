package service

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"imprimatur/adapters/cache"
	"imprimatur/adapters/httpx"
)

// metrics are what is counted of every answer.
type metrics struct {
	duration *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	known    sync.Map // of series to *counted: to find them by their labels takes longer
}

// series are the labels of an answer. There are no more of them than routes, methods
// and statuses.
type series struct {
	method, route string
	status        int
}

// counted is what of an answer is counted.
type counted struct {
	duration prometheus.Observer
	bytes    prometheus.Counter
}

func newMetrics(registry *prometheus.Registry, limiters httpx.Limiters) *metrics {
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
	registry.MustRegister(limiterMetrics("read", limiters.Reads)...)
	registry.MustRegister(limiterMetrics("write", limiters.Writes)...)
	return m
}

func (m *metrics) observe(a httpx.Response) {
	c := m.of(series{knownMethod(a.Method), a.Route, a.Status})
	c.duration.Observe(a.Elapsed.Seconds())
	c.bytes.Add(float64(a.Bytes))
}

func (m *metrics) of(s series) *counted {
	if found, ok := m.known.Load(s); ok {
		return found.(*counted)
	}
	found, _ := m.known.LoadOrStore(s, &counted{
		m.duration.WithLabelValues(s.method, s.route, strconv.Itoa(s.status)),
		m.bytes.WithLabelValues(s.method, s.route),
	})
	return found.(*counted)
}

// knownMethod returns method, or "other" for an unknown one: each label value takes memory
// for ever.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "other"
}

// readCacheMetrics describe the use of the read cache.
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

// limiterMetrics returns the metrics of a limiter.
func limiterMetrics(what string, l *httpx.Limiter) []prometheus.Collector {
	labels := prometheus.Labels{"what": what}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "imprimatur_http_requests_in_flight", ConstLabels: labels,
			Help: "Requests that are worked on.",
		}, func() float64 { return float64(l.InFlight()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "imprimatur_http_requests_waiting", ConstLabels: labels,
			Help: "Requests that queue because too many are worked on.",
		}, func() float64 { return float64(l.Waiting()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "imprimatur_http_requests_refused_total", ConstLabels: labels,
			Help: "Requests that were answered 503 because the queue was full or did not move.",
		}, func() float64 { return float64(l.Refused()) }),
	}
}
