package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/ports"
)

const (
	// patience is how long a transaction waits for its turn: for a connection, and
	// where one writer excludes the others, for the lock.
	patience = 900 * time.Millisecond
	// retries is how often a transaction that lost a race is run again.
	retries = 10
)

type insideKey struct{}

func inTransaction(ctx context.Context) bool { return ctx.Value(insideKey{}) != nil }

// Do implements ports.Tx.
func (db *DB) Do(ctx context.Context, do func(context.Context, ports.Stores) error) error {
	if inTransaction(ctx) {
		return errors.New("sqlstore: Do inside Do")
	}
	if err := db.writes.Enter(ctx); err != nil {
		return db.fault(err, "transaction")
	}
	defer db.writes.Leave(ctx)
	for attempt := 0; ; attempt++ {
		err := db.once(ctx, do)
		if err == nil || attempt == retries || db.dialect.Fault(err) != FaultRetry || !pause(ctx, attempt) {
			return err
		}
	}
}

func (db *DB) once(ctx context.Context, do func(context.Context, ports.Stores) error) error {
	ctx, cancel := context.WithCancel(context.WithValue(ctx, insideKey{}, true))
	defer cancel() // undoes what is not committed, also when do panics
	tx, err := db.begin(ctx, cancel)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing to undo after a commit, nothing to do about it before
	c := conn{db: db, read: tx, write: tx, tx: tx.Tx}
	if err := do(ctx, c.stores()); err != nil {
		return err
	}
	if claim, ok := ports.ClaimOf(ctx); ok {
		if err := (idempotencyStore{c}).TakeEffect(ctx, claim); err != nil {
			return err
		}
	}
	err = tx.Commit()
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		err = ctx.Err() // which is why database/sql had rolled it back already
	}
	return db.fault(err, "transaction")
}

// begin waits for its turn no longer than patience. The context of a transaction
// ends it, so the wait is ended by cancel and not by a deadline.
func (db *DB) begin(ctx context.Context, cancel context.CancelFunc) (bun.Tx, error) {
	impatience := time.AfterFunc(patience, cancel)
	tx, err := db.write.BeginTx(ctx, nil)
	if !impatience.Stop() {
		if err == nil {
			err = tx.Rollback()
		}
		return bun.Tx{}, unavailable(err)
	}
	return tx, db.fault(err, "transaction")
}

// pause waits a little longer after each attempt, never as long as another
// transaction that lost the same race, and reports false when ctx ended.
func pause(ctx context.Context, attempt int) bool {
	longest := min(time.Millisecond<<attempt, 100*time.Millisecond)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(rand.N(longest)):
		return true
	}
}

func unavailable(cause error) error {
	return &core.Error{
		Kind: core.KindUnavailable, Code: "unavailable", Message: "the database is not available at the moment",
		RetryAfter: time.Second, Err: cause,
	}
}
