package access

import (
	"context"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Usage collects when tokens were last used, to the minute, so that a request does
// not have to write. It is safe for concurrent use.
type Usage struct {
	tokens ports.TokenStore

	mu   sync.Mutex
	used map[int64]time.Time
}

// NewUsage returns a Usage that Flush writes to tokens.
func NewUsage(tokens ports.TokenStore) *Usage {
	return &Usage{tokens: tokens, used: map[int64]time.Time{}}
}

// note remembers that token was used, unless that is stored already.
func (u *Usage) note(token *core.Token, at time.Time) {
	at = at.Truncate(time.Minute)
	if !at.After(token.LastUsedAt) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if at.After(u.used[token.ID]) {
		u.used[token.ID] = at
	}
}

// Flush writes what was collected. What could not be written is kept for the next
// time.
func (u *Usage) Flush(ctx context.Context) error {
	used := u.takeAll()
	if len(used) == 0 {
		return nil
	}
	err := u.tokens.Touch(ctx, used)
	if err != nil {
		u.putBack(used)
	}
	return err
}

func (u *Usage) takeAll() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	used := u.used
	u.used = map[int64]time.Time{}
	return used
}

func (u *Usage) putBack(used map[int64]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, at := range used {
		if at.After(u.used[id]) {
			u.used[id] = at
		}
	}
}
