package access

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// usageGrain is the maximum delay of the stored last use of a token, and sessionGrain that of a session.
const (
	usageGrain   = time.Minute
	sessionGrain = 5 * time.Minute
)

// Usage counts the requests of tokens in memory and remembers their last uses and those of sessions, so
// that a request does not write to the database. It is safe for concurrent use.
type Usage struct {
	tokens   ports.TokenUsage
	sessions ports.SessionUsage
	clock    ports.Clock

	sessionMu sync.Mutex
	used      map[int64]sessionUse // by session id

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

// sessionUse is the last use of a session. Uses less than sessionGrain later do not change it.
type sessionUse struct {
	at     time.Time
	stored bool
}

// NewUsage returns a Usage that Flush writes to tokens and sessions.
func NewUsage(tokens ports.TokenUsage, sessions ports.SessionUsage, clock ports.Clock) *Usage {
	u := &Usage{tokens: tokens, sessions: sessions, clock: clock, used: map[int64]sessionUse{}}
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

// noteSession remembers the use of a session.
func (u *Usage) noteSession(session *account.Session, at time.Time) {
	if at.Sub(session.LastUsedAt) < sessionGrain {
		return
	}
	u.sessionMu.Lock()
	defer u.sessionMu.Unlock()
	if at.Sub(u.used[session.ID].at) >= sessionGrain {
		u.used[session.ID] = sessionUse{at: at}
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
// error it keeps both for the next call.
func (u *Usage) Flush(ctx context.Context) error {
	return errors.Join(u.flushTokens(ctx), u.flushSessions(ctx))
}

// flushSessions stores the last uses of sessions.
func (u *Usage) flushSessions(ctx context.Context) error {
	fresh := u.freshSessions()
	if len(fresh) == 0 {
		return nil
	}
	if err := u.sessions.Touch(ctx, fresh); err != nil {
		return err
	}
	u.sessionMu.Lock()
	defer u.sessionMu.Unlock()
	for _, use := range fresh {
		if u.used[use.SessionID].at.Equal(use.UsedAt) {
			u.used[use.SessionID] = sessionUse{use.UsedAt, true}
		}
	}
	return nil
}

// freshSessions returns the uses that are not stored, and forgets those that no longer keep a use from
// being noted.
func (u *Usage) freshSessions() (fresh []account.SessionUse) {
	u.sessionMu.Lock()
	defer u.sessionMu.Unlock()
	for id, use := range u.used {
		switch {
		case !use.stored:
			fresh = append(fresh, account.SessionUse{SessionID: id, UsedAt: use.at})
		case u.clock.Now().Sub(use.at) >= sessionGrain:
			delete(u.used, id)
		}
	}
	return fresh
}

func (u *Usage) flushTokens(ctx context.Context) error {
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
