package delivery

import "time"

// waits are the times from a failed attempt to the next one. The last is for all further attempts.
var waits = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
}

const (
	// givenUp is how long after its creation a delivery is parked when an attempt fails.
	givenUp = 3 * 24 * time.Hour
	// longestAsked is the longest wait that a receiver may ask for.
	longestAsked = time.Hour
)

// wait returns the time from the failed attempt with that number, from 1, to the next one. asked is
// how long the receiver asked to wait, random is from 0 to 1: deliveries that failed together are not
// sent again together.
func wait(attempt int, asked time.Duration, random float64) time.Duration {
	planned := waits[min(attempt, len(waits))-1]
	planned += time.Duration(float64(planned) / 5 * random)
	return max(planned, min(asked, longestAsked))
}
