package memory

import (
	"cmp"
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
	trusting  bool // transactions need no locks
}

// New returns an empty Store with the clock of the machine.
func New() *Store {
	return newStore(func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) })
}

// NewAt returns an empty Store with the given clock, which decides what is due.
func NewAt(clock ports.Clock) *Store { return newStore(clock.Now) }

func newStore(now func() time.Time) *Store {
	s := &Store{now: now}
	s.committed.Store(newState(now))
	return s
}

// Trust makes the Store accept changes of transactions that have not locked what they change. It is
// for tests of single methods.
func (s *Store) Trust() *Store {
	s.trusting = true
	return s
}

// Stores returns the stores outside of a transaction. Each call sees all earlier commits,
// and each change is a transaction of its own.
func (s *Store) Stores() ports.Stores { return stores(conn{store: s, now: s.now}) }

// Do implements ports.Tx.
func (s *Store) Do(ctx context.Context, actor core.Actor, do func(ctx context.Context, stores ports.Stores) error) error {
	return s.transact(ctx, actor, func(tx *transaction) error {
		if !s.trusting {
			tx.state.locks = map[lock]bool{}
		}
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
	tx.state.begin()
	before := tx.state.lastEvent
	if err := work(tx); err != nil {
		return nil, err
	}
	if err := cmp.Or(tx.state.refused, ctx.Err()); err != nil {
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
	allEntries, outbox := open[entries](c, "entry"), open[deliveries](c, "delivery")
	return ports.Stores{
		Tenants:     open[tenants](c, "tenant"),
		Departments: open[departments](c, "department"),
		CustomRoles: open[customRoles](c, "custom role"),
		Projects:    open[projects](c, "project"),
		Users:       open[users](c, "user"),
		Grants:      grants{c},
		Sessions:    open[sessions](c, "session"),
		SignIns:     open[failedSignIns](c, "failed sign-in"),
		Invitations: open[invitations](c, "invitation"),
		Links:       open[links](c, "link"),
		Providers:   open[identityProviders](c, "identity provider"),
		Domains:     open[domainClaims](c, "claim of the domain"),
		Identities:  open[userIdentities](c, "link to an identity provider"),
		Spent:       spent{c},
		Previews:    open[previews](c, "preview"),
		TOTP:        open[totp](c, "authenticator app"),
		Recovery:    recoveryCodes{c},
		Passkeys:    open[passkeys](c, "passkey"),
		Tokens:      open[tokens](c, "token"),
		Collections: open[collections](c, "collection"),
		Components:  open[components](c, "component"),
		Entries:     allEntries,
		Revisions:   open[revisions](c, "revision"),
		Origins:     open[origins](c, "origin"),
		Media:       open[media](c, "media item"),
		Blobs:       blobs{c},
		Renditions:  open[renditions](c, "rendition"),
		Holds:       open[holds](c, "hold"),
		LocaleFills: localeFills{open[projects](c, "project")},
		Deletions:   deletions{},

		Installation: here{c},

		IndexChecks: indexChecks{allEntries},
		BlobChecks:  blobChecks{c},

		Workflows:    open[workflows](c, "workflow"),
		Requests:     open[requests](c, "request"),
		Releases:     open[releases](c, "release"),
		Comments:     open[comments](c, "comment"),
		Delegations:  open[delegations](c, "delegation"),
		Assistants:   open[assistants](c, "assistant"),
		Schedules:    open[schedules](c, "schedule"),
		Publications: publications{c},
		Idempotency:  idempotency{c},
		SigningKeys:  open[signingKeys](c, "signing key"),
		Events:       events{c},
		Log:          events{c},
		Outbox:       outbox,
		Webhooks:     open[webhooks](c, "webhook"),
		Deliveries:   outbox,
		DeliveryLog:  outbox,
		Notices:      open[notices](c, "notice"),
		Reminders:    open[requests](c, "request"),
		Mails:        open[mails](c, "mail"),
		Aging:        aging{c},
		Overviews:    overviews{c},
		Clock:        databaseClock{c},
	}
}

// view runs a read. Its result shares nothing with the state.
func view[T any](ctx context.Context, c conn, read func(*state) (T, error)) (result T, err error) {
	err = c.read(ctx, func(st *state) (err error) {
		result, err = read(st)
		return err
	})
	return clone(result), err
}

// read runs a read.
func (c conn) read(ctx context.Context, read func(*state) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.tx == nil {
		return read(c.store.committed.Load())
	}
	c.tx.mu.Lock()
	defer c.tx.mu.Unlock()
	return read(&c.tx.state)
}

// change runs a write. A write that returns an error itself, and not by a rule of a table, must have changed nothing.
func (c conn) change(ctx context.Context, write func(*state) error) error {
	if c.tx == nil {
		return c.store.transact(ctx, core.SystemActor, func(tx *transaction) error { return write(&tx.state) })
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c.tx.mu.Lock()
	defer c.tx.mu.Unlock()
	if err := write(&c.tx.state); err != nil {
		return err
	}
	return c.tx.state.refused
}

// apply runs a write that only the rules of the tables can reject.
func (c conn) apply(ctx context.Context, write func(*state)) error {
	return c.change(ctx, func(st *state) error {
		write(st)
		return nil
	})
}

// hold locks rows until the transaction ends. Outside of a transaction it does nothing.
func (c conn) hold(ctx context.Context, thing string, ids ...int64) error {
	_, err := view(ctx, c, func(st *state) (none struct{}, err error) {
		st.lock(thing, ids...)
		return none, nil
	})
	return err
}
