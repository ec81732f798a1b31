package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/event"
	"imprimatur/core/installation"
)

// signingKeyStore implements ports.SigningKeyStore.
type signingKeyStore struct{ sqldb.Conn }

var signingKeys = sqldb.NewTableOf("signing_keys", "signing key", func(k *installation.SigningKey) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &k.ID, Fixed: true},
		{Name: "fingerprint", Kind: "text", Of: &k.Fingerprint, Fixed: true},
		{Name: "installation", Kind: "text", Of: &k.Installation, Fixed: true},
		{Name: "public_key", Kind: "bytea", Of: &k.Public, Fixed: true},
		{Name: "private_key", Kind: "bytea", Of: &k.Private},
		{Name: "begins_at", Kind: "bigint", Of: (*sqldb.Instant)(&k.From), Fixed: true},
		{Name: "ends_at", Kind: "bigint", Of: (*sqldb.Instant)(&k.Until)},
		{Name: "revoked_at", Kind: "bigint", Of: (*sqldb.Instant)(&k.RevokedAt)},
	}
})

func (s signingKeyStore) SigningKeys(ctx context.Context) ([]installation.SigningKey, error) {
	return signingKeys.All(ctx, s.Conn, " ORDER BY begins_at, id")
}

func (s signingKeyStore) Lock(ctx context.Context) error {
	return s.LockBy(ctx, "LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE")
}

func (s signingKeyStore) Insert(ctx context.Context, k *installation.SigningKey) error {
	return signingKeys.Add(ctx, s.Conn, k, &k.ID, func() event.Event { return event.Event{Type: event.KeyCreated, SubjectID: k.ID} })
}

func (s signingKeyStore) Update(ctx context.Context, k installation.SigningKey) error {
	return signingKeys.Put(ctx, s.Conn, &k, installation.SigningKeyEvent(k), "id = ?", k.ID)
}

func (s signingKeyStore) SecretCheck(ctx context.Context) ([]byte, error) {
	return sqldb.Value[[]byte](ctx, s.Conn, "SELECT value FROM secret_check")
}

func (s signingKeyStore) SetSecretCheck(ctx context.Context, value []byte) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		_, err := c.Do(ctx, "check of the secret key", "UPDATE secret_check SET value = ?", value)
		return err
	})
}
