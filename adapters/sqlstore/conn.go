package sqlstore

import (
	"context"

	"imprimatur/core"
)

// conn runs the statements of a repository, either on the pools or in one transaction. Every
// repository is a struct that embeds a conn.
type conn struct {
	db *base
	tx *transaction // nil outside a transaction

	journal *journal // events of the transaction; nil outside a transaction
}

// outside runs statements outside any transaction.
func (db *base) outside() conn { return conn{db: db} }

// change runs do in the transaction of c. Outside a transaction it begins one, whose actor is
// the system.
func (c conn) change(ctx context.Context, do func(ctx context.Context, c conn) error) error {
	if c.tx != nil {
		return do(ctx, c)
	}
	return c.db.transact(ctx, core.SystemActor, false, do)
}

// query runs a read and calls read with its rows. text is one of a small number of texts, which
// stay prepared, with places for its arguments. Callers pass errors to c.db.fault.
func (c conn) query(ctx context.Context, text string, args []any, read func(Rows) error) error {
	text, args = c.db.numbered(text, args)
	countOwn(ctx, text, args)
	if c.tx != nil {
		return c.tx.query(ctx, text, args, read)
	}
	return c.db.pools.Hot.Query(ctx, text, args, read)
}

// inside reports whether c is in a transaction.
func (c conn) inside() bool { return c.tx != nil }

// locks reports whether rows need locks: in a transaction, unless transactions exclude each other.
func (c conn) locks() bool { return c.tx != nil && !c.db.pools.OneWriter }

// lock runs a statement that takes a lock until the transaction ends, if rows need locks.
func (c conn) lock(ctx context.Context, statement string, args ...any) error {
	if !c.locks() {
		return nil
	}
	statement, args = c.db.numbered(statement, args)
	_, err := c.tx.exec(ctx, statement, args)
	return c.db.fault(err, "row")
}

// tryLock is like lock for a statement that does not wait. The statement selects whether it
// took the lock.
func (c conn) tryLock(ctx context.Context, statement string, args ...any) (locked bool, err error) {
	if !c.locks() {
		return true, nil
	}
	statement, args = c.db.numbered(statement, args)
	err = c.tx.queryRow(ctx, &locked, statement, args...)
	return locked, c.db.fault(err, "row")
}

// forShare is the end of a SELECT that decides a write: in a transaction it locks its rows, so that they do not change until the
// transaction ends.
func (c conn) forShare() string {
	if c.locks() {
		return " FOR SHARE"
	}
	return ""
}

// forUpdate is the end of a SELECT that locks its rows for a change, if rows need locks.
func (c conn) forUpdate() string {
	if c.locks() {
		return " FOR UPDATE"
	}
	return ""
}
