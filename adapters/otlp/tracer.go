package otlp

import (
	"context"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"imprimatur/ports"
)

// Tracer is a ports.Tracer that sends spans to a collector, in batches and in the background. When the
// collector is too slow or away, spans are dropped; no caller waits. The sampler of the SDK decides
// which traces are recorded: all, except those whose traceparent says that they are not sampled.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

var _ ports.Tracer = (*Tracer)(nil)

const (
	// tracesPath is the path of a collector, unless the endpoint has one (OTLP 1.9, "OTLP/HTTP Request").
	tracesPath = "/v1/traces"
	// longestValue is the length in bytes from which values of attributes are cut.
	longestValue = 4096
)

// New returns a Tracer that sends spans to endpoint, an http or https URL. Spans name version as that of
// the service. report is called with the errors of OpenTelemetry in this process, from any goroutine. The
// environment variables of the SDK (OTEL_…) apply, except those that name another endpoint. The
// caller calls Close.
func New(ctx context.Context, endpoint, version string, report func(error)) (*Tracer, error) {
	to, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	if strings.Trim(to.Path, "/") == "" {
		to.Path = tracesPath
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(to.String()))
	if err != nil {
		return nil, err
	}
	about, err := resource.Merge(resource.NewSchemaless(
		attribute.String("service.name", "imprimatur"), attribute.String("service.version", version),
	), resource.Environment())
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(report))
	limits := sdk.NewSpanLimits()
	limits.AttributeValueLengthLimit = longestValue
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about), sdk.WithRawSpanLimits(limits))
	return &Tracer{provider, provider.Tracer("imprimatur")}, nil
}

// Close sends the spans that wait, until ctx ends. Later spans are dropped.
func (t *Tracer) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// kinds are the kinds of OpenTelemetry.
var kinds = map[ports.SpanKind]trace.SpanKind{
	ports.SpanRequest: trace.SpanKindServer, ports.SpanStatement: trace.SpanKindClient, ports.SpanDelivery: trace.SpanKindClient,
}

// Begin implements ports.Tracer.
func (t *Tracer) Begin(ctx context.Context, kind ports.SpanKind) (within context.Context, end func(ports.Span)) {
	parent := trace.SpanContextFromContext(ctx)
	if kind == ports.SpanStatement && !parent.IsValid() {
		return ctx, func(ports.Span) {}
	}
	if above := ports.Trace(ctx); above != "" && !parent.IsValid() {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": above})
	}
	within, span := t.tracer.Start(ctx, "", trace.WithSpanKind(kinds[kind]))
	return within, func(done ports.Span) {
		if span.IsRecording() {
			span.SetName(done.Name)
			span.SetAttributes(attributes(done.Attributes)...)
			if done.Failed {
				span.SetStatus(codes.Error, "")
			}
		}
		span.End()
	}
}

func attributes(named map[string]any) []attribute.KeyValue {
	all := make([]attribute.KeyValue, 0, len(named))
	for name, value := range named {
		switch value := value.(type) {
		case string:
			all = append(all, attribute.String(name, value))
		case int:
			all = append(all, attribute.Int(name, value))
		case int64:
			all = append(all, attribute.Int64(name, value))
		}
	}
	return all
}
