package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core/event"
	"imprimatur/core/installation"
)

// signingKeyStore implements ports.SigningKeyStore.
type signingKeyStore struct{ conn }

type signingKeyRow struct {
	bun.BaseModel `bun:"table:signing_keys,alias:k"`

	ID           int64 `bun:",pk,autoincrement"`
	Fingerprint  string
	Installation string
	PublicKey    []byte
	PrivateKey   []byte
	BeginsAt     instant
	EndsAt       instant
	RevokedAt    instant
}

func newSigningKeyRow(k installation.SigningKey) *signingKeyRow {
	return &signingKeyRow{
		ID: k.ID, Fingerprint: k.Fingerprint, Installation: k.Installation, PublicKey: k.Public, PrivateKey: k.Private,
		BeginsAt: instant(k.From), EndsAt: instant(k.Until), RevokedAt: instant(k.RevokedAt),
	}
}

func (r signingKeyRow) core() installation.SigningKey {
	return installation.SigningKey{
		ID: r.ID, Fingerprint: r.Fingerprint, Installation: r.Installation, Public: r.PublicKey, Private: r.PrivateKey,
		From: time.Time(r.BeginsAt), Until: time.Time(r.EndsAt), RevokedAt: time.Time(r.RevokedAt),
	}
}

func (s signingKeyStore) SigningKeys(ctx context.Context) ([]installation.SigningKey, error) {
	return all[signingKeyRow](ctx, s.conn, "signing key", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Order("begins_at", "id") })
}

func (s signingKeyStore) Lock(ctx context.Context) error {
	return s.lock(ctx, "LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE")
}

func (s signingKeyStore) Insert(ctx context.Context, k *installation.SigningKey) error {
	r := newSigningKeyRow(*k)
	return s.insert(ctx, newRow{r, &r.ID, &k.ID}, "signing key", func() event.Event { return event.Event{Type: event.KeyCreated, SubjectID: r.ID} })
}

func (s signingKeyStore) Update(ctx context.Context, k installation.SigningKey) error {
	return s.update(ctx, newSigningKeyRow(k), "signing key", installation.SigningKeyEvent(k), "private_key", "ends_at", "revoked_at")
}

func (s signingKeyStore) SecretCheck(ctx context.Context) ([]byte, error) {
	return value[[]byte](ctx, s.conn, "SELECT value FROM secret_check")
}

func (s signingKeyStore) SetSecretCheck(ctx context.Context, value []byte) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		_, err := c.exec(ctx, "UPDATE secret_check SET value = ?", value)
		return s.db.fault(err, "check of the secret key")
	})
}
