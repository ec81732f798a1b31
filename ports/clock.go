package ports

import "time"

// Clock returns the present time in UTC, truncated to milliseconds.
type Clock interface {
	Now() time.Time
}
