package service

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/fx"

	"imprimatur/adapters/sqlstore"
)

// opsModule provides health checks and metrics for the operations listener.
var opsModule = fx.Module("ops", fx.Provide(newRegistry, newReadiness))

func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return registry
}

// readiness reports whether the process accepts requests: the database is available and
// migrated, and the process is not stopping.
type readiness struct {
	db       *sqlstore.DB
	migrated atomic.Bool // does not change back
	stopping atomic.Bool
}

func newReadiness(db *sqlstore.DB) *readiness { return &readiness{db: db} }

func (r *readiness) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	ctx, cancel := context.WithTimeout(request.Context(), time.Second)
	defer cancel()
	switch {
	case r.stopping.Load():
		http.Error(w, "stopping", http.StatusServiceUnavailable)
	case r.db.Ping(ctx) != nil:
		http.Error(w, "database unavailable", http.StatusServiceUnavailable)
	case !r.hasTables(ctx):
		http.Error(w, "database not migrated", http.StatusServiceUnavailable)
	default:
		writeOK(w, request)
	}
}

func (r *readiness) hasTables(ctx context.Context) bool {
	if !r.migrated.Load() {
		done, err := r.db.Migrated(ctx)
		r.migrated.Store(done && err == nil)
	}
	return r.migrated.Load()
}

func writeOK(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // fails only if the client disconnected
}

func opsHandler(registry *prometheus.Registry, ready *readiness) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", writeOK)
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
}
