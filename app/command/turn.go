package command

import (
	"context"
	"time"

	"imprimatur/app/config"
)

// SQLite has one writer at a time. A process that waits for it tries again at least every
// 100 ms and gives up after 800 ms. A long job therefore pauses for longer than that
// interval, often enough for every writer to get a turn.
const (
	writeFor  = 500 * time.Millisecond
	standBack = 105 * time.Millisecond
)

// turns returns what to call between the transactions of a long job on a database.
func turns(ctx context.Context, cfg config.Config) (func(), error) {
	engine, _, err := cfg.Database()
	if err != nil || engine != config.SQLite {
		return func() {}, err
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
	}, nil
}
