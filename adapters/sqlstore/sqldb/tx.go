package sqldb

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
)

const (
	// beginTimeout is how long a transaction may take to begin: to get a connection and, on an
	// engine that runs one write transaction at a time, the lock.
	beginTimeout = 3 * time.Second
	// retries is how often a transaction runs again after a lost race or a stall.
	retries = 10
)

// insideKey marks the context of a transaction.
type insideKey struct{}

// OnCommit calls fn with the events of each transaction after its commit. Call OnCommit before the first one.
func (db *DB) OnCommit(fn func([]event.Event)) { db.onCommit = fn }

// Transact runs do in a transaction of actor, again after a lost race. alone: it shares its commit with no others.
func (db *DB) Transact(ctx context.Context, actor core.Actor, alone bool, do func(context.Context, Conn) error) error {
	if ctx.Value(insideKey{}) != nil {
		return errors.New("sqlstore: Do inside Do")
	}
	err := db.once(ctx, actor, alone, do)
	for attempt := 0; attempt < retries && err != nil && db.mayRetry(err) && pause(ctx, attempt); attempt++ {
		err = db.once(ctx, actor, alone, do)
	}
	if errors.Is(err, errGroupLost) {
		return unavailable(err)
	}
	return err
}

// Alone runs do in a transaction, without events of others.
func (db *DB) Alone(ctx context.Context, do func(context.Context, Conn) error) error {
	return db.Transact(ctx, core.SystemActor, true, func(ctx context.Context, c Conn) error {
		return db.Fault(do(ctx, c), "database")
	})
}

// mayRetry reports whether the transaction that returned err was rolled back and may succeed if it
// runs again.
func (db *DB) mayRetry(err error) bool {
	return errors.Is(err, errGroupLost) || db.Dialect.Fault(err) == FaultRetry
}

// once runs do in one transaction, writes its events and commits.
func (db *DB) once(ctx context.Context, actor core.Actor, alone bool, do func(context.Context, Conn) error) error {
	ctx = context.WithValue(ctx, insideKey{}, true)
	var events []event.Event
	err := db.commit(ctx, alone, func(ctx context.Context, tx *transaction) (last []Statement, err error) {
		c := Conn{DB: db, tx: tx, journal: &journal{}}
		if err := do(ctx, c); err != nil {
			return nil, err
		}
		if last, err = db.last(ctx, c, actor); err != nil {
			return nil, err
		}
		events = c.journal.events
		countAll(ctx, last)
		return last, ctx.Err() // a commit does not notice the end of ctx
	})
	if err == nil && db.onCommit != nil && len(events) > 0 {
		db.onCommit(events)
	}
	return err
}

// commit runs do and the statements that it returns in a transaction: alone, or as one of a group.
func (db *DB) commit(ctx context.Context, alone bool, do func(context.Context, *transaction) (last []Statement, err error)) error {
	if db.groups != nil {
		return db.groups.run(ctx, alone, func(tx *transaction) error {
			last, err := do(ctx, tx)
			if err != nil {
				return err
			}
			_, err = tx.batch(ctx, last)
			return db.Fault(err, "transaction")
		})
	}
	tx, err := db.begin(ctx, alone)
	if err != nil {
		return err
	}
	defer tx.end(ctx) //nolint:errcheck // nothing is left to roll back after a commit
	last, err := do(ctx, tx)
	if err != nil {
		return err
	}
	return db.Fault(tx.commit(ctx, last), "transaction")
}

// pause waits for a random time, longer after each attempt, so that two transactions do not lose
// the same race again. It reports false when ctx ends.
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
