package service

import (
	"context"
	"sync"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/otlp"
	"imprimatur/app/build"
	"imprimatur/app/config"
	"imprimatur/ports"
)

var tracingModule = fx.Module("tracing", fx.Provide(newTracer))

const (
	// lastSpans is the time limit of a stop for sending the spans that wait.
	lastSpans = 3 * time.Second
	// spanFaults is the shortest time between two log lines about spans that are not exported.
	spanFaults = time.Minute
)

// newTracer returns nil unless cfg names a collector.
func newTracer(lifecycle fx.Lifecycle, cfg config.Config, log *zap.Logger) (ports.Tracer, error) {
	if cfg.OTLPEndpoint == "" {
		return nil, nil //nolint:nilnil // ports.Tracer is nil while spans are switched off
	}
	report := reportFaults(log)
	tracer, err := otlp.New(context.Background(), cfg.OTLPEndpoint, build.Read().Version, report)
	if err != nil {
		return nil, startFault("setting --otlp-endpoint: %v", err)
	}
	lifecycle.Append(fx.StopHook(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, lastSpans)
		defer cancel()
		if err := tracer.Close(ctx); err != nil { // must not fail the stop
			report(err)
		}
	}))
	return tracer, nil
}

// reportFaults returns a function that logs errors, at most one each spanFaults.
func reportFaults(log *zap.Logger) func(error) {
	var mu sync.Mutex
	var last time.Time
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) >= spanFaults {
			last = time.Now()
			log.Warn("spans cannot be exported", zap.Error(err))
		}
	}
}
