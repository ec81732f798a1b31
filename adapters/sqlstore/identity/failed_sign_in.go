package identity

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/account"
)

// failedSignInStore implements ports.FailedSignInStore.
type failedSignInStore struct{ sqldb.Conn }

var failedSignIns = sqldb.NewTableOf("failed_sign_ins", "sign-in", func(f *account.FailedSignIns) []sqldb.Column {
	return []sqldb.Column{{Name: "key", Of: &f.Key}, {Name: "failures", Of: &f.Count}, {Name: "ends_at", Of: (*sqldb.Instant)(&f.EndsAt)}}
})

func (s failedSignInStore) FailedSignIns(ctx context.Context, keys []string, now time.Time) ([]account.FailedSignIns, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return failedSignIns.All(ctx, s.Conn, " WHERE key ? AND ends_at > ?", sqldb.AmongTexts(keys), now.UnixMilli())
}

// Add is one statement, which locks the row, so that concurrent failures are all counted.
func (s failedSignInStore) Add(ctx context.Context, key string, now, endsAt time.Time) (counted account.FailedSignIns, err error) {
	text, args := failedSignIns.Insert(&account.FailedSignIns{Key: key, Count: 1, EndsAt: endsAt})
	found, err := failedSignIns.Changed(ctx, s.Conn, text+" ON CONFLICT (key) DO UPDATE SET"+
		" failures = CASE WHEN failed_sign_ins.ends_at > @now THEN failed_sign_ins.failures + 1 ELSE 1 END,"+
		" ends_at = CASE WHEN failed_sign_ins.ends_at > @now THEN failed_sign_ins.ends_at ELSE EXCLUDED.ends_at END", append(args, now.UnixMilli())...)
	if len(found) > 0 {
		counted = found[0]
	}
	return counted, err
}

func (s failedSignInStore) Forget(ctx context.Context, key string) error {
	_, err := s.Do(ctx, failedSignIns.Thing, "DELETE FROM failed_sign_ins WHERE key = ?", key)
	return err
}
