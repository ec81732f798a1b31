package identity

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
)

// spentStore implements ports.SpentStore.
type spentStore struct{ sqldb.Conn }

// Spend is one statement, which locks the row, so that one of several concurrent calls is the first.
func (s spentStore) Spend(ctx context.Context, hash [32]byte, expiresAt time.Time) (bool, error) {
	n, err := s.Do(ctx, "spent hash", "INSERT INTO spent (hash, expires_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", hash[:], sqldb.Instant(expiresAt))
	return n > 0, err
}
