package command

import (
	"context"
	"time"

	"imprimatur/app/config"
)

// SQLite has one writer at a time. A waiting process tries again at least every 25 ms and fails
// after some seconds. A long job therefore pauses for longer than 25 ms, often enough that editors
// hardly notice.
const (
	writeTime  = 120 * time.Millisecond
	writePause = 30 * time.Millisecond
)

// newYield returns a function for the time between two transactions of a long job. On
// SQLite it pauses after writeTime, so that other processes can write.
func newYield(ctx context.Context, cfg config.Config) (yield func(), err error) {
	engine, _, err := cfg.Database()
	if err != nil || engine != config.SQLite {
		return func() {}, err
	}
	began := time.Now()
	return func() {
		if time.Since(began) < writeTime {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(writePause):
		}
		began = time.Now()
	}, nil
}
