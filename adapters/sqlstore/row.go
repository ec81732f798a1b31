package sqlstore

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// rowOf is a row of a table that stands for a T.
type rowOf[T any] interface{ core() T }

// one returns the row of R's table that narrow selects; thing names it in the error when no row
// is selected.
func one[R rowOf[T], T any](ctx context.Context, c conn, thing string, narrow func(*bun.SelectQuery) *bun.SelectQuery) (T, error) {
	var r R
	if err := narrow(c.read.NewSelect().Model(&r)).Scan(ctx); err != nil {
		var none T
		return none, c.db.fault(err, thing)
	}
	return r.core(), nil
}

// all returns the rows that narrow leaves of R's table, in the order it gives them.
func all[R rowOf[T], T any](ctx context.Context, c conn, thing string, narrow func(*bun.SelectQuery) *bun.SelectQuery) ([]T, error) {
	var rows []R
	if err := narrow(c.read.NewSelect().Model(&rows)).Scan(ctx); err != nil {
		return nil, c.db.fault(err, thing)
	}
	list := make([]T, len(rows))
	for i, r := range rows {
		list[i] = r.core()
	}
	return list, nil
}

// where narrows to the rows that meet a condition.
func where(condition string, args ...any) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where(condition, args...) }
}

// byID narrows to the rows that meet a condition, in the order of their ids.
func byID(condition string, args ...any) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where(condition, args...).Order("id") }
}

// insert adds a row, given by pointer, sets its id and records the event that event
// returns then. A row that it points to and that does not exist is not found.
func (c conn) insert(ctx context.Context, row any, thing string, event func() core.Event) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		if _, err := c.write.NewInsert().Model(row).Exec(ctx); err != nil {
			return c.written(err, thing)
		}
		c.record(event())
		return nil
	})
}

// update writes the named columns of a row, given by pointer, that is found by its
// primary key, and records event.
func (c conn) update(ctx context.Context, row any, thing string, event core.Event, columns ...string) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		result, err := c.write.NewUpdate().Model(row).Column(columns...).WherePK().Exec(ctx)
		if err != nil {
			return c.written(err, thing)
		}
		return c.affected(result, thing, event)
	})
}

// remove deletes the rows of a table that meet a condition, finds at least one, and
// records event.
func (c conn) remove(ctx context.Context, row any, thing string, event core.Event, condition string, args ...any) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		result, err := c.write.NewDelete().Model(row).Where(condition, args...).Exec(ctx)
		if err != nil {
			return c.db.fault(err, thing)
		}
		return c.affected(result, thing, event)
	})
}

// affected records event if a statement has changed a row, and else reports thing as not
// found.
func (c conn) affected(result sql.Result, thing string, event core.Event) error {
	if err := c.found(result, thing); err != nil {
		return err
	}
	c.record(event)
	return nil
}

// written turns the error of a statement that adds or changes a row: there, a broken
// reference means that what the row points to does not exist.
func (c conn) written(err error, thing string) error {
	if err != nil && c.db.dialect.Fault(err) == FaultReference {
		return &core.Error{Kind: core.KindNotFound, Code: "not_found", Message: "the " + thing + " names what does not exist", Err: err}
	}
	return c.db.fault(err, thing)
}

// found reports that nothing was affected as thing not being there.
func (c conn) found(result interface{ RowsAffected() (int64, error) }, thing string) error {
	n, err := result.RowsAffected()
	if err != nil {
		return c.db.fault(err, thing)
	}
	if n == 0 {
		return core.NotFound(thing)
	}
	return nil
}

// storable reports whether text can be in a text column at all; what cannot is
// not found, rather than a fault of the database.
func storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
