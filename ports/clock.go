package ports

import (
	"context"
	"time"
)

// A time is read from one of three clocks, by this rule:
//
//   - From DatabaseClock, if processes must agree about it: due work, leases, publications and their ends, and the records of
//     requests. Where a write begins or ends publications, its store reads the time with the last reads before the write, and
//     at least 1 ms after the latest time of the entry (core.NextMoment).
//   - From Clock, if a difference of some seconds between processes has no effect: CreatedAt and UpdatedAt, and the ends of
//     sessions, links and tokens.
//   - From time.Now, if the process alone uses it: how long something took, timeouts, pauses and the ages of cached values.

// DatabaseClock is the clock of the database: the same for all processes, whose own clocks differ.
type DatabaseClock interface {
	Now(ctx context.Context) (time.Time, error)
}

// Clock is the clock of this process. Now returns the present time in UTC, truncated to milliseconds.
type Clock interface {
	Now() time.Time
}
