package httpx

import (
	"context"
	"math/rand/v2"

	"imprimatur/core"
	"imprimatur/ports"
)

// exchange is one request and its answer, and what they gather for their log line. It is
// the context of the request, too: one thing less to make.
type exchange struct {
	context.Context //nolint:containedctx // it is one

	id     [1]string // as a header's value
	answer recorder
	actor  core.Actor
	fault  error
}

type exchangeKey struct{}

// Value returns the exchange itself under its key, and the id of the request.
func (e *exchange) Value(key any) any {
	switch key {
	case exchangeKey{}:
		return e
	case ports.RequestIDKey{}:
		return e.id[0]
	}
	return e.Context.Value(key)
}

func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// RequestID returns the id that Wrap gave the request; empty outside of Wrap.
func RequestID(ctx context.Context) string { return ports.RequestID(ctx) }

// RecordFault keeps err for the log line of the request. It never reaches the caller.
func RecordFault(ctx context.Context, err error) {
	if e := exchangeOf(ctx); e != nil {
		e.fault = err
	}
}

// recordActor keeps who is asking for the log line.
func recordActor(ctx context.Context, actor core.Actor) {
	if e := exchangeOf(ctx); e != nil {
		e.actor = actor
	}
}

// newID returns 26 characters, of more than 120 random bits: no two requests have the
// same. It is no secret.
func newID() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var text [26]byte
	for half := range 2 {
		random := rand.Uint64() //nolint:gosec // no secret
		for i := range len(text) / 2 {
			text[half*len(text)/2+i] = alphabet[random%32]
			random /= 32
		}
	}
	return string(text[:])
}
