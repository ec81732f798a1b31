package identity

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

// totpStore implements ports.TOTPStore.
type totpStore struct{ sqldb.Conn }

// TOTPs is the table of authenticator apps.
var TOTPs = sqldb.NewTableOf("totp", "authenticator app", func(t *account.TOTP) []sqldb.Column {
	return []sqldb.Column{
		{Name: "user_id", Kind: "bigint", Of: &t.UserID},
		{Name: "secret", Kind: "bytea", Of: &t.Secret},
		{Name: "confirmed", Kind: "boolean", Of: &t.Confirmed},
		{Name: "last_step", Kind: "bigint", Of: &t.LastStep},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&t.CreatedAt)},
	}
})

func (s totpStore) TOTP(ctx context.Context, userID int64) (account.TOTP, error) {
	return TOTPs.One(ctx, s.Conn, " WHERE user_id = ?", userID)
}

func (s totpStore) Set(ctx context.Context, t account.TOTP) error {
	text, args := TOTPs.Insert(&t)
	_, err := s.Exec(ctx, text+" ON CONFLICT (user_id) DO UPDATE SET secret = EXCLUDED.secret, last_step = EXCLUDED.last_step, created_at = EXCLUDED.created_at"+
		" WHERE NOT totp.confirmed", args...)
	return s.DB.Fault(err, TOTPs.Thing)
}

func (s totpStore) Confirm(ctx context.Context, userID, step int64) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if err := c.Must(ctx, TOTPs.Thing, "UPDATE totp SET confirmed = TRUE, last_step = ? WHERE user_id = ? AND NOT confirmed", step, userID); err != nil {
			return err
		}
		return countTOTP(ctx, c, userID, true)
	})
}

func (s totpStore) Use(ctx context.Context, userID, step int64) (bool, error) {
	n, err := s.Do(ctx, TOTPs.Thing, "UPDATE totp SET last_step = @step WHERE user_id = ? AND confirmed AND last_step < @step", step, userID)
	return n > 0, err
}

func (s totpStore) Delete(ctx context.Context, userID int64) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		confirmed, err := sqldb.Returned(ctx, c, TOTPs.Thing, sqldb.ScanValue[bool], "DELETE FROM totp WHERE user_id = ? RETURNING confirmed", userID)
		if err != nil || len(confirmed) == 0 || !confirmed[0] {
			return err
		}
		return countTOTP(ctx, c, userID, false)
	})
}

// countTOTP says in the user's row whether the user has a confirmed app, and records an event.
func countTOTP(ctx context.Context, c sqldb.Conn, userID int64, has bool) error {
	kind := event.FactorRemoved
	if has {
		kind = event.FactorAdded
	}
	event, err := sessionEvent(ctx, c, kind, userID)
	if err != nil {
		return err
	}
	return c.Note(ctx, Users.Thing, event, "UPDATE users SET totp = ? WHERE id = ?", has, userID)
}

// recoveryCodeStore implements ports.RecoveryCodeStore.
type recoveryCodeStore struct{ sqldb.Conn }

const recoveryCode = "recovery code"

// RecoveryCodes is the table of recovery codes.
var RecoveryCodes = sqldb.NewTable("recovery_codes", "user_id bigint", "hash bytea")

func (s recoveryCodeStore) Count(ctx context.Context, userID int64) (int, error) {
	return sqldb.Value[int](ctx, s.Conn, "SELECT count(*) FROM recovery_codes WHERE user_id = ?", userID)
}

func (s recoveryCodeStore) Has(ctx context.Context, userID int64, hash [32]byte) (bool, error) {
	return sqldb.Value[bool](ctx, s.Conn, "SELECT EXISTS (SELECT 1 FROM recovery_codes WHERE user_id = ? AND hash = ?)", userID, hash[:])
}

func (s recoveryCodeStore) Replace(ctx context.Context, userID int64, hashes [][32]byte) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if _, err := c.Do(ctx, recoveryCode, "DELETE FROM recovery_codes WHERE user_id = ?", userID); err != nil || len(hashes) == 0 {
			return err
		}
		rows := sqldb.Mapped(hashes, func(hash [32]byte) []any { return []any{userID, hash[:]} })
		if _, err := c.Run(ctx, sqldb.Added(RecoveryCodes, rows, "")); err != nil {
			return c.Written(err, recoveryCode)
		}
		return recordRecovery(ctx, c, event.RecoveryRenewed, userID)
	})
}

func (s recoveryCodeStore) Use(ctx context.Context, userID int64, hash [32]byte) (had bool, err error) {
	err = s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		n, err := c.Do(ctx, recoveryCode, "DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?", userID, hash[:])
		if had = n > 0; err != nil || !had {
			return err
		}
		return recordRecovery(ctx, c, event.RecoveryUsed, userID)
	})
	return had, err
}

func recordRecovery(ctx context.Context, c sqldb.Conn, kind event.Type, userID int64) error {
	event, err := sessionEvent(ctx, c, kind, userID)
	if err == nil {
		c.Record(event)
	}
	return err
}
