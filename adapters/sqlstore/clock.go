package sqlstore

import (
	"context"
	"time"
)

// databaseClock implements ports.DatabaseClock.
type databaseClock struct{ conn }

func (c databaseClock) Now(ctx context.Context) (time.Time, error) {
	now, err := value[instant](ctx, c.conn, "SELECT "+c.db.dialect.Now())
	return time.Time(now), err
}
