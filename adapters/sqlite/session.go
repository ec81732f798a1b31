package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"imprimatur/adapters/sqlstore/sqldb"
)

var _ sqldb.Session = (*conn)(nil)

// Start implements sqlstore.Session.
func (c *conn) Start(ctx context.Context, _ bool) (err error) {
	c.tx, err = patiently(ctx, func() (driver.Tx, error) { return c.plainConn.BeginTx(context.WithoutCancel(ctx), driver.TxOptions{}) })
	return err
}

// Commit implements sqlstore.Session.
func (c *conn) Commit(ctx context.Context, statements []sqldb.Statement) error {
	if _, err := c.Batch(ctx, statements); err != nil {
		return err
	}
	tx := c.tx
	c.tx = nil // the driver rolls back if the commit fails
	return tx.Commit()
}

// Rollback implements sqlstore.Session.
func (c *conn) Rollback(context.Context) error {
	tx := c.tx
	if c.tx = nil; tx == nil {
		return nil
	}
	return tx.Rollback()
}

// Query implements sqlstore.Session. The end of ctx stops it between two rows and does not interrupt SQLite: the driver starts
// a goroutine for each statement to wait for the end, which takes a tenth of the time of a write. SQLite would also roll back
// the whole transaction, in which other callers take part, if it interrupted a statement that changes rows.
func (c *conn) Query(ctx context.Context, text string, args []any, read func(sqldb.Rows) error) error {
	return c.query(ctx, context.WithoutCancel(ctx), text, args, read)
}

// query runs a statement that returns rows. The end of interrupting interrupts SQLite.
func (c *conn) query(ctx, interrupting context.Context, text string, args []any, read func(sqldb.Rows) error) (err error) {
	values := make([]driver.NamedValue, len(args))
	if err := number(values, args); err != nil {
		return err
	}
	s, err := c.statements.prepared(ctx, c, text)
	if err != nil {
		return err
	}
	defer c.statements.used(s)
	from, err := patiently(ctx, func() (driver.Rows, error) { return s.QueryContext(interrupting, values) })
	if err != nil {
		return err
	}
	err = read(&rows{ctx: ctx, from: from, values: make([]driver.Value, len(from.Columns()))})
	return errors.Join(err, from.Close())
}

// Exec implements sqlstore.Session.
func (c *conn) Exec(ctx context.Context, text string, args []any) (int64, error) {
	return patiently(ctx, func() (int64, error) { return c.execEach(ctx, text, [][]any{args}) })
}

// Batch implements sqlstore.Session. It runs the statements one by one.
func (c *conn) Batch(ctx context.Context, statements []sqldb.Statement) (affected []int64, err error) {
	affected = make([]int64, len(statements))
	for i, s := range statements {
		switch {
		case s.Insert != nil:
			affected[i], err = c.insert(ctx, s.Insert)
		case s.Read != nil:
			err = c.Query(ctx, s.Text, s.Args, s.Read)
		default:
			affected[i], err = c.Exec(ctx, s.Text, s.Args)
		}
		if err != nil {
			return nil, err
		}
	}
	return affected, nil
}

// insert runs a statement for each row: for a statement of one row, SQLite keeps no copy of the
// changed pages; for a statement of many rows it keeps copies, to undo the statement if a row fails.
// Rows of entry_texts and entry_words go into one statement: their triggers update the full-text tables,
// which write their buffers once per statement.
func (c *conn) insert(ctx context.Context, in *sqldb.Insert) (int64, error) {
	if in.Table.Name == "entry_texts" || in.Table.Name == addedWords {
		values, args := dialect{}.Values(1, in.Table.Types, in.Rows)
		return c.Exec(ctx, in.Into()+values+in.OnConflict, args)
	}
	places := "VALUES (" + strings.Repeat("?, ", len(in.Table.Columns)-1) + "?)"
	return c.execEach(ctx, in.Into()+places+in.OnConflict, in.Rows)
}

// execEach runs a statement once for each list of arguments. If a run fails, the transaction must
// roll back the earlier runs.
func (c *conn) execEach(ctx context.Context, text string, lists [][]any) (affected int64, err error) {
	s, err := c.statements.prepared(ctx, c, text)
	if err != nil {
		return 0, err
	}
	defer c.statements.used(s)
	values := make([]driver.NamedValue, len(lists[0]))
	uninterrupted := context.WithoutCancel(ctx) // waiting for cancellation in the driver costs more than a row
	for _, args := range lists {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := number(values, args); err != nil {
			return 0, err
		}
		result, err := s.ExecContext(uninterrupted, values)
		if err != nil {
			return 0, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return 0, err
		}
		affected += n
	}
	return affected, ctx.Err()
}

// number sets values to the arguments, numbered from 1, in the types of drivers.
func number(values []driver.NamedValue, args []any) (err error) {
	for i, arg := range args {
		values[i].Ordinal = i + 1
		if values[i].Value, err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
			return err
		}
	}
	return nil
}

// reads implements sqlstore.Hot.
type reads struct{ pool *sql.DB }

var _ sqldb.Hot = reads{}

func (r reads) Ping(ctx context.Context) error { return r.pool.PingContext(ctx) }

func (r reads) Stats() sqldb.PoolStats { return sqldb.StatsOf(r.pool) }

func (r reads) Close() error { return r.pool.Close() }

func (r reads) Query(ctx context.Context, text string, args []any, read func(sqldb.Rows) error) error {
	on, err := r.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer on.Close() //nolint:errcheck // returns the connection to the pool
	return on.Raw(func(raw any) error {
		return raw.(*conn).query(ctx, ctx, text, args, read) //nolint:errcheck,forcetypeassert // the pool has a connector
	})
}
