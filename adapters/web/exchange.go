package web

import (
	"context"

	"imprimatur/core"
)

// exchange is what one request gathers for its log line while it is served.
type exchange struct {
	id    string
	actor core.Actor
	fault error
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// RequestID returns the id that Wrap gave the request; empty outside of Wrap.
func RequestID(ctx context.Context) string {
	if e := exchangeOf(ctx); e != nil {
		return e.id
	}
	return ""
}

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
