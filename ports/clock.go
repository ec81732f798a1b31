package ports

import "time"

// Clock tells the time: UTC, cut to the millisecond.
type Clock interface {
	Now() time.Time
}
