package sqldb

import (
	"context"

	"imprimatur/core"
)

// Conn runs the statements of a repository, either on the pools or in one transaction. Every
// repository is a struct that embeds a Conn.
type Conn struct {
	DB *DB
	tx *transaction // nil outside a transaction

	journal *journal // events of the transaction; nil outside a transaction
}

// Outside runs statements outside any transaction.
func (db *DB) Outside() Conn { return Conn{DB: db} }

// Change runs do in the transaction of c. Outside a transaction it begins one, whose actor is
// the system.
func (c Conn) Change(ctx context.Context, do func(ctx context.Context, c Conn) error) error {
	if c.tx != nil {
		return do(ctx, c)
	}
	return c.DB.Transact(ctx, core.SystemActor, false, do)
}

// query runs a read and calls read with its rows. text is one of a small number of texts, which
// stay prepared, with places for its arguments. Callers pass errors to c.DB.Fault.
func (c Conn) query(ctx context.Context, text string, args []any, read func(Rows) error) error {
	text, args = c.DB.Numbered(text, args)
	countOwn(ctx, text, args)
	if c.tx != nil {
		return c.tx.query(ctx, text, args, read)
	}
	return c.DB.Pools.Hot.Query(ctx, text, args, read)
}

// Inside reports whether c is in a transaction.
func (c Conn) Inside() bool { return c.tx != nil }

// Locks reports whether rows need locks: in a transaction, unless transactions exclude each other.
func (c Conn) Locks() bool { return c.tx != nil && !c.DB.Pools.OneWriter }

// LockBy runs a statement that takes a lock until the transaction ends, if rows need locks.
func (c Conn) LockBy(ctx context.Context, statement string, args ...any) error {
	if !c.Locks() {
		return nil
	}
	statement, args = c.DB.Numbered(statement, args)
	_, err := c.tx.exec(ctx, statement, args)
	return c.DB.Fault(err, "row")
}

// TryLockBy is like LockBy for a statement that does not wait. The statement selects whether it
// took the lock.
func (c Conn) TryLockBy(ctx context.Context, statement string, args ...any) (locked bool, err error) {
	if !c.Locks() {
		return true, nil
	}
	statement, args = c.DB.Numbered(statement, args)
	err = c.tx.queryRow(ctx, &locked, statement, args...)
	return locked, c.DB.Fault(err, "row")
}

// ForShare is the end of a SELECT that decides a write: in a transaction it locks its rows, so that they do not change until the
// transaction ends.
func (c Conn) ForShare() string {
	if c.Locks() {
		return " FOR SHARE"
	}
	return ""
}

// ForUpdate is the end of a SELECT that locks its rows for a change, if rows need locks.
func (c Conn) ForUpdate() string {
	if c.Locks() {
		return " FOR UPDATE"
	}
	return ""
}
