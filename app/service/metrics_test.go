package service

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"imprimatur/adapters/httpx"
)

// Clients can invent HTTP methods; they must not create unlimited metric series.
func TestUnknownMethodsShareASeries(t *testing.T) {
	t.Parallel()
	m := newMetrics(prometheus.NewRegistry(), httpx.NewLimiters(1, 1))
	for n := range 100 {
		m.observe(httpx.Completed{Method: fmt.Sprint("MADEUP", n), Route: "/", Status: 405})
	}
	m.observe(httpx.Completed{Method: http.MethodGet, Route: "/", Status: 200})
	m.observe(httpx.Completed{Method: http.MethodGet, Route: "/", Status: 304})
	for want, collector := range map[int]prometheus.Collector{3: m.duration, 2: m.bytes} {
		counted := make(chan prometheus.Metric, 1000)
		collector.Collect(counted)
		if len(counted) != want {
			t.Errorf("%d series, want %d", len(counted), want)
		}
	}
}
