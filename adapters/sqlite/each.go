package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
)

// each, as the first argument of a statement, says that it is to be run once for every so
// many of the others. The statement is then prepared once per connection, and no copy is
// kept of the pages that it changes, as is of those that one statement of many rows does,
// to take back half of it.
type each int

// CheckNamedValue lets each pass, and leaves the others to database/sql.
func (c *conn) CheckNamedValue(value *driver.NamedValue) error {
	if _, ok := value.Value.(each); ok {
		return nil
	}
	return driver.ErrSkip
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) > 0 {
		if size, ok := args[0].Value.(each); ok {
			return c.forEach(ctx, query, int(size), args[1:])
		}
	}
	return c.plainConn.ExecContext(ctx, query, args)
}

// forEach runs a statement once for every size arguments. What it did until it failed is
// the transaction's to take back.
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

func (c *conn) prepare(ctx context.Context, query string) (driver.StmtExecContext, error) {
	if kept := c.prepared[query]; kept != nil {
		return kept, nil
	}
	fresh, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	statement, ok := fresh.(driver.StmtExecContext)
	if !ok {
		return nil, errors.Join(errors.New("sqlite: a statement of another driver"), fresh.Close())
	}
	c.prepared[query] = statement
	return statement, nil
}
