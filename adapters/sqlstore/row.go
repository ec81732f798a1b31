package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/event"
)

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

// writing calls do with the transaction of c or, outside one, with a connection on which each statement commits.
func (c conn) writing(ctx context.Context, do func(*transaction) error) error {
	if c.tx != nil {
		return do(c.tx)
	}
	for attempt := 0; ; attempt++ {
		on, err := c.db.pools.Write.Conn(ctx)
		if err != nil {
			return err
		}
		err = errors.Join(do(&transaction{on, c.db.spans}), on.Close())
		if attempt == retries || !errors.Is(err, driver.ErrBadConn) { // a connection of the pool was lost since its last use
			return err
		}
	}
}

// exec runs one statement of a write.
func (c conn) exec(ctx context.Context, text string, args ...any) (affected int64, err error) {
	text, args = c.db.numbered(text, args)
	countOwn(ctx, text, args)
	if c.tx != nil {
		return c.tx.exec(ctx, text, args)
	}
	err = c.writing(ctx, func(t *transaction) error {
		affected, err = t.exec(ctx, text, args)
		return err
	})
	return affected, err
}

// returned runs a write that returns rows, and scans them. thing names the resource in messages.
func returned[T any](ctx context.Context, c conn, thing string, scan func(Rows) (T, error), text string, args ...any) (all []T, err error) {
	numbered, args := c.db.numbered(text, args)
	countOwn(ctx, numbered, args)
	err = c.writing(ctx, func(t *transaction) error {
		return t.query(ctx, numbered, args, func(rows Rows) (err error) {
			all, err = appendRows(nil, rows, scan)
			return err
		})
	})
	return all, c.failed(err, thing, text)
}

// scanOne runs a write in the transaction and scans the one value that it returns.
func (c conn) scanOne(ctx context.Context, into any, text string, args ...any) error {
	text, args = c.db.numbered(text, args)
	countOwn(ctx, text, args)
	return c.tx.queryRow(ctx, into, text, args...)
}

// do runs a write and returns the number of rows that it affected. thing names the resource in messages.
func (c conn) do(ctx context.Context, thing, text string, args ...any) (affected int64, err error) {
	affected, err = c.exec(ctx, text, args...)
	return affected, c.failed(err, thing, text)
}

// must is do, but returns not found if the write affects no row.
func (c conn) must(ctx context.Context, thing, text string, args ...any) error {
	affected, err := c.do(ctx, thing, text, args...)
	if err == nil && affected == 0 {
		err = core.NotFound(thing)
	}
	return err
}

// note is must with an event that it records.
func (c conn) note(ctx context.Context, thing string, event event.Event, text string, args ...any) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		err := c.must(ctx, thing, text, args...)
		if err == nil {
			c.record(event)
		}
		return err
	})
}

// failed maps the error of a write.
func (c conn) failed(err error, thing, text string) error {
	if strings.HasPrefix(text, "DELETE") {
		return c.db.fault(err, thing)
	}
	return c.written(err, thing)
}

// written maps the error of an INSERT or UPDATE. It is like fault, except that a violated
// reference means that the row refers to a missing row.
func (c conn) written(err error, thing string) error {
	if err != nil && c.db.dialect.Fault(err) == FaultReference {
		return &core.Error{Kind: core.KindNotFound, Code: "not_found", Message: "the " + thing + " refers to a missing resource", Err: err}
	}
	return c.db.fault(err, thing)
}

// touched are rows with the time of their last use.
var touched = newTable("", "id bigint", "used_at bigint")

// touch sets the time of the last use of rows, in a column, unless a later one is there.
func (c conn) touch(ctx context.Context, table, column string, uses [][]any) error {
	for some := range chunks(uses, len(touched.Columns)) {
		if _, err := c.exec(ctx, "UPDATE "+table+" SET "+column+" = v.column2 FROM (?) AS v"+
			" WHERE "+table+".id = v.column1 AND coalesce("+table+"."+column+", 0) < v.column2", rowList{touched.Types, some}); err != nil {
			return err
		}
	}
	return nil
}

// storable reports whether a text column can contain text. Reads by a text that is not storable
// return not found instead of an engine's error.
func storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
