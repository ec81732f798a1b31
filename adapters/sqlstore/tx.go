package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/adapters/sqlstore/admission"
	"imprimatur/core"
	"imprimatur/ports"
)

const (
	// requestPatience is how long a request waits until its transaction begins: to be let
	// in, for a connection, and where one writer excludes the others, for the lock; for
	// the latter two at least half of it.
	requestPatience = 900 * time.Millisecond
	// backgroundPatience is how long what is on nobody's behalf waits.
	backgroundPatience = 10 * time.Second
	// retries is how often a transaction that lost a race is run again.
	retries = 10
)

type insideKey struct{}

func inTransaction(ctx context.Context) bool { return ctx.Value(insideKey{}) != nil }

// Do implements ports.Tx.
func (db *DB) Do(ctx context.Context, actor core.ActorRef, do func(context.Context, ports.Stores) error) error {
	return db.transact(ctx, actor, func(ctx context.Context, c conn) error { return do(ctx, c.stores()) })
}

func (db *DB) transact(ctx context.Context, actor core.ActorRef, do func(context.Context, conn) error) error {
	if inTransaction(ctx) {
		return errors.New("sqlstore: Do inside Do")
	}
	patience, came := patienceOf(ctx), time.Now()
	if err := db.writes.Enter(ctx); err != nil {
		return db.fault(err, "transaction")
	}
	defer db.writes.Leave(ctx)
	err := db.once(ctx, actor, max(patience-time.Since(came), patience/2), do)
	for attempt := range retries {
		if err == nil || db.dialect.Fault(err) != FaultRetry || !pause(ctx, attempt) {
			break
		}
		err = db.once(ctx, actor, patience, do)
	}
	return err
}

func patienceOf(ctx context.Context) time.Duration {
	if admission.IsVisit(ctx) {
		return requestPatience
	}
	return backgroundPatience
}

func (db *DB) once(ctx context.Context, actor core.ActorRef, patience time.Duration, do func(context.Context, conn) error) error {
	ctx, cancel := context.WithCancel(context.WithValue(ctx, insideKey{}, true))
	defer cancel() // undoes what is not committed, also when do panics
	tx, err := db.begin(ctx, cancel, patience)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // nothing to undo after a commit, nothing to do about it before
	c := conn{db: db, read: tx, write: tx, tx: tx.Tx, journal: &journal{}}
	if err := do(ctx, c); err != nil {
		return err
	}
	if claim, ok := ports.ClaimOf(ctx); ok {
		if err := (idempotencyStore{c}).TakeEffect(ctx, claim); err != nil {
			return err
		}
	}
	if err := c.writeEvents(ctx, actor); err != nil {
		return err
	}
	err = tx.Commit()
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		err = ctx.Err() // which is why database/sql had rolled it back already
	}
	if err == nil {
		db.committed(c.journal.events)
	}
	return db.fault(err, "transaction")
}

// begin waits for its turn no longer than patience. The context of a transaction
// ends it, so the wait is ended by cancel and not by a deadline.
func (db *DB) begin(ctx context.Context, cancel context.CancelFunc, patience time.Duration) (bun.Tx, error) {
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
