package access

import (
	"context"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// usageGrain is how far the stored last use of a token may be behind its real last use.
const usageGrain = time.Minute

// Usage collects the last uses of tokens in memory, so that requests do not write. Of the uses
// within one minute it keeps only the first. It is safe for concurrent use.
type Usage struct {
	tokens ports.TokenStore

	mu   sync.Mutex
	last map[int64]use
}

// use is one that counts, remembered for a minute after it is stored.
type use struct {
	at     time.Time
	stored bool
}

// NewUsage returns a Usage that Flush writes to tokens.
func NewUsage(tokens ports.TokenStore) *Usage {
	return &Usage{tokens: tokens, last: map[int64]use{}}
}

// note remembers that token was used, unless a use of the last minute is known.
func (u *Usage) note(token *core.Token, at time.Time) {
	if at.Sub(token.LastUsedAt) < usageGrain {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, known := u.last[token.ID]; !known || at.Sub(last.at) >= usageGrain {
		u.last[token.ID] = use{at: at}
	}
}

// seen returns token with the use that is not stored yet.
func (u *Usage) seen(token core.Token) core.Token {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last := u.last[token.ID]; last.at.After(token.LastUsedAt) {
		token.LastUsedAt = last.at
	}
	return token
}

// Flush stores the collected uses. It keeps uses that it could not store for the next call.
func (u *Usage) Flush(ctx context.Context) error {
	used := u.unstored()
	if len(used) == 0 {
		return nil
	}
	if err := u.tokens.Touch(ctx, used); err != nil {
		return err
	}
	u.settle(used)
	return nil
}

func (u *Usage) unstored() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	used := map[int64]time.Time{}
	for id, last := range u.last {
		if !last.stored {
			used[id] = last.at
		}
	}
	return used
}

// settle marks the stored uses, and drops those older than usageGrain before the latest.
func (u *Usage) settle(stored map[int64]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var latest time.Time
	for id, last := range u.last {
		if last.at.Equal(stored[id]) {
			u.last[id] = use{at: last.at, stored: true}
		}
		if last.at.After(latest) {
			latest = last.at
		}
	}
	for id, last := range u.last {
		if last.stored && latest.Sub(last.at) >= usageGrain {
			delete(u.last, id)
		}
	}
}
