package sqlstore

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
)

// databaseClock implements ports.DatabaseClock.
type databaseClock struct{ sqldb.Conn }

func (c databaseClock) Now(ctx context.Context) (time.Time, error) {
	now, err := sqldb.Value[sqldb.Instant](ctx, c.Conn, "SELECT "+c.DB.Dialect.Now())
	return time.Time(now), err
}
