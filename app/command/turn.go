package command

import (
	"context"
	"time"

	"imprimatur/app/config"
)

// On SQLite one process writes at a time. Whoever waits for it looks again every 100 ms
// in the end, and gives up after 800. An import is never long without a transaction, so
// it stands back often enough, and long enough to be seen, for others to get their turn.
const (
	writeFor  = 500 * time.Millisecond
	standBack = 105 * time.Millisecond
)

// turns returns what is to be called between the transactions of a long job.
func turns(ctx context.Context, engine config.Engine) func() {
	if engine != config.SQLite {
		return func() {}
	}
	began := time.Now()
	return func() {
		if time.Since(began) < writeFor {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(standBack):
		}
		began = time.Now()
	}
}
