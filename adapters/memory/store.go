package memory

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// Store implements ports.Tx for the data of one process. It is safe for concurrent use.
//
// Committed state is immutable: a transaction works on a copy, which replaces the state
// on success. Reads therefore never block, and a failed transaction has no effect.
// Transactions run one after another.
type Store struct {
	writing   sync.Mutex
	committed atomic.Pointer[state]
	now       func() time.Time // the clock of the store
	onCommit  func([]event.Event)
}

// New returns an empty Store with the clock of the machine.
func New() *Store {
	return newStore(func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) })
}

// NewAt returns an empty Store with the given clock, which decides what is due.
func NewAt(clock ports.Clock) *Store { return newStore(clock.Now) }

func newStore(now func() time.Time) *Store {
	s := &Store{now: now}
	s.committed.Store(&state{now: now})
	return s
}

// Stores returns the stores outside of a transaction. Each call sees all earlier commits,
// and each change is a transaction of its own.
func (s *Store) Stores() ports.Stores { return stores(conn{store: s, now: s.now}) }

// Do implements ports.Tx.
func (s *Store) Do(ctx context.Context, actor core.Actor, do func(ctx context.Context, stores ports.Stores) error) error {
	return s.transact(ctx, actor, func(tx *transaction) error {
		if err := do(ctx, stores(conn{tx: tx, now: s.now})); err != nil {
			return err
		}
		if actor.Claim != nil {
			return takeEffect(&tx.state, *actor.Claim)
		}
		return nil
	})
}

// DoAlone implements ports.Tx. Transactions share no commit.
func (s *Store) DoAlone(ctx context.Context, actor core.Actor, do func(ctx context.Context, stores ports.Stores) error) error {
	return s.Do(ctx, actor, do)
}

func (s *Store) transact(ctx context.Context, actor core.Actor, work func(*transaction) error) error {
	recorded, err := s.commit(ctx, actor, work)
	if err == nil && s.onCommit != nil && len(recorded) > 0 {
		s.onCommit(recorded)
	}
	return err
}

// commit runs work in a transaction and returns its events.
func (s *Store) commit(ctx context.Context, actor core.Actor, work func(*transaction) error) ([]event.Event, error) {
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
	recorded := tx.state.sign(before, event.Event{At: s.now(), Actor: actor.Ref(), Import: actor.Import, RequestID: ports.RequestID(ctx)})
	tx.state.freeze()
	s.committed.Store(&tx.state)
	return recorded, nil
}

// transaction is a copy of the state. Its lock is only needed when several goroutines use
// the stores of one transaction.
type transaction struct {
	mu    sync.Mutex
	state state
}

// conn gives a store access to the state of tx or, if tx is nil, to that of store.
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
		Invitations: invitations{c},
		Links:       links{c},
		Providers:   identityProviders{c},
		Domains:     domainClaims{c},
		Identities:  userIdentities{c},
		Spent:       spent{c},
		Previews:    previews{c},
		TOTP:        totp{c},
		Recovery:    recoveryCodes{c},
		Passkeys:    passkeys{c},
		Tokens:      tokens{c},
		Collections: collections{c},
		Components:  components{c},
		Entries:     entries{c},
		Revisions:   revisions{c},
		Origins:     origins{c},
		Media:       media{c},
		Blobs:       blobs{c},
		Renditions:  renditions{c},
		Holds:       holds{c},
		LocaleFills: localeFills{c},
		Deletions:   deletions{},

		Installation: installationReader{c},

		IndexChecks: indexChecks{c},
		BlobChecks:  blobChecks{c},

		Workflows:    workflows{c},
		Requests:     requests{c},
		Releases:     releases{c},
		Comments:     comments{c},
		Delegations:  delegations{c},
		Assistants:   assistants{c},
		Schedules:    schedules{c},
		Publications: publications{c},
		Idempotency:  idempotency{c},
		SigningKeys:  signingKeys{c},
		Events:       events{c},
		Log:          events{c},
		Outbox:       deliveries{c},
		Webhooks:     webhooks{c},
		Deliveries:   deliveries{c},
		DeliveryLog:  deliveries{c},
		Notices:      notices{c},
		Reminders:    requests{c},
		Mails:        mails{c},
		Aging:        aging{c},
		Overviews:    overviews{c},
		Clock:        databaseClock{c},
	}
}

// view runs a read.
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

// change runs a write. write must check everything before it changes anything, so that a
// rejected write leaves the transaction unchanged.
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

// apply runs a write that cannot be rejected.
func (c conn) apply(ctx context.Context, write func(*state)) error {
	return c.change(ctx, func(st *state) error {
		write(st)
		return nil
	})
}

// found returns value if ok, and otherwise core.NotFound(thing).
func found[T any](value T, ok bool, thing string) (T, error) {
	if !ok {
		return *new(T), core.NotFound(thing)
	}
	return value, nil
}
