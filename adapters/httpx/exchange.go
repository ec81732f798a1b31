package httpx

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"

	"imprimatur/core"
	"imprimatur/ports"
)

// exchange is a request with its response and the fields for its log line. The context of the
// request has it.
type exchange struct {
	id       string // the value of X-Request-Id
	trace    string // the traceparent of a trusted proxy, or ""
	response recorder
	actor    core.Actor
	fault    error
}

type exchangeKey struct{}

// context returns ctx with the exchange, its id and its trace.
func (e *exchange) context(ctx context.Context) context.Context {
	ctx = context.WithValue(context.WithValue(ctx, exchangeKey{}, e), ports.RequestIDKey{}, e.id)
	if e.trace != "" {
		ctx = context.WithValue(ctx, ports.TraceKey{}, e.trace)
	}
	return ctx
}

func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// Inside returns a context for requests that a handler makes to other handlers inside of the process, perhaps in other
// goroutines. done, called after their responses, adds their fault to the log line of the request. It does nothing if the
// client has gone: they may still run then.
func Inside(ctx context.Context) (inner context.Context, done func()) {
	outer := exchangeOf(ctx)
	if outer == nil {
		return ctx, func() {}
	}
	e := &exchange{id: outer.id, trace: outer.trace, actor: outer.actor}
	return e.context(ctx), func() {
		if ctx.Err() == nil && e.fault != nil {
			outer.fault = e.fault
		}
	}
}

// RequestID returns the id of the request: that of a trusted proxy, or one that Wrap made. It is empty
// outside of Wrap.
func RequestID(ctx context.Context) string { return ports.RequestID(ctx) }

// RecordFault adds err to the log line of the request. The client does not receive it.
func RecordFault(ctx context.Context, err error) {
	if e := exchangeOf(ctx); e != nil {
		e.fault = err
	}
}

// recordActor adds the actor to the log line of the request.
func recordActor(ctx context.Context, actor core.Actor) {
	if e := exchangeOf(ctx); e != nil {
		e.actor = actor
	}
}

// newID returns a unique id of 26 characters with more than 120 random bits. It is not a
// secret.
func newID() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var text [26]byte
	for half := range 2 {
		random := rand.Uint64() //nolint:gosec // not a secret
		for i := range len(text) / 2 {
			text[half*len(text)/2+i] = alphabet[random%32]
			random /= 32
		}
	}
	return string(text[:])
}

// recorder is a response writer that records the status and the number of bytes written.
type recorder struct {
	http.ResponseWriter
	conn   *pacedConn // nil without ConnContext
	body   *longBody  // of the request; nil if it is short
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (rec *recorder) WriteHeader(status int) {
	if status >= http.StatusOK {
		rec.begin(status)
	}
	rec.ResponseWriter.WriteHeader(status)
}

// begin records the status of the response before its header is written.
func (rec *recorder) begin(status int) {
	if rec.status == 0 {
		rec.status = status
		rec.body.beforeHeader()
	}
}

// Write implements http.ResponseWriter.
func (rec *recorder) Write(b []byte) (n int, err error) {
	rec.begin(http.StatusOK)
	rec.conn.beginJoin()
	n, err = rec.ResponseWriter.Write(b)
	err = cmp.Or(err, rec.conn.endJoin())
	rec.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }
