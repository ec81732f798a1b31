package sqlstore

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/ports"
)

// conn is where a repository runs its statements: the pools, or one transaction.
// Every repository is a struct that embeds it.
type conn struct {
	db    *DB
	read  bun.IDB // builds and runs reads
	write bun.IDB // builds and runs writes
	tx    *sql.Tx // nil outside a transaction

	journal *journal // what the transaction changes; nil outside of one
}

// change runs do in the transaction that c is in, or else in one of its own, which the
// system makes.
func (c conn) change(ctx context.Context, do func(ctx context.Context, c conn) error) error {
	if c.tx != nil {
		return do(ctx, c)
	}
	return c.db.transact(ctx, core.SystemActor, do)
}

func (c conn) stores() ports.Stores {
	return ports.Stores{
		Tenants:     tenantStore{c},
		Departments: departmentStore{c},
		CustomRoles: customRoleStore{c},
		Projects:    projectStore{c},
		Users:       userStore{c},
		Grants:      grantStore{c},
		Sessions:    sessionStore{c},
		SignIns:     failedSignInStore{c},
		Tokens:      tokenStore{c},
		Collections: collectionStore{c},
		Entries:     entryStore{conn: c},
		Origins:     originStore{c},
		Media:       mediaStore{c},
		Blobs:       blobLedger{c},

		IndexChecks: indexChecker{entryStore{conn: c}},
		BlobChecks:  blobChecker{c},

		Workflows:    workflowStore{c},
		Requests:     requestStore{c},
		Publications: publicationStore{c},
		Idempotency:  idempotencyStore{c},
		Events:       eventStore{c},
	}
}

// query runs a read of the hot path: text, with its arguments as $1, $2 …, is one
// of a few, and outside a transaction runs as a prepared statement. Errors go
// through c.db.fault.
func (c conn) query(ctx context.Context, text string, args ...any) (Rows, error) {
	countOwn(ctx, text, args)
	if c.tx != nil {
		return c.tx.QueryContext(ctx, text, c.db.dialect.Prepared(args)...) //nolint:rowserrcheck // the reader of the rows asks
	}
	return c.db.pools.Hot.Query(ctx, text, args...) //nolint:rowserrcheck // the reader of the rows asks
}

// lock runs a statement that takes a lock until the transaction ends. Outside of one,
// and where a transaction that writes is alone, it has nothing to do.
func (c conn) lock(ctx context.Context, statement string, args ...any) error {
	if c.db.dialect.LockUpdate() == "" || c.tx == nil {
		return nil
	}
	_, err := c.tx.ExecContext(ctx, statement, c.db.dialect.Prepared(args)...)
	return c.db.fault(err, "row")
}

// tryLock is lock for a statement that selects whether it could take the lock at once.
func (c conn) tryLock(ctx context.Context, statement string, args ...any) (locked bool, err error) {
	if c.db.dialect.LockUpdate() == "" || c.tx == nil {
		return true, nil
	}
	err = c.tx.QueryRowContext(ctx, statement, c.db.dialect.Prepared(args)...).Scan(&locked)
	return locked, c.db.fault(err, "row")
}

// locked adds to a SELECT that a write is decided by: within a transaction the rows
// then stay as they are until it ends.
func (c conn) locked(q *bun.SelectQuery) *bun.SelectQuery {
	if lock := c.db.dialect.LockShared(); lock != "" && c.tx != nil {
		return q.For(lock)
	}
	return q
}
