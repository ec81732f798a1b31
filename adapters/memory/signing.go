package memory

import (
	"bytes"
	"cmp"
	"context"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/installation"
)

type signingKeys struct{ conn }

func (s signingKeys) SigningKeys(ctx context.Context) ([]installation.SigningKey, error) {
	return view(ctx, s.conn, func(st *state) ([]installation.SigningKey, error) {
		return st.signingKeys.sorted(func(installation.SigningKey) bool { return true }, func(a, b installation.SigningKey) int {
			return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.ID, b.ID))
		}, unshared), nil
	})
}

// Lock does nothing: transactions run one after another.
func (s signingKeys) Lock(ctx context.Context) error { return ctx.Err() }

func (s signingKeys) Insert(ctx context.Context, k *installation.SigningKey) error {
	return s.change(ctx, func(st *state) error {
		if st.signingKeys.any(func(other installation.SigningKey) bool { return other.Fingerprint == k.Fingerprint }) {
			return core.Conflict("taken", "a conflicting signing key already exists")
		}
		k.ID = st.signingKeys.next()
		st.signingKeys.put(k.ID, *k)
		st.record(event.Event{Type: event.KeyCreated, SubjectID: k.ID})
		return nil
	})
}

func (s signingKeys) Update(ctx context.Context, k installation.SigningKey) error {
	return s.change(ctx, func(st *state) error {
		stored, ok := st.signingKeys.get(k.ID)
		if !ok {
			return core.NotFound("signing key")
		}
		stored.Private, stored.Until, stored.RevokedAt = k.Private, k.Until, k.RevokedAt
		st.signingKeys.put(k.ID, stored)
		st.record(installation.SigningKeyEvent(stored))
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
