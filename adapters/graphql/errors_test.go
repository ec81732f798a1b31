package graphql

import (
	"context"
	"errors"
	"testing"

	"imprimatur/core"
	"imprimatur/ports"
)

func TestInternalErrorsNameTheRequest(t *testing.T) {
	t.Parallel()
	ctx := context.WithValue(context.WithValue(t.Context(), ports.RequestIDKey{}, "r1"), ports.TraceKey{}, "t1")
	got := publicError(ctx, errors.New("a fault")).Extensions
	if got["requestId"] != "r1" || got["traceparent"] != "t1" {
		t.Errorf("an internal error has %v", got)
	}
	if got = publicError(ctx, core.NotFound("entry")).Extensions; got["requestId"] != nil || got["traceparent"] != nil {
		t.Errorf("an error of the client has %v", got)
	}
}
