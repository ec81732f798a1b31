package admission

import (
	"context"
	"sync"
)

// visit is what one request has to do with gates.
type visit struct {
	mu    sync.Mutex
	stays []*stay
}

// stay is what a visit has to do with one gate.
type stay struct {
	gate   *Gate
	mu     sync.Mutex // held while it waits: the others of the visit go in with it
	inside int        // Enters without their Leave
	known  bool       // it has been inside
}

type visitKey struct{}

// WithVisit returns a context for everything that is done for one request.
func WithVisit(ctx context.Context) context.Context {
	return context.WithValue(ctx, visitKey{}, &visit{})
}

// IsVisit reports whether what is done in ctx is part of a visit.
func IsVisit(ctx context.Context) bool {
	_, ok := ctx.Value(visitKey{}).(*visit)
	return ok
}

// stayOf returns nil for what is no part of a visit.
func stayOf(ctx context.Context, g *Gate) *stay {
	v, ok := ctx.Value(visitKey{}).(*visit)
	if !ok {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.stays {
		if s.gate == g {
			return s
		}
	}
	s := &stay{gate: g}
	v.stays = append(v.stays, s)
	return s
}
