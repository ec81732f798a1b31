package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// spentStore implements ports.SpentStore.
type spentStore struct{ conn }

type spentRow struct {
	bun.BaseModel `bun:"table:spent,alias:s"`

	Hash      []byte `bun:",pk"`
	ExpiresAt instant
}

// Spend is one statement, which locks the row, so that one of several concurrent calls is the first.
func (s spentStore) Spend(ctx context.Context, hash [32]byte, expiresAt time.Time) (bool, error) {
	row := spentRow{Hash: hash[:], ExpiresAt: instant(expiresAt)}
	result, err := s.write.NewInsert().Model(&row).On("CONFLICT (hash) DO NOTHING").Returning("NULL").Exec(ctx)
	if err != nil {
		return false, s.db.fault(err, "spent hash")
	}
	n, err := result.RowsAffected()
	return n > 0, s.db.fault(err, "spent hash")
}
