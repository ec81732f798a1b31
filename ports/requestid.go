package ports

import "context"

// RequestIDKey is the key under which a context has the id of its HTTP request, a string.
type RequestIDKey struct{}

// RequestID returns the id of the HTTP request that ctx belongs to, for logs and events, or ""
// outside a request.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(RequestIDKey{}).(string)
	return id
}
