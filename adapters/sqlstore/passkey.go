package sqlstore

import (
	"context"

	"imprimatur/core/account"
	"imprimatur/core/event"
)

// passkeyStore implements ports.PasskeyStore.
type passkeyStore struct{ conn }

var passkeys = rowsOf("passkeys", "passkey", func(p *account.Passkey) []member {
	return []member{
		{name: "id", kind: "bigint", of: &p.ID},
		{name: "user_id", kind: "bigint", of: &p.UserID},
		{name: "credential_id", kind: "bytea", of: &p.CredentialID},
		{name: "public_key", kind: "bytea", of: &p.PublicKey},
		{name: "sign_count", kind: "bigint", of: &p.SignCount},
		{name: "transports", kind: "text", of: inJSON[[]string]{&p.Transports}},
		{name: "syncable", kind: "boolean", of: &p.Syncable},
		{name: "synced", kind: "boolean", of: &p.Synced},
		{name: "aaguid", kind: "bytea", of: octets{p.AAGUID[:]}},
		{name: "name", kind: "text", of: &p.Name},
		{name: "created_at", kind: "bigint", of: (*instant)(&p.CreatedAt)},
		{name: "last_used_at", kind: "bigint", of: (*instant)(&p.LastUsedAt)},
	}
})

func (s passkeyStore) Passkeys(ctx context.Context, userID int64) ([]account.Passkey, error) {
	return passkeys.all(ctx, s.conn, " WHERE user_id = ? ORDER BY id", userID)
}

func (s passkeyStore) ByCredential(ctx context.Context, credentialID []byte) (account.Passkey, error) {
	return passkeys.one(ctx, s.conn, " WHERE credential_id = ?", credentialID)
}

func (s passkeyStore) Insert(ctx context.Context, p *account.Passkey) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		text, args := passkeys.insert(p)
		ids, err := returned(ctx, c, passkeys.thing, scanValue[int64], text+" RETURNING id", args...)
		if err != nil {
			return err
		}
		p.ID = ids[0]
		return countPasskeys(ctx, c, p.UserID, 1)
	})
}

func (s passkeyStore) Rename(ctx context.Context, userID, id int64, name string) error {
	return s.must(ctx, passkeys.thing, "UPDATE passkeys SET name = ? WHERE id = ? AND user_id = ?", name, id, userID)
}

// Use is one statement, which locks the row, so that a counter never goes back. Its condition is
// account.Passkey.Precedes.
func (s passkeyStore) Use(ctx context.Context, p account.Passkey) (bool, error) {
	n, err := s.do(ctx, passkeys.thing, "UPDATE passkeys SET sign_count = @count, synced = @synced, last_used_at = ?"+
		" WHERE id = ? AND (synced OR @synced OR sign_count < @count OR (sign_count = 0 AND @count = 0))",
		as{"count", p.SignCount}, as{"synced", p.Synced}, instant(p.LastUsedAt), p.ID)
	return n > 0, err
}

func (s passkeyStore) Delete(ctx context.Context, userID, id int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if err := c.must(ctx, passkeys.thing, "DELETE FROM passkeys WHERE id = ? AND user_id = ?", id, userID); err != nil {
			return err
		}
		return countPasskeys(ctx, c, userID, -1)
	})
}

func (s passkeyStore) DeleteByUser(ctx context.Context, userID int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		n, err := c.do(ctx, passkeys.thing, "DELETE FROM passkeys WHERE user_id = ?", userID)
		for ; n > 0 && err == nil; n-- {
			err = countPasskeys(ctx, c, userID, -1)
		}
		return err
	})
}

// countPasskeys adds n to the number of passkeys in the user's row, and records an event.
func countPasskeys(ctx context.Context, c conn, userID int64, n int) error {
	kind := event.FactorRemoved
	if n > 0 {
		kind = event.FactorAdded
	}
	event, err := sessionEvent(ctx, c, kind, userID)
	if err != nil {
		return err
	}
	return c.note(ctx, users.thing, event, "UPDATE users SET passkeys = passkeys + ? WHERE id = ?", n, userID)
}
