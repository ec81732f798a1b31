package systemclock_test

import (
	"testing"
	"time"

	"imprimatur/adapters/systemclock"
	"imprimatur/ports"
)

func TestNow(t *testing.T) {
	t.Parallel()
	var clock ports.Clock = systemclock.New()
	before := time.Now().Add(-time.Millisecond)
	now := clock.Now()
	if now.Before(before) || now.After(time.Now()) {
		t.Errorf("Now() = %v, want the present", now)
	}
	if now.Location() != time.UTC {
		t.Errorf("location = %v, want UTC", now.Location())
	}
	if now.Nanosecond()%int(time.Millisecond) != 0 {
		t.Errorf("Now() = %v, want whole milliseconds", now)
	}
}
