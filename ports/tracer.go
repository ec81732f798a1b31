package ports

import "context"

// Tracer records spans: what a process did, for how long, and within which other span. A Tracer is nil
// where spans are switched off; callers check that, so that they cost nothing then.
type Tracer interface {
	// Begin begins a span. Spans that begin with the context within are part of it. A span that is part
	// of no other belongs to the trace of Trace(ctx), or to a new one; a statement that is part of no
	// other is not recorded. The caller calls end once, from any goroutine.
	Begin(ctx context.Context, kind SpanKind) (within context.Context, end func(Span))
}

// SpanKind is a kind of span.
type SpanKind int

// The kinds of spans.
const (
	SpanRequest   SpanKind = iota // an HTTP request to this process
	SpanStatement                 // one statement, or a batch of them, that the database runs
	SpanDelivery                  // an attempt to send a message to a webhook
)

// Span is what is known of a span when it ends. It has no content and no secret.
type Span struct {
	Name       string         // one of a bounded number of names
	Attributes map[string]any // of the types string, int and int64
	Failed     bool
}
