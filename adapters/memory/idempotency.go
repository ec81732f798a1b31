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

// claim is what is kept under a key.
type claim struct {
	ports.IdempotentRequest
	claimedAt time.Time
}

func (s idempotency) Begin(
	ctx context.Context, key ports.IdempotencyKey, fingerprint [32]byte, expiry time.Duration,
) (claimed bool, kept ports.IdempotentRequest, err error) {
	err = s.change(ctx, func(st *state) error {
		now := s.now()
		before, taken := st.claims.get(key)
		if taken && (before.Answer.Status != 0 || now.Sub(before.claimedAt) <= expiry) {
			kept = before.IdempotentRequest
			kept.Answer = copyAnswer(kept.Answer)
			return nil
		}
		st.claims.put(key, claim{ports.IdempotentRequest{Fingerprint: fingerprint}, now})
		claimed = true
		return nil
	})
	return claimed, kept, err
}

func (s idempotency) Finish(ctx context.Context, key ports.IdempotencyKey, answer ports.Answer) error {
	return s.change(ctx, func(st *state) error {
		c, ok := st.claims.get(key)
		if !ok {
			return core.NotFound("idempotency key")
		}
		c.Answer = copyAnswer(answer)
		st.claims.put(key, c)
		return nil
	})
}

func (s idempotency) Abandon(ctx context.Context, key ports.IdempotencyKey) error {
	return s.change(ctx, func(st *state) error {
		st.claims.remove(key)
		return nil
	})
}

func (s idempotency) DeleteBefore(ctx context.Context, t time.Time) error {
	return s.change(ctx, func(st *state) error {
		st.claims.removeIf(func(_ ports.IdempotencyKey, c claim) bool { return c.claimedAt.Before(t) })
		return nil
	})
}

func copyAnswer(a ports.Answer) ports.Answer {
	a.Header, a.Body = maps.Clone(a.Header), bytes.Clone(a.Body)
	return a
}
