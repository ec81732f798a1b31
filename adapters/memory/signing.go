package memory

import (
	"bytes"
	"cmp"
	"context"

	"imprimatur/core"
)

type signingKeys struct{ conn }

func (s signingKeys) SigningKeys(ctx context.Context) ([]core.SigningKey, error) {
	return view(ctx, s.conn, func(st *state) ([]core.SigningKey, error) {
		return st.signingKeys.sorted(func(core.SigningKey) bool { return true }, func(a, b core.SigningKey) int {
			return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.ID, b.ID))
		}, unshared), nil
	})
}

// Lock does nothing: transactions run one after another.
func (s signingKeys) Lock(ctx context.Context) error { return ctx.Err() }

func (s signingKeys) Insert(ctx context.Context, k *core.SigningKey) error {
	return s.change(ctx, func(st *state) error {
		if st.signingKeys.any(func(other core.SigningKey) bool { return other.Fingerprint == k.Fingerprint }) {
			return core.Conflict("taken", "a conflicting signing key already exists")
		}
		k.ID = st.signingKeys.next()
		st.signingKeys.put(k.ID, *k)
		st.record(core.Event{Type: core.EventKeyCreated, SubjectID: k.ID})
		return nil
	})
}

func (s signingKeys) Update(ctx context.Context, k core.SigningKey) error {
	return s.change(ctx, func(st *state) error {
		stored, ok := st.signingKeys.get(k.ID)
		if !ok {
			return core.NotFound("signing key")
		}
		stored.Private, stored.Until, stored.RevokedAt = k.Private, k.Until, k.RevokedAt
		st.signingKeys.put(k.ID, stored)
		st.record(core.SigningKeyEvent(stored))
		return nil
	})
}

func (s signingKeys) SecretCheck(ctx context.Context) ([]byte, error) {
	return view(ctx, s.conn, func(st *state) ([]byte, error) { return bytes.Clone(st.secretCheck), nil })
}

func (s signingKeys) SetSecretCheck(ctx context.Context, value []byte) error {
	return s.change(ctx, func(st *state) error {
		st.secretCheck = bytes.Clone(value)
		return nil
	})
}
