package httpx

import "context"

type lendKey struct{}

// WithLend returns a context for the requests of a connection. LendConnection calls lend.
func WithLend(ctx context.Context, lend func()) context.Context {
	return context.WithValue(ctx, lendKey{}, lend)
}

// LendConnection gives back the slot that the connection of a request has among those of its listener, because the
// response lasts long and has a limit of its own. The connection must close after the response.
func LendConnection(ctx context.Context) {
	if lend, ok := ctx.Value(lendKey{}).(func()); ok {
		lend()
	}
}
