// Package systemclock tells the time of the machine.
package systemclock

import "time"

// Clock is the ports.Clock of production.
type Clock struct{}

// New returns a Clock.
func New() Clock { return Clock{} }

// Now returns the machine's time; see ports.Clock.
func (Clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
