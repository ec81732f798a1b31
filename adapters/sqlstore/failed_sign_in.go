package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core/account"
)

// failedSignInStore implements ports.FailedSignInStore.
type failedSignInStore struct{ conn }

type failedSignInRow struct {
	bun.BaseModel `bun:"table:failed_sign_ins,alias:f"`

	Key      string `bun:",pk"`
	Failures int
	EndsAt   instant
}

func (r failedSignInRow) core() account.FailedSignIns {
	return account.FailedSignIns{Key: r.Key, Count: r.Failures, EndsAt: time.Time(r.EndsAt)}
}

func (s failedSignInStore) FailedSignIns(ctx context.Context, keys []string, now time.Time) ([]account.FailedSignIns, error) {
	return all[failedSignInRow](ctx, s.conn, "sign-in", where("key IN (?) AND ends_at > ?", bun.List(keys), now.UnixMilli()))
}

// Add is one statement, which locks the row, so that concurrent failures are all counted.
func (s failedSignInStore) Add(ctx context.Context, key string, now, endsAt time.Time) (account.FailedSignIns, error) {
	row := failedSignInRow{Key: key, Failures: 1, EndsAt: instant(endsAt)}
	ended := now.UnixMilli()
	_, err := s.write.NewInsert().Model(&row).On("CONFLICT (key) DO UPDATE").
		Set("failures = CASE WHEN f.ends_at > ? THEN f.failures + 1 ELSE 1 END", ended).
		Set("ends_at = CASE WHEN f.ends_at > ? THEN f.ends_at ELSE EXCLUDED.ends_at END", ended).
		Returning("*").Exec(ctx)
	return row.core(), s.db.fault(err, "sign-in")
}

func (s failedSignInStore) Forget(ctx context.Context, key string) error {
	_, err := s.discard(ctx, (*failedSignInRow)(nil), "sign-in", "key = ?", key)
	return err
}
