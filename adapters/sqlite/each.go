package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
)

// each, as the first argument of a statement, is the number of arguments of one run. The
// connection runs the statement once for each group of this many further arguments. For a
// statement of one row, SQLite keeps no copy of the changed pages; for a statement of many
// rows it keeps copies, to undo the statement if a row fails.
type each int

// keep, as the first argument of a statement, keeps it prepared on its connection. Preparing
// took a tenth of the time of a write.
type keep struct{}

// maxKept bounds the statements that a connection keeps, maxKeptText the bytes of each text:
// long texts are lists of many rows and rarely repeated.
const maxKept, maxKeptText = 256, 4096

// CheckNamedValue accepts each and keep. database/sql converts all other values.
func (c *conn) CheckNamedValue(value *driver.NamedValue) error {
	switch value.Value.(type) {
	case each, keep:
		return nil
	default:
		return driver.ErrSkip
	}
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return patiently(ctx, func() (driver.Result, error) { return c.exec(ctx, query, args) })
}

func (c *conn) exec(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		return c.plainConn.ExecContext(ctx, query, args)
	}
	switch first := args[0].Value.(type) {
	case each:
		return c.forEach(ctx, query, int(first), args[1:])
	case keep:
		args = renumber(args[1:])
		statement, err := c.kept(ctx, query)
		if err != nil {
			return nil, err
		}
		if statement != nil {
			return statement.ExecContext(context.WithoutCancel(ctx), args) // as in forEach
		}
	}
	return c.plainConn.ExecContext(ctx, query, args)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return patiently(ctx, func() (driver.Rows, error) { return c.query(ctx, query, args) })
}

func (c *conn) query(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) == 0 || args[0].Value != (keep{}) {
		return c.plainConn.QueryContext(ctx, query, args)
	}
	args = renumber(args[1:])
	statement, err := c.kept(ctx, query)
	if err != nil {
		return nil, err
	}
	if statement == nil {
		return c.plainConn.QueryContext(ctx, query, args)
	}
	return statement.QueryContext(ctx, args)
}

// renumber numbers arguments from 1.
func renumber(args []driver.NamedValue) []driver.NamedValue {
	for i := range args {
		args[i].Ordinal = i + 1
	}
	return args
}

// kept returns the prepared statement, or nil if the connection does not keep it.
func (c *conn) kept(ctx context.Context, query string) (statement, error) {
	if c.prepared[query] == nil && (len(c.prepared) >= maxKept || len(query) > maxKeptText) {
		return nil, nil //nolint:nilnil // no statement is not an error
	}
	return c.prepare(ctx, query)
}

// statement is a prepared statement.
type statement interface {
	driver.StmtExecContext
	driver.StmtQueryContext
}

// forEach runs a statement once for each group of size arguments. If a run fails, the
// transaction must roll back the earlier runs.
func (c *conn) forEach(ctx context.Context, query string, size int, args []driver.NamedValue) (driver.Result, error) {
	statement, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	var total int64
	uninterrupted := context.WithoutCancel(ctx) // waiting for cancellation in the driver costs more than a row
	for ; len(args) > 0; args = args[size:] {
		result, err := statement.ExecContext(uninterrupted, renumber(args[:size]))
		if err != nil {
			return nil, err
		}
		affected, err := result.RowsAffected()
		if err != nil {
			return nil, err
		}
		total += affected
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return driver.RowsAffected(total), nil
}

func (c *conn) prepare(ctx context.Context, query string) (statement, error) {
	if kept := c.prepared[query]; kept != nil {
		return kept, nil
	}
	fresh, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	made, ok := fresh.(statement)
	if !ok {
		return nil, errors.Join(errors.New("sqlite: unexpected type of statement"), fresh.Close())
	}
	c.prepared[query] = made
	return made, nil
}
