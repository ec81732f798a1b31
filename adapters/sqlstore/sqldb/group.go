package sqldb

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// groups runs transactions on a database with one writer. Transactions that wait for the writer
// commit together (group commit): a commit syncs the disk and rewrites every changed page, and the
// transactions of a group share both. With 16 clients on SQLite, this reduced the processor time
// of a created entry from 1.52 to 1.20 ms (go run ./test/bench write -engines sqlite).
//
// A transaction takes the lock, runs in a savepoint of the open group, releases the lock and
// takes it again. The lock is first-in, first-out: all transactions that waited meanwhile run
// first and join the group. The first transaction that gets the lock again commits the group for
// all. A transaction without concurrent ones commits at once.
//
// The times of publications are taken in their transactions and precede the commit, so a group takes
// no transaction after joinFor, and none that runs long: these run alone.
type groups struct {
	db   *DB
	lock chan struct{} // contains a value while a goroutine holds the lock
	open *group        // guarded by lock; nil if no group is open

	alone atomic.Pointer[time.Time] // when the last transaction that ran alone ended; zero while it runs; nil: none has run
}

// group is a transaction of the database that several callers share.
type group struct {
	tx    *transaction
	begun time.Time
	done  chan struct{} // closed when the group has ended
	err   error         // of its commit
}

// joinFor is how long transactions may join a group. 16 clients that publish take less.
const joinFor = 25 * time.Millisecond

// errGroupLost is the error of transactions that the database rolled back because another
// transaction of their group failed. They run again.
var errGroupLost = errors.New("sqlstore: another transaction of the group failed")

func newGroups(db *DB) *groups { return &groups{db: db, lock: make(chan struct{}, 1)} }

// run runs do in a transaction and returns when that is committed. If do returns an error or
// panics, only its own changes are rolled back. alone excludes other transactions from the commit.
func (gs *groups) run(ctx context.Context, alone bool, do func(*transaction) error) error {
	if err := gs.wait(ctx); err != nil {
		return err
	}
	g, err := gs.join(ctx, alone, do)
	if err != nil {
		return err
	}
	select {
	case <-g.done:
	case gs.lock <- struct{}{}:
		if gs.open == g {
			gs.commit(ctx, g)
		}
		<-gs.lock
	}
	return g.err
}

// commit commits the open group.
func (gs *groups) commit(ctx context.Context, g *group) {
	ctx = context.WithoutCancel(ctx) // the end of one caller must not fail the others
	err := g.tx.commit(ctx, nil)
	_ = g.tx.end(ctx) // the transaction has ended
	gs.end(g, gs.db.Fault(err, "transaction"))
}

// wait takes the lock. It waits up to beginTimeout, and does not count the time of a transaction that runs alone: one
// such as a release of many entries takes long and is no sign of overload.
func (gs *groups) wait(ctx context.Context) error {
	timeout := time.NewTimer(beginTimeout)
	defer timeout.Stop()
	for {
		select {
		case gs.lock <- struct{}{}:
			return nil
		case <-ctx.Done():
			return gs.db.Fault(ctx.Err(), "transaction")
		case <-timeout.C:
			left := gs.left()
			if left <= 0 {
				return unavailable(nil)
			}
			timeout.Reset(left)
		}
	}
}

// left returns how much of beginTimeout is left since a transaction last ran alone.
func (gs *groups) left() time.Duration {
	switch ended := gs.alone.Load(); {
	case ended == nil:
		return 0
	case ended.IsZero():
		return beginTimeout
	default:
		return beginTimeout - time.Since(*ended)
	}
}

// join runs do as the next transaction of the open group, or as the first of a new one, and
// releases the lock. If do runs alone, join also commits its group.
func (gs *groups) join(ctx context.Context, alone bool, do func(*transaction) error) (*group, error) {
	defer func() { <-gs.lock }()
	if alone {
		gs.alone.Store(new(time.Time))
		defer func() { now := time.Now(); gs.alone.Store(&now) }()
	}
	g := gs.open
	if g != nil && (alone || time.Since(g.begun) > joinFor) {
		gs.commit(ctx, g)
		g = nil
	}
	if g == nil {
		g, err := gs.first(ctx, do)
		if err == nil && alone {
			gs.commit(ctx, g)
		}
		return g, err
	}
	if err := g.exec("SAVEPOINT member"); err != nil {
		gs.lose(g)
		return nil, errors.Join(errGroupLost, err)
	}
	succeeded := false
	defer func() {
		if !succeeded && g.exec("ROLLBACK TO member") != nil || g.exec("RELEASE member") != nil {
			gs.lose(g)
		}
	}()
	if err := do(g.tx); err != nil {
		return nil, err
	}
	succeeded = true
	return g, nil
}

// first begins a group and runs do in it, without a savepoint.
func (gs *groups) first(ctx context.Context, do func(*transaction) error) (*group, error) {
	tx, err := gs.db.begin(ctx, false)
	if err != nil {
		return nil, err
	}
	g := &group{tx: tx, begun: time.Now(), done: make(chan struct{})}
	defer func() {
		if gs.open == nil {
			_ = tx.end(ctx) // nothing else can be done about its error
		}
	}()
	if err := do(tx); err != nil {
		return nil, err
	}
	gs.open = g
	return g, nil
}

// lose ends a group that the database has rolled back.
func (gs *groups) lose(g *group) {
	_ = g.tx.end(context.Background()) // the database has rolled it back
	gs.end(g, errGroupLost)
}

func (gs *groups) end(g *group, err error) {
	g.err, gs.open = err, nil
	close(g.done)
}

func (g *group) exec(statement string) error {
	_, err := g.tx.exec(context.Background(), statement, nil)
	return err
}
