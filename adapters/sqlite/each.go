package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
)

// each, as the first argument of a statement, runs the statement once for every so many of the
// other arguments. The statement is prepared once per connection. SQLite keeps no copies of the
// pages that it changes, as it does for a statement of many rows.
type each int

// keep, as the first argument of a statement, keeps it prepared on its connection. To prepare the
// statements of a write each time was a tenth of its cost.
type keep struct{}

// maxKept bounds the statements that stay prepared, and maxKeptText the bytes of each: lists of
// many rows have texts of their own.
const maxKept, maxKeptText = 256, 4096

// CheckNamedValue lets each and keep pass, and leaves the others to database/sql.
func (c *conn) CheckNamedValue(value *driver.NamedValue) error {
	switch value.Value.(type) {
	case each, keep:
		return nil
	default:
		return driver.ErrSkip
	}
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		return c.plainConn.ExecContext(ctx, query, args)
	}
	switch first := args[0].Value.(type) {
	case each:
		return c.forEach(ctx, query, int(first), args[1:])
	case keep:
		args = following(args)
		if statement, err := c.kept(ctx, query); statement != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return statement.ExecContext(context.WithoutCancel(ctx), args) // as each does
		}
	}
	return c.plainConn.ExecContext(ctx, query, args)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) == 0 || args[0].Value != (keep{}) {
		return c.plainConn.QueryContext(ctx, query, args)
	}
	args = following(args)
	statement, err := c.kept(ctx, query)
	if err != nil {
		return nil, err
	}
	if statement == nil {
		return c.plainConn.QueryContext(ctx, query, args)
	}
	return statement.QueryContext(ctx, args)
}

// following returns the arguments after the first one.
func following(args []driver.NamedValue) []driver.NamedValue {
	args = args[1:]
	for i := range args {
		args[i].Ordinal = i + 1
	}
	return args
}

// kept returns the statement prepared, or nil when it is not to be kept.
func (c *conn) kept(ctx context.Context, query string) (statement, error) {
	if c.prepared[query] == nil && (len(c.prepared) >= maxKept || len(query) > maxKeptText) {
		return nil, nil //nolint:nilnil // not an error
	}
	return c.prepare(ctx, query)
}

// statement is a prepared one.
type statement interface {
	driver.StmtExecContext
	driver.StmtQueryContext
}

// forEach runs a statement once for every size arguments. After an error, the transaction must
// roll back.
func (c *conn) forEach(ctx context.Context, query string, size int, args []driver.NamedValue) (driver.Result, error) {
	statement, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	var total int64
	uninterrupted := context.WithoutCancel(ctx) // to watch for its end would cost more than a row
	for ; len(args) > 0; args = args[size:] {
		row := args[:size]
		for i := range row {
			row[i].Ordinal = i + 1
		}
		result, err := statement.ExecContext(uninterrupted, row)
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
		return nil, errors.Join(errors.New("sqlite: a statement of another driver"), fresh.Close())
	}
	c.prepared[query] = made
	return made, nil
}
