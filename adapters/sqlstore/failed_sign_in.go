package sqlstore

import (
	"context"
	"time"

	"imprimatur/core/account"
)

// failedSignInStore implements ports.FailedSignInStore.
type failedSignInStore struct{ conn }

var failedSignIns = rowsOf("failed_sign_ins", "sign-in", func(f *account.FailedSignIns) []member {
	return []member{{name: "key", of: &f.Key}, {name: "failures", of: &f.Count}, {name: "ends_at", of: (*instant)(&f.EndsAt)}}
})

func (s failedSignInStore) FailedSignIns(ctx context.Context, keys []string, now time.Time) ([]account.FailedSignIns, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return failedSignIns.all(ctx, s.conn, " WHERE key ? AND ends_at > ?", amongTexts(keys), now.UnixMilli())
}

// Add is one statement, which locks the row, so that concurrent failures are all counted.
func (s failedSignInStore) Add(ctx context.Context, key string, now, endsAt time.Time) (counted account.FailedSignIns, err error) {
	text, args := failedSignIns.insert(&account.FailedSignIns{Key: key, Count: 1, EndsAt: endsAt})
	found, err := failedSignIns.changed(ctx, s.conn, text+" ON CONFLICT (key) DO UPDATE SET"+
		" failures = CASE WHEN failed_sign_ins.ends_at > @now THEN failed_sign_ins.failures + 1 ELSE 1 END,"+
		" ends_at = CASE WHEN failed_sign_ins.ends_at > @now THEN failed_sign_ins.ends_at ELSE EXCLUDED.ends_at END", append(args, now.UnixMilli())...)
	if len(found) > 0 {
		counted = found[0]
	}
	return counted, err
}

func (s failedSignInStore) Forget(ctx context.Context, key string) error {
	_, err := s.do(ctx, failedSignIns.thing, "DELETE FROM failed_sign_ins WHERE key = ?", key)
	return err
}
