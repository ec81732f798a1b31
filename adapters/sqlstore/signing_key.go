package sqlstore

import (
	"context"

	"imprimatur/core/event"
	"imprimatur/core/installation"
)

// signingKeyStore implements ports.SigningKeyStore.
type signingKeyStore struct{ conn }

var signingKeys = rowsOf("signing_keys", "signing key", func(k *installation.SigningKey) []member {
	return []member{
		{name: "id", kind: "bigint", of: &k.ID, fixed: true},
		{name: "fingerprint", kind: "text", of: &k.Fingerprint, fixed: true},
		{name: "installation", kind: "text", of: &k.Installation, fixed: true},
		{name: "public_key", kind: "bytea", of: &k.Public, fixed: true},
		{name: "private_key", kind: "bytea", of: &k.Private},
		{name: "begins_at", kind: "bigint", of: (*instant)(&k.From), fixed: true},
		{name: "ends_at", kind: "bigint", of: (*instant)(&k.Until)},
		{name: "revoked_at", kind: "bigint", of: (*instant)(&k.RevokedAt)},
	}
})

func (s signingKeyStore) SigningKeys(ctx context.Context) ([]installation.SigningKey, error) {
	return signingKeys.all(ctx, s.conn, " ORDER BY begins_at, id")
}

func (s signingKeyStore) Lock(ctx context.Context) error {
	return s.lock(ctx, "LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE")
}

func (s signingKeyStore) Insert(ctx context.Context, k *installation.SigningKey) error {
	return signingKeys.add(ctx, s.conn, k, &k.ID, func() event.Event { return event.Event{Type: event.KeyCreated, SubjectID: k.ID} })
}

func (s signingKeyStore) Update(ctx context.Context, k installation.SigningKey) error {
	return signingKeys.put(ctx, s.conn, &k, installation.SigningKeyEvent(k), "id = ?", k.ID)
}

func (s signingKeyStore) SecretCheck(ctx context.Context) ([]byte, error) {
	return value[[]byte](ctx, s.conn, "SELECT value FROM secret_check")
}

func (s signingKeyStore) SetSecretCheck(ctx context.Context, value []byte) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		_, err := c.do(ctx, "check of the secret key", "UPDATE secret_check SET value = ?", value)
		return err
	})
}
