package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core/account"
	"imprimatur/core/event"
)

// totpStore implements ports.TOTPStore.
type totpStore struct{ conn }

type totpRow struct {
	bun.BaseModel `bun:"table:totp,alias:a"`

	UserID    int64 `bun:",pk"`
	Secret    []byte
	Confirmed bool
	LastStep  int64
	CreatedAt instant
}

func (r totpRow) core() account.TOTP {
	return account.TOTP{UserID: r.UserID, Secret: r.Secret, Confirmed: r.Confirmed, LastStep: r.LastStep, CreatedAt: time.Time(r.CreatedAt)}
}

const app = "authenticator app"

func (s totpStore) TOTP(ctx context.Context, userID int64) (account.TOTP, error) {
	return one[totpRow](ctx, s.conn, app, where("user_id = ?", userID))
}

func (s totpStore) Set(ctx context.Context, t account.TOTP) error {
	row := totpRow{UserID: t.UserID, Secret: t.Secret, Confirmed: t.Confirmed, LastStep: t.LastStep, CreatedAt: instant(t.CreatedAt)}
	_, err := s.write.NewInsert().Model(&row).On("CONFLICT (user_id) DO UPDATE").
		Set("secret = EXCLUDED.secret, last_step = EXCLUDED.last_step, created_at = EXCLUDED.created_at").
		Where("NOT a.confirmed").Exec(ctx)
	return s.db.fault(err, app)
}

func (s totpStore) Confirm(ctx context.Context, userID, step int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		result, err := c.write.NewUpdate().Model((*totpRow)(nil)).Set("confirmed = TRUE, last_step = ?", step).
			Where("user_id = ? AND NOT confirmed", userID).Exec(ctx)
		if err != nil {
			return c.db.fault(err, app)
		}
		if err := c.found(result, app); err != nil {
			return err
		}
		return c.countTOTP(ctx, userID, true)
	})
}

func (s totpStore) Use(ctx context.Context, userID, step int64) (bool, error) {
	result, err := s.write.NewUpdate().Model((*totpRow)(nil)).Set("last_step = ?", step).
		Where("user_id = ? AND confirmed AND last_step < ?", userID, step).Exec(ctx)
	if err != nil {
		return false, s.db.fault(err, app)
	}
	n, err := result.RowsAffected()
	return n > 0, s.db.fault(err, app)
}

func (s totpStore) Delete(ctx context.Context, userID int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		var removed []bool
		_, err := c.write.NewDelete().Model((*totpRow)(nil)).Where("user_id = ?", userID).Returning("confirmed").Exec(ctx, &removed)
		if err != nil || len(removed) == 0 || !removed[0] {
			return c.db.fault(err, app)
		}
		return c.countTOTP(ctx, userID, false)
	})
}

// countTOTP says in the user's row whether the user has a confirmed app, and records an event.
func (c conn) countTOTP(ctx context.Context, userID int64, has bool) error {
	kind := event.FactorRemoved
	if has {
		kind = event.FactorAdded
	}
	event, err := c.sessionEvent(ctx, kind, userID)
	if err != nil {
		return err
	}
	return c.updateBy(ctx, c.write.NewUpdate().Table("users").Set("totp = ?", has).Where("id = ?", userID), "user", event)
}

// recoveryCodeStore implements ports.RecoveryCodeStore.
type recoveryCodeStore struct{ conn }

type recoveryCodeRow struct {
	bun.BaseModel `bun:"table:recovery_codes,alias:r"`

	UserID int64  `bun:",pk"`
	Hash   []byte `bun:",pk"`
}

const recoveryCode = "recovery code"

func (s recoveryCodeStore) Count(ctx context.Context, userID int64) (int, error) {
	n, err := s.read.NewSelect().Model((*recoveryCodeRow)(nil)).Where("user_id = ?", userID).Count(ctx)
	return int(n), s.db.fault(err, recoveryCode)
}

func (s recoveryCodeStore) Has(ctx context.Context, userID int64, hash [32]byte) (bool, error) {
	has, err := s.read.NewSelect().Model((*recoveryCodeRow)(nil)).Where("user_id = ? AND hash = ?", userID, hash[:]).Exists(ctx)
	return has, s.db.fault(err, recoveryCode)
}

func (s recoveryCodeStore) Replace(ctx context.Context, userID int64, hashes [][32]byte) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if _, err := c.discard(ctx, (*recoveryCodeRow)(nil), recoveryCode, "user_id = ?", userID); err != nil || len(hashes) == 0 {
			return err
		}
		rows := make([]recoveryCodeRow, len(hashes))
		for i, hash := range hashes {
			rows[i] = recoveryCodeRow{UserID: userID, Hash: hash[:]}
		}
		_, err := c.write.NewInsert().Model(&rows).Exec(ctx)
		if err != nil {
			return c.written(err, recoveryCode)
		}
		return c.recordRecovery(ctx, event.RecoveryRenewed, userID)
	})
}

func (s recoveryCodeStore) Use(ctx context.Context, userID int64, hash [32]byte) (had bool, err error) {
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		n, err := c.discard(ctx, (*recoveryCodeRow)(nil), recoveryCode, "user_id = ? AND hash = ?", userID, hash[:])
		if had = n > 0; err != nil || !had {
			return err
		}
		return c.recordRecovery(ctx, event.RecoveryUsed, userID)
	})
	return had, err
}

func (c conn) recordRecovery(ctx context.Context, kind event.Type, userID int64) error {
	event, err := c.sessionEvent(ctx, kind, userID)
	if err == nil {
		c.record(event)
	}
	return err
}
