package write

import (
	"context"
	"errors"
	"fmt"
	"time"

	"imprimatur/adapters/sqlstore"
	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core/words"
)

const (
	refillAlone = 20 * time.Second // of saves before the refill
	refillLook  = 200 * time.Millisecond
)

// outdated are the statements that leave the index as another version of words would have made it: the sort
// keys of titles and all lexemes differ.
var outdated = []string{
	"UPDATE entry_index SET t1 = 'x' || t1 WHERE t1 IS NOT NULL",
	"UPDATE entry_words SET hash = hash - 1",
	"UPDATE collections SET forms = '0 older', version = version + 1",
}

// refill starts the program on an index of another version of words. The cell has the seconds that it takes to
// index all entries again beside editors who save some of them, and the latencies of their saves in ms: alone
// and beside it, with the ratio of the p99.
func (o options) refill(ctx context.Context, t target) (cell string, err error) {
	if t.entries == nil || !o.refilled {
		return "", nil
	}
	ids, err := t.entries(min(o.articles, 5000))
	if err != nil {
		return "", err
	}
	alone, err := beside(ctx, t, ids, func() error {
		select {
		case <-ctx.Done():
		case <-time.After(refillAlone):
		}
		return ctx.Err()
	})
	if err != nil {
		return "", err
	}
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = t.databaseURL, "error"
	t.stop() // the program of SQLite writes alone
	var db *sqlstore.DB
	closeDB, err := service.Use(ctx, cfg, &db)
	if err != nil {
		return "", err
	}
	defer closeDB()
	for _, statement := range outdated {
		if _, err := db.Writer().ExecContext(ctx, statement); err != nil {
			return "", err
		}
	}
	if err := t.start(); err != nil {
		return "", err
	}
	began := time.Now()
	took, err := beside(ctx, t, ids, func() error { return awaitForms(ctx, db) })
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.0f; %d saves: %.1f, %.1f; %d saves: %.1f, %.1f (× %.1f)", time.Since(began).Seconds(),
		len(alone), share(alone, 50), share(alone, 99), len(took), share(took, 50), share(took, 99), share(took, 99)/share(alone, 99)), nil
}

// awaitForms waits until all collections are indexed by the words.Version of the program.
func awaitForms(ctx context.Context, db *sqlstore.DB) error {
	ticks := time.NewTicker(refillLook)
	defer ticks.Stop()
	for {
		var left int
		err := db.Writer().QueryRowContext(ctx, "SELECT count(*) FROM collections WHERE forms <> $1 OR NOT forms_ready", words.Version).Scan(&left)
		if err != nil || left == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
	}
}

// share returns the latency in ms that a share of all took at most, in percent.
func share(took []time.Duration, percent int) float64 {
	return took[len(took)*percent/100].Seconds() * 1000
}

var errNoSaves = errors.New("no editor saved")
