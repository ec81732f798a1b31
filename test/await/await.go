// Package await lets tests wait for conditions.
package await

import (
	"testing"
	"time"
)

// limit is long, because a test that shares a busy machine may wait for a minute.
const limit = 2 * time.Minute

// Until returns when done returns true. When that takes more than two minutes, the test fails and says what it
// waited for.
func Until(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !Within(limit, done) {
		t.Fatalf("waiting for %s: not within %v", what, limit)
	}
}

// Within calls done every 10 ms until it returns true or most has passed, and returns its last result.
func Within(most time.Duration, done func() bool) bool {
	for deadline := time.Now().Add(most); !done(); {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(10 * time.Millisecond) // a condition sends no signal, so it is polled
	}
	return true
}
