package service

import (
	"io"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/fx"

	"imprimatur/app/build"
)

// opsModule provides health checks and metrics for the operations listener.
var opsModule = fx.Module("ops",
	fx.Provide(newRegistry, newReadiness, newJobs),
	fx.Invoke(registerHealth),
)

func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	info := build.Read()
	built := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "imprimatur_build_info", Help: "1; the labels say what the program was built from.",
		ConstLabels: prometheus.Labels{"version": info.Version, "commit": info.Commit, "go": info.Go, "schema": info.Schema},
	})
	built.Set(1)
	registry.MustRegister(built)
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return registry
}

func writeOK(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // fails only if the client disconnected
}

// opsHandler is the handler of the operations listener. With profiles, it serves those of net/http/pprof.
func opsHandler(registry *prometheus.Registry, ready *readiness, profiles bool) http.Handler {
	mux := http.NewServeMux()
	version := build.Read().String()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, r *http.Request) {
		writeOK(w, r)
		_, _ = io.WriteString(w, version+"\n") // fails only if the client disconnected
	})
	mux.Handle("GET /readyz", ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	if profiles {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	}
	return mux
}
