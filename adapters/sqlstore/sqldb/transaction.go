package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// transaction is a connection on which a transaction runs.
type transaction struct {
	*sql.Conn
	spans *spans // nil: statements have none
}

// begin begins a transaction within beginTimeout. The caller must call end.
func (db *DB) begin(ctx context.Context, alone bool) (*transaction, error) {
	waiting, cancel := context.WithTimeout(ctx, beginTimeout)
	defer cancel()
	on, err := db.Pools.Write.Conn(waiting)
	if err == nil {
		t := &transaction{on, db.spans}
		if err = t.use(func(s Session) error { return s.Start(waiting, alone) }); err == nil {
			return t, nil
		}
		err = errors.Join(err, on.Close())
	}
	if waiting.Err() != nil && ctx.Err() == nil {
		return nil, unavailable(err)
	}
	return nil, db.Fault(err, "transaction")
}

// end rolls back what is not committed and returns the connection to its pool.
func (t *transaction) end(ctx context.Context) error {
	return errors.Join(t.use(func(s Session) error { return s.Rollback(ctx) }), t.Close())
}

// use calls do with the Session. If do panics or returns driver.ErrBadConn, the connection is
// closed, which rolls the transaction back.
func (t *transaction) use(do func(Session) error) error {
	return t.Raw(func(on any) error {
		session, ok := on.(Session)
		if !ok {
			return fmt.Errorf("sqlstore: a connection of type %T is no Session", on)
		}
		if t.spans != nil {
			session = tracedSession{session, *t.spans}
		}
		return do(session)
	})
}

func (t *transaction) query(ctx context.Context, text string, args []any, read func(Rows) error) error {
	return t.use(func(s Session) error { return s.Query(ctx, text, args, read) })
}

// queryRow scans the one value that a statement returns, or returns sql.ErrNoRows.
func (t *transaction) queryRow(ctx context.Context, into any, text string, args ...any) error {
	return t.query(ctx, text, args, func(rows Rows) error {
		if rows.Next() {
			return rows.Scan(into)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	})
}

func (t *transaction) exec(ctx context.Context, text string, args []any) (affected int64, err error) {
	err = t.use(func(s Session) error {
		affected, err = s.Exec(ctx, text, args)
		return err
	})
	return affected, err
}

func (t *transaction) batch(ctx context.Context, statements []Statement) (affected []int64, err error) {
	err = t.use(func(s Session) error {
		affected, err = s.Batch(ctx, statements)
		return err
	})
	return affected, err
}

// commit runs statements and commits.
func (t *transaction) commit(ctx context.Context, statements []Statement) error {
	return t.use(func(s Session) error { return s.Commit(ctx, statements) })
}
