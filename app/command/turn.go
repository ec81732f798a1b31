package command

import (
	"context"
	"time"

	"imprimatur/adapters/sqlite"
	"imprimatur/app/config"
)

// On SQLite one process writes at a time. Whoever waits for it looks again every 100 ms
// in the end, and gives up after 800. An import is never long without a transaction, so
// it stands back often enough, and long enough to be seen, for others to get their turn.
// Nobody can tell whether they want it: they may as long as they have the database open.
const (
	writeFor  = 500 * time.Millisecond
	standBack = 105 * time.Millisecond
)

// turns returns what is to be called between the transactions of a long job on a database
// that is open.
func turns(ctx context.Context, cfg config.Config) (func(), error) {
	engine, address, err := cfg.Database()
	if err != nil || engine != config.SQLite {
		return func() {}, err
	}
	others, err := sqlite.Others(address)
	if err != nil {
		return nil, err
	}
	return turnsWith(ctx, others), nil
}

func turnsWith(ctx context.Context, others func() bool) func() {
	began := time.Now()
	return func() {
		if time.Since(began) < writeFor {
			return
		}
		if others() {
			select {
			case <-ctx.Done():
			case <-time.After(standBack):
			}
		}
		began = time.Now()
	}
}
