package access

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// usageGrain is the maximum delay of the stored last use of a token.
const usageGrain = time.Minute

// Usage counts the requests of tokens in memory and remembers their last uses, so that a request
// does not write to the database. It is safe for concurrent use.
type Usage struct {
	tokens ports.TokenUsage
	clock  ports.Clock

	mu   sync.Mutex                          // held while a token is added to uses
	uses atomic.Pointer[map[int64]*tokenUse] // by token id; the map is replaced, never changed
}

// tokenUse is the use of one token.
type tokenUse struct {
	// usedAt is the last use in milliseconds since 1970. Uses less than usageGrain later do not
	// change it.
	usedAt        atomic.Int64
	reads, writes atomic.Int64 // requests that are not stored yet
}

// NewUsage returns a Usage that Flush writes to tokens.
func NewUsage(tokens ports.TokenUsage, clock ports.Clock) *Usage {
	u := &Usage{tokens: tokens, clock: clock}
	u.uses.Store(&map[int64]*tokenUse{})
	return u
}

// note counts a request that uses an ability of the token. It takes a lock only for the first
// request of a token, because every request of the content API calls it.
func (u *Usage) note(token *core.Token, at time.Time, ability core.Ability) {
	use := (*u.uses.Load())[token.ID]
	if use == nil {
		use = u.add(token)
	}
	if ability == core.AbilityRead {
		use.reads.Add(1)
	} else {
		use.writes.Add(1)
	}
	if ms := at.UnixMilli(); ms-use.usedAt.Load() >= usageGrain.Milliseconds() {
		use.usedAt.Store(ms)
	}
}

// add returns the tokenUse of a token, and adds it unless another request has done so.
func (u *Usage) add(token *core.Token) *tokenUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	uses := *u.uses.Load()
	if use := uses[token.ID]; use != nil {
		return use
	}
	use := &tokenUse{}
	use.usedAt.Store(token.LastUsedAt.UnixMilli())
	uses = maps.Clone(uses)
	uses[token.ID] = use
	u.uses.Store(&uses)
	return use
}

// seen returns token with its last use, which may not be stored yet.
func (u *Usage) seen(token core.Token) core.Token {
	if use := (*u.uses.Load())[token.ID]; use != nil {
		if at := time.UnixMilli(use.usedAt.Load()).UTC(); at.After(token.LastUsedAt) {
			token.LastUsedAt = at
		}
	}
	return token
}

// Flush stores the last uses, and adds the requests to the counts of the current day. After an
// error it keeps the requests for the next call.
func (u *Usage) Flush(ctx context.Context) error {
	uses := *u.uses.Load()
	var stored []core.TokenUse
	for id, use := range uses {
		if some := (core.TokenUse{TokenID: id, Reads: use.reads.Swap(0), Writes: use.writes.Swap(0)}); some.Reads+some.Writes > 0 {
			some.UsedAt = time.UnixMilli(use.usedAt.Load()).UTC()
			stored = append(stored, some)
		}
	}
	if len(stored) == 0 {
		return nil
	}
	err := u.tokens.Touch(ctx, core.Day(u.clock.Now()), stored)
	if err != nil {
		for _, some := range stored {
			uses[some.TokenID].reads.Add(some.Reads)
			uses[some.TokenID].writes.Add(some.Writes)
		}
	}
	return err
}
