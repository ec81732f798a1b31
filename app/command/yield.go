package command

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
)

// SQLite has one writer at a time. A waiting process tries again at least every 5 ms and fails
// after some seconds. A long job therefore pauses for longer than that, often enough that editors
// hardly notice.
const (
	writeTime  = 120 * time.Millisecond
	writePause = 10 * time.Millisecond
	// othersFor is how long a job shares the database after the last write of another process.
	othersFor = 300 * time.Millisecond
)

// yield is what a long job does between two transactions.
type yield struct {
	ctx     context.Context
	version func(context.Context) (int64, error) // differs after the writes of other processes
	began   time.Time                            // of writing, after the last pause
	seen    int64
	until   time.Time // others write
}

// newYield returns a function for the time between two transactions of a long job. On
// SQLite it pauses, so that other processes can write: after each transaction while they do, else
// after writeTime. It reports whether other processes write.
func newYield(ctx context.Context, cfg config.Config, db *sqlstore.DB) (between func() (others bool), err error) {
	engine, _, err := cfg.Database()
	if err != nil || engine != config.SQLite {
		return func() bool { return false }, err
	}
	y := &yield{ctx: ctx, began: time.Now(), version: func(ctx context.Context) (version int64, err error) {
		err = db.Writer().QueryRowContext(ctx, "PRAGMA data_version").Scan(&version) // commits of this connection do not change it
		return version, err
	}}
	y.seen, err = y.version(ctx)
	return y.between, err
}

func (y *yield) between() (others bool) {
	if time.Now().Before(y.until) || time.Since(y.began) >= writeTime {
		select {
		case <-y.ctx.Done():
		case <-time.After(writePause):
		}
		y.began = time.Now()
	}
	if version, err := y.version(y.ctx); err == nil && version != y.seen { // the next transaction returns the error
		y.seen, y.until = version, time.Now().Add(othersFor)
	}
	return time.Now().Before(y.until)
}
