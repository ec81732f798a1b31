package access

import (
	"context"
	"sync"
	"time"

	"imprimatur/ports"
)

// Usage collects when tokens were last used, so that a request does not have to
// write. It is safe for concurrent use.
type Usage struct {
	tokens ports.TokenStore

	mu   sync.Mutex
	used map[int64]time.Time
}

// NewUsage returns a Usage that Flush writes to tokens.
func NewUsage(tokens ports.TokenStore) *Usage {
	return &Usage{tokens: tokens, used: map[int64]time.Time{}}
}

// Flush writes what was collected. What could not be written is kept for the next
// time.
func (u *Usage) Flush(ctx context.Context) error { return nil }
