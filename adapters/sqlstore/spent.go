package sqlstore

import (
	"context"
	"time"
)

// spentStore implements ports.SpentStore.
type spentStore struct{ conn }

// Spend is one statement, which locks the row, so that one of several concurrent calls is the first.
func (s spentStore) Spend(ctx context.Context, hash [32]byte, expiresAt time.Time) (bool, error) {
	n, err := s.do(ctx, "spent hash", "INSERT INTO spent (hash, expires_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", hash[:], instant(expiresAt))
	return n > 0, err
}
