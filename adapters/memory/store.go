// Package memory keeps everything in plain Go maps. It is the executable
// specification of the stores in package ports: reads are answered straight from
// the documents, as the comments on core.Selection and core.Clause say, without
// any index. Use cases are tested on it, and the SQL adapters are compared with it.
package memory

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Store holds the data of one process. It implements ports.Tx.
//
// What was committed last is never changed: a transaction works on a copy, which
// takes its place on success. So reads never wait, and a transaction that fails
// leaves no trace. Transactions run one after another.
type Store struct {
	writing   sync.Mutex
	committed atomic.Pointer[state]
	now       func() time.Time // the database's clock
	onCommit  func([]core.Event)
}

// New returns an empty Store that goes by the clock of the machine.
func New() *Store {
	return newStore(func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) })
}

// NewAt returns an empty Store whose own clock, which says what is due, is clock.
func NewAt(clock ports.Clock) *Store { return newStore(clock.Now) }

func newStore(now func() time.Time) *Store {
	s := &Store{now: now}
	s.committed.Store(&state{})
	return s
}

// Stores returns the stores outside of any transaction: each call sees what was
// committed before it, and each change is a transaction of its own.
func (s *Store) Stores() ports.Stores { return stores(conn{store: s, now: s.now}) }

// Do implements ports.Tx.
func (s *Store) Do(ctx context.Context, actor core.ActorRef, do func(ctx context.Context, stores ports.Stores) error) error {
	return s.transact(ctx, actor, func(tx *transaction) error {
		if err := do(ctx, stores(conn{tx: tx, now: s.now})); err != nil {
			return err
		}
		if claim, ok := ports.ClaimOf(ctx); ok {
			return takeEffect(&tx.state, claim)
		}
		return nil
	})
}

func (s *Store) transact(ctx context.Context, actor core.ActorRef, work func(*transaction) error) error {
	recorded, err := s.commit(ctx, actor, work)
	if err == nil && s.onCommit != nil && len(recorded) > 0 {
		s.onCommit(recorded)
	}
	return err
}

// commit returns the events that the transaction has recorded.
func (s *Store) commit(ctx context.Context, actor core.ActorRef, work func(*transaction) error) ([]core.Event, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tx := &transaction{state: *s.committed.Load()}
	before := tx.state.lastEvent
	if err := work(tx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	recorded := tx.state.sign(before, core.Event{At: s.now(), Actor: actor, RequestID: ports.RequestID(ctx)})
	tx.state.freeze()
	s.committed.Store(&tx.state)
	return recorded, nil
}

// transaction is work on a copy of the state. Its lock only serves callers who use
// the stores of one transaction from several goroutines.
type transaction struct {
	mu    sync.Mutex
	state state
}

// conn is the way from a store to the state: inside of tx, or through store.
type conn struct {
	store *Store
	tx    *transaction
	now   func() time.Time
}

func stores(c conn) ports.Stores {
	return ports.Stores{
		Tenants:     tenants{c},
		Departments: departments{c},
		CustomRoles: customRoles{c},
		Projects:    projects{c},
		Users:       users{c},
		Grants:      grants{c},
		Sessions:    sessions{c},
		SignIns:     failedSignIns{c},
		Tokens:      tokens{c},
		Collections: collections{c},
		Entries:     entries{c},
		Origins:     origins{c},
		Media:       media{c},
		Blobs:       blobs{c},

		IndexChecks: indexChecks{c},
		BlobChecks:  blobChecks{c},

		Workflows:    workflows{c},
		Requests:     requests{c},
		Publications: publications{c},
		Idempotency:  idempotency{c},
		Events:       events{c},
	}
}

// view answers a read.
func view[T any](ctx context.Context, c conn, read func(*state) (T, error)) (T, error) {
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	if c.tx == nil {
		return read(c.store.committed.Load())
	}
	c.tx.mu.Lock()
	defer c.tx.mu.Unlock()
	return read(&c.tx.state)
}

// change runs one write. It must check before it changes anything, so that a
// refused write leaves the rest of its transaction as it was.
func (c conn) change(ctx context.Context, write func(*state) error) error {
	if c.tx == nil {
		return c.store.transact(ctx, core.SystemActor, func(tx *transaction) error { return write(&tx.state) })
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c.tx.mu.Lock()
	defer c.tx.mu.Unlock()
	return write(&c.tx.state)
}

// found turns the answer of a lookup into the port's answer.
func found[T any](value T, ok bool, thing string) (T, error) {
	if !ok {
		return value, core.NotFound(thing)
	}
	return value, nil
}
