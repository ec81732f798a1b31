package sqlstore

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
)

// rowOf is a row of a table that maps to a T.
type rowOf[T any] interface{ core() T }

// one returns the row of R's table that narrow selects. If no row matches, it returns not
// found; thing names the resource in the message.
func one[R rowOf[T], T any](ctx context.Context, c conn, thing string, narrow func(*bun.SelectQuery) *bun.SelectQuery) (T, error) {
	var r R
	if err := narrow(c.read.NewSelect().Model(&r)).Scan(ctx); err != nil {
		var none T
		return none, c.db.fault(err, thing)
	}
	return r.core(), nil
}

// all returns the rows of R's table that narrow selects, in its order.
func all[R rowOf[T], T any](ctx context.Context, c conn, thing string, narrow func(*bun.SelectQuery) *bun.SelectQuery) ([]T, error) {
	var rows []R
	if err := narrow(c.read.NewSelect().Model(&rows)).Scan(ctx); err != nil {
		return nil, c.db.fault(err, thing)
	}
	return mapped(rows, R.core), nil
}

// where selects the rows that meet a condition.
func where(condition string, args ...any) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where(condition, args...) }
}

// ordered selects the rows that meet a condition, ordered by a column.
func ordered(column, condition string, args ...any) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where(condition, args...).Order(column) }
}

// inTenant runs do in a transaction, with an event of kind about subject. tenantOf returns the
// Tenant of subject.
func (c conn) inTenant(
	ctx context.Context, kind event.Type, subject int64, tenantOf func(context.Context, conn, int64) (int64, error),
	do func(context.Context, conn, event.Event) error,
) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		tenant, err := tenantOf(ctx, c, subject)
		if err != nil {
			return err
		}
		return do(ctx, c, event.Event{Type: kind, TenantID: tenant, SubjectID: subject})
	})
}

// newRow is a row, given by pointer, that gets an id from the database.
type newRow struct {
	row    any
	id     *int64 // of row
	copied *int64 // gets the id, too
}

// insert inserts a row and records the result of event. It returns not found if the row refers to
// a missing row.
func (c conn) insert(ctx context.Context, r newRow, thing string, event func() event.Event) error {
	err := c.change(ctx, func(ctx context.Context, c conn) error {
		*r.id = 0 // also when the transaction runs again
		if _, err := c.write.NewInsert().Model(r.row).Exec(ctx); err != nil {
			return c.written(err, thing)
		}
		c.record(event())
		return nil
	})
	*r.copied = *r.id
	return err
}

// update updates the columns of a row, given by pointer, by primary key, and records event. It
// returns not found if the row does not exist.
func (c conn) update(ctx context.Context, row any, thing string, event event.Event, columns ...string) error {
	return c.updateBy(ctx, c.write.NewUpdate().Model(row).Column(columns...).WherePK(), thing, event)
}

// updateBy runs an update and records event. It returns not found if no row is updated.
func (c conn) updateBy(ctx context.Context, q *bun.UpdateQuery, thing string, event event.Event) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		result, err := q.Conn(c.write).Exec(ctx)
		if err != nil {
			return c.written(err, thing)
		}
		return c.affected(result, thing, event)
	})
}

// remove deletes the rows of a table that meet a condition and records event. It returns not
// found if no row does.
func (c conn) remove(ctx context.Context, row any, thing string, event event.Event, condition string, args ...any) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		result, err := c.write.NewDelete().Model(row).Where(condition, args...).Exec(ctx)
		if err != nil {
			return c.db.fault(err, thing)
		}
		return c.affected(result, thing, event)
	})
}

// discard deletes the rows of a table that meet a condition, without an event, and returns their
// number.
func (c conn) discard(ctx context.Context, row any, thing, condition string, args ...any) (int64, error) {
	result, err := c.write.NewDelete().Model(row).Where(condition, args...).Exec(ctx)
	if err != nil {
		return 0, c.db.fault(err, thing)
	}
	n, err := result.RowsAffected()
	return n, c.db.fault(err, thing)
}

// affected records event if a statement has changed a row. Otherwise it returns not found.
func (c conn) affected(result sql.Result, thing string, event event.Event) error {
	if err := c.found(result, thing); err != nil {
		return err
	}
	c.record(event)
	return nil
}

// written maps the error of an INSERT or UPDATE. It is like fault, except that a violated
// reference means that the row refers to a missing row.
func (c conn) written(err error, thing string) error {
	if err != nil && c.db.dialect.Fault(err) == FaultReference {
		return &core.Error{Kind: core.KindNotFound, Code: "not_found", Message: "the " + thing + " refers to a missing resource", Err: err}
	}
	return c.db.fault(err, thing)
}

// found returns not found if a statement has affected no row.
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

// storable reports whether a text column can contain text. Reads by a text that is not storable
// return not found instead of an engine's error.
func storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
