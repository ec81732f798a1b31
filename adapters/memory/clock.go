package memory

import (
	"context"
	"time"
)

// databaseClock implements ports.DatabaseClock.
type databaseClock struct{ conn }

func (c databaseClock) Now(ctx context.Context) (time.Time, error) { return c.now(), ctx.Err() }
