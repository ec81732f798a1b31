package identity

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// passkeyStore implements ports.PasskeyStore.
type passkeyStore struct{ sqldb.Conn }

// Passkeys is the table of passkeys.
var Passkeys = sqldb.NewTableOf("passkeys", "passkey", func(p *account.Passkey) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &p.ID},
		{Name: "user_id", Kind: "bigint", Of: &p.UserID},
		{Name: "credential_id", Kind: "bytea", Of: &p.CredentialID},
		{Name: "public_key", Kind: "bytea", Of: &p.PublicKey},
		{Name: "sign_count", Kind: "bigint", Of: &p.SignCount},
		{Name: "transports", Kind: "text", Of: sqldb.InJSON(&p.Transports)},
		{Name: "syncable", Kind: "boolean", Of: &p.Syncable},
		{Name: "synced", Kind: "boolean", Of: &p.Synced},
		{Name: "aaguid", Kind: "bytea", Of: sqldb.Octets(p.AAGUID[:])},
		{Name: "name", Kind: "text", Of: &p.Name},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.CreatedAt)},
		{Name: "last_used_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.LastUsedAt)},
	}
})

func (s passkeyStore) Passkeys(ctx context.Context, userID int64) ([]account.Passkey, error) {
	return Passkeys.All(ctx, s.Conn, " WHERE user_id = ? ORDER BY id", userID)
}

func (s passkeyStore) ByCredential(ctx context.Context, credentialID []byte) (account.Passkey, error) {
	return Passkeys.One(ctx, s.Conn, " WHERE credential_id = ?", credentialID)
}

func (s passkeyStore) Insert(ctx context.Context, p *account.Passkey) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		text, args := Passkeys.Insert(p)
		ids, err := sqldb.Returned(ctx, c, Passkeys.Thing, sqldb.ScanValue[int64], text+" RETURNING id", args...)
		if err != nil {
			return err
		}
		p.ID = ids[0]
		return countPasskeys(ctx, c, p.UserID, 1)
	})
}

func (s passkeyStore) Rename(ctx context.Context, userID, id int64, name string) error {
	return s.Must(ctx, Passkeys.Thing, "UPDATE passkeys SET name = ? WHERE id = ? AND user_id = ?", name, id, userID)
}

// Use is one statement, which locks the row, so that a counter never goes back. Its condition is
// account.Passkey.Precedes.
func (s passkeyStore) Use(ctx context.Context, p account.Passkey) (bool, error) {
	n, err := s.Do(ctx, Passkeys.Thing, "UPDATE passkeys SET sign_count = @count, synced = @synced, last_used_at = ?"+
		" WHERE id = ? AND (synced OR @synced OR sign_count < @count OR (sign_count = 0 AND @count = 0))",
		sqldb.As("count", p.SignCount), sqldb.As("synced", p.Synced), sqldb.Instant(p.LastUsedAt), p.ID)
	return n > 0, err
}

func (s passkeyStore) Delete(ctx context.Context, userID, id int64) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if err := c.Must(ctx, Passkeys.Thing, "DELETE FROM passkeys WHERE id = ? AND user_id = ?", id, userID); err != nil {
			return err
		}
		return countPasskeys(ctx, c, userID, -1)
	})
}

func (s passkeyStore) DeleteByUser(ctx context.Context, userID int64) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		n, err := c.Do(ctx, Passkeys.Thing, "DELETE FROM passkeys WHERE user_id = ?", userID)
		for ; n > 0 && err == nil; n-- {
			err = countPasskeys(ctx, c, userID, -1)
		}
		return err
	})
}

// countPasskeys adds n to the number of passkeys in the user's row, and records an event.
func countPasskeys(ctx context.Context, c sqldb.Conn, userID int64, n int) error {
	kind := event.FactorRemoved
	if n > 0 {
		kind = event.FactorAdded
	}
	event, err := sessionEvent(ctx, c, kind, userID)
	if err != nil {
		return err
	}
	return c.Note(ctx, Users.Thing, event, "UPDATE users SET passkeys = passkeys + ? WHERE id = ?", n, userID)
}
