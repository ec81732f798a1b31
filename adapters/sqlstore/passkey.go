package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// passkeyStore implements ports.PasskeyStore.
type passkeyStore struct{ conn }

type passkeyRow struct {
	bun.BaseModel `bun:"table:passkeys,alias:p"`

	ID           int64 `bun:",pk,autoincrement"`
	UserID       int64
	CredentialID []byte
	PublicKey    []byte
	SignCount    int64
	Transports   encoded[[]string]
	Syncable     bool
	Synced       bool
	AAGUID       []byte `bun:"aaguid"`
	Name         string
	CreatedAt    instant
	LastUsedAt   instant
}

func newPasskeyRow(p account.Passkey) *passkeyRow {
	return &passkeyRow{
		ID: p.ID, UserID: p.UserID, CredentialID: p.CredentialID, PublicKey: p.PublicKey, SignCount: p.SignCount,
		Transports: encoded[[]string]{p.Transports}, Syncable: p.Syncable, Synced: p.Synced, AAGUID: p.AAGUID[:], Name: p.Name,
		CreatedAt: instant(p.CreatedAt), LastUsedAt: instant(p.LastUsedAt),
	}
}

func (r passkeyRow) core() account.Passkey {
	return account.Passkey{
		ID: r.ID, UserID: r.UserID, CredentialID: r.CredentialID, PublicKey: r.PublicKey, SignCount: r.SignCount,
		Transports: r.Transports.v, Syncable: r.Syncable, Synced: r.Synced, AAGUID: [16]byte(r.AAGUID), Name: r.Name,
		CreatedAt: time.Time(r.CreatedAt), LastUsedAt: time.Time(r.LastUsedAt),
	}
}

const passkey = "passkey"

func (s passkeyStore) Passkeys(ctx context.Context, userID int64) ([]account.Passkey, error) {
	return all[passkeyRow](ctx, s.conn, passkey, ordered("id", "user_id = ?", userID))
}

func (s passkeyStore) ByCredential(ctx context.Context, credentialID []byte) (account.Passkey, error) {
	return one[passkeyRow](ctx, s.conn, passkey, where("credential_id = ?", credentialID))
}

func (s passkeyStore) Insert(ctx context.Context, p *account.Passkey) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		r := newPasskeyRow(*p)
		r.ID = 0
		if _, err := c.write.NewInsert().Model(r).Exec(ctx); err != nil {
			return c.written(err, passkey)
		}
		p.ID = r.ID
		return c.countPasskeys(ctx, r.UserID, 1)
	})
}

func (s passkeyStore) Rename(ctx context.Context, userID, id int64, name string) error {
	result, err := s.write.NewUpdate().Model((*passkeyRow)(nil)).Set("name = ?", name).Where("id = ? AND user_id = ?", id, userID).Exec(ctx)
	if err != nil {
		return s.db.fault(err, passkey)
	}
	return s.found(result, passkey)
}

// Use is one statement, which locks the row, so that a counter never goes back. Its condition is
// account.Passkey.Precedes.
func (s passkeyStore) Use(ctx context.Context, p account.Passkey) (bool, error) {
	result, err := s.write.NewUpdate().Model((*passkeyRow)(nil)).
		Set("sign_count = ?, synced = ?, last_used_at = ?", p.SignCount, p.Synced, instant(p.LastUsedAt)).
		Where("id = ? AND (synced OR ? OR sign_count < ? OR (sign_count = 0 AND ? = 0))", p.ID, p.Synced, p.SignCount, p.SignCount).Exec(ctx)
	if err != nil {
		return false, s.db.fault(err, passkey)
	}
	n, err := result.RowsAffected()
	return n > 0, s.db.fault(err, passkey)
}

func (s passkeyStore) Delete(ctx context.Context, userID, id int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		n, err := c.discard(ctx, (*passkeyRow)(nil), passkey, "id = ? AND user_id = ?", id, userID)
		if err != nil {
			return err
		}
		if n == 0 {
			return core.NotFound(passkey)
		}
		return c.countPasskeys(ctx, userID, -1)
	})
}

func (s passkeyStore) DeleteByUser(ctx context.Context, userID int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		n, err := c.discard(ctx, (*passkeyRow)(nil), passkey, "user_id = ?", userID)
		for ; n > 0 && err == nil; n-- {
			err = c.countPasskeys(ctx, userID, -1)
		}
		return err
	})
}

// countPasskeys adds n to the number of passkeys in the user's row, and records an event.
func (c conn) countPasskeys(ctx context.Context, userID int64, n int) error {
	kind := event.FactorRemoved
	if n > 0 {
		kind = event.FactorAdded
	}
	event, err := c.sessionEvent(ctx, kind, userID)
	if err != nil {
		return err
	}
	return c.updateBy(ctx, c.write.NewUpdate().Table("users").Set("passkeys = passkeys + ?", n).Where("id = ?", userID), "user", event)
}
