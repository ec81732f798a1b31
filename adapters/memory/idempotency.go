package memory

import (
	"bytes"
	"context"
	"maps"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

type idempotency struct{ conn }

// claim is the stored state of a key.
type claim struct {
	ports.IdempotentRequest
	at        time.Time
	effective bool
}

func (s idempotency) Begin(
	ctx context.Context, key core.IdempotencyKey, fingerprint [32]byte, expiry time.Duration,
) (given *core.IdempotencyClaim, kept ports.IdempotentRequest, err error) {
	err = s.apply(ctx, func(st *state) {
		now := s.now()
		before, taken := st.claims.get(key)
		expired := now.Sub(before.at) > expiry
		if taken && (before.effective || !expired) {
			kept = before.IdempotentRequest
			kept.Response, kept.Lost = copyResponse(kept.Response), expired && kept.Response.Status == 0
			return
		}
		given = &core.IdempotencyClaim{Key: key, At: now}
		st.claims.put(key, claim{IdempotentRequest: ports.IdempotentRequest{Fingerprint: fingerprint}, at: now})
	})
	return given, kept, err
}

func (s idempotency) TakeEffect(ctx context.Context, given core.IdempotencyClaim) error {
	return s.change(ctx, func(st *state) error { return takeEffect(st, given) })
}

func takeEffect(st *state, given core.IdempotencyClaim) error {
	c, ok := st.held(given)
	if !ok || c.Response.Status != 0 {
		return core.Conflict("idempotency_key_taken", "another request has claimed this idempotency key")
	}
	c.effective = true
	st.claims.put(given.Key, c)
	return nil
}

func (s idempotency) Finish(ctx context.Context, given core.IdempotencyClaim, answer ports.StoredResponse) error {
	return s.change(ctx, func(st *state) error {
		c, ok := st.held(given)
		if !ok {
			return core.NotFound("idempotency key")
		}
		c.Response, c.effective = copyResponse(answer), true
		st.claims.put(given.Key, c)
		return nil
	})
}

func (s idempotency) Abandon(ctx context.Context, given core.IdempotencyClaim) error {
	return s.apply(ctx, func(st *state) {
		if c, ok := st.held(given); ok && !c.effective {
			st.claims.remove(given.Key)
		}
	})
}

// held returns the state of a key while the claim holds.
func (st *state) held(given core.IdempotencyClaim) (claim, bool) {
	c, ok := st.claims.get(given.Key)
	return c, ok && c.at.Equal(given.At)
}

func copyResponse(a ports.StoredResponse) ports.StoredResponse {
	a.Header, a.Body = maps.Clone(a.Header), bytes.Clone(a.Body)
	return a
}
