// Package systemclock implements ports.Clock with the clock of the machine.
package systemclock

import "time"

// Clock is the ports.Clock for production.
type Clock struct{}

// New returns a Clock.
func New() Clock { return Clock{} }

// Now returns the current time in UTC, truncated to milliseconds; see ports.Clock.
func (Clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
