package sqlstore

import (
	"context"

	"imprimatur/core/account"
	"imprimatur/core/event"
)

// totpStore implements ports.TOTPStore.
type totpStore struct{ conn }

var totps = rowsOf("totp", "authenticator app", func(t *account.TOTP) []member {
	return []member{
		{name: "user_id", kind: "bigint", of: &t.UserID},
		{name: "secret", kind: "bytea", of: &t.Secret},
		{name: "confirmed", kind: "boolean", of: &t.Confirmed},
		{name: "last_step", kind: "bigint", of: &t.LastStep},
		{name: "created_at", kind: "bigint", of: (*instant)(&t.CreatedAt)},
	}
})

func (s totpStore) TOTP(ctx context.Context, userID int64) (account.TOTP, error) {
	return totps.one(ctx, s.conn, " WHERE user_id = ?", userID)
}

func (s totpStore) Set(ctx context.Context, t account.TOTP) error {
	text, args := totps.insert(&t)
	_, err := s.exec(ctx, text+" ON CONFLICT (user_id) DO UPDATE SET secret = EXCLUDED.secret, last_step = EXCLUDED.last_step, created_at = EXCLUDED.created_at"+
		" WHERE NOT totp.confirmed", args...)
	return s.db.fault(err, totps.thing)
}

func (s totpStore) Confirm(ctx context.Context, userID, step int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if err := c.must(ctx, totps.thing, "UPDATE totp SET confirmed = TRUE, last_step = ? WHERE user_id = ? AND NOT confirmed", step, userID); err != nil {
			return err
		}
		return countTOTP(ctx, c, userID, true)
	})
}

func (s totpStore) Use(ctx context.Context, userID, step int64) (bool, error) {
	n, err := s.do(ctx, totps.thing, "UPDATE totp SET last_step = @step WHERE user_id = ? AND confirmed AND last_step < @step", step, userID)
	return n > 0, err
}

func (s totpStore) Delete(ctx context.Context, userID int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		confirmed, err := returned(ctx, c, totps.thing, scanValue[bool], "DELETE FROM totp WHERE user_id = ? RETURNING confirmed", userID)
		if err != nil || len(confirmed) == 0 || !confirmed[0] {
			return err
		}
		return countTOTP(ctx, c, userID, false)
	})
}

// countTOTP says in the user's row whether the user has a confirmed app, and records an event.
func countTOTP(ctx context.Context, c conn, userID int64, has bool) error {
	kind := event.FactorRemoved
	if has {
		kind = event.FactorAdded
	}
	event, err := sessionEvent(ctx, c, kind, userID)
	if err != nil {
		return err
	}
	return c.note(ctx, users.thing, event, "UPDATE users SET totp = ? WHERE id = ?", has, userID)
}

// recoveryCodeStore implements ports.RecoveryCodeStore.
type recoveryCodeStore struct{ conn }

const recoveryCode = "recovery code"

var recoveryCodes = newTable("recovery_codes", "user_id bigint", "hash bytea")

func (s recoveryCodeStore) Count(ctx context.Context, userID int64) (int, error) {
	return value[int](ctx, s.conn, "SELECT count(*) FROM recovery_codes WHERE user_id = ?", userID)
}

func (s recoveryCodeStore) Has(ctx context.Context, userID int64, hash [32]byte) (bool, error) {
	return value[bool](ctx, s.conn, "SELECT EXISTS (SELECT 1 FROM recovery_codes WHERE user_id = ? AND hash = ?)", userID, hash[:])
}

func (s recoveryCodeStore) Replace(ctx context.Context, userID int64, hashes [][32]byte) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if _, err := c.do(ctx, recoveryCode, "DELETE FROM recovery_codes WHERE user_id = ?", userID); err != nil || len(hashes) == 0 {
			return err
		}
		rows := mapped(hashes, func(hash [32]byte) []any { return []any{userID, hash[:]} })
		if _, err := c.run(ctx, added(recoveryCodes, rows, "")); err != nil {
			return c.written(err, recoveryCode)
		}
		return recordRecovery(ctx, c, event.RecoveryRenewed, userID)
	})
}

func (s recoveryCodeStore) Use(ctx context.Context, userID int64, hash [32]byte) (had bool, err error) {
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		n, err := c.do(ctx, recoveryCode, "DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?", userID, hash[:])
		if had = n > 0; err != nil || !had {
			return err
		}
		return recordRecovery(ctx, c, event.RecoveryUsed, userID)
	})
	return had, err
}

func recordRecovery(ctx context.Context, c conn, kind event.Type, userID int64) error {
	event, err := sessionEvent(ctx, c, kind, userID)
	if err == nil {
		c.record(event)
	}
	return err
}
