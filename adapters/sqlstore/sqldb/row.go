package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/event"
)

// InTenant runs do in a transaction, with an event of kind about subject. tenantOf returns the
// Tenant of subject.
func (c Conn) InTenant(
	ctx context.Context, kind event.Type, subject int64, tenantOf func(context.Context, Conn, int64) (int64, error),
	do func(context.Context, Conn, event.Event) error,
) error {
	return c.Change(ctx, func(ctx context.Context, c Conn) error {
		tenant, err := tenantOf(ctx, c, subject)
		if err != nil {
			return err
		}
		return do(ctx, c, event.Event{Type: kind, TenantID: tenant, SubjectID: subject})
	})
}

// writing calls do with the transaction of c or, outside one, with a connection on which each statement commits.
func (c Conn) writing(ctx context.Context, do func(*transaction) error) error {
	if c.tx != nil {
		return do(c.tx)
	}
	for attempt := 0; ; attempt++ {
		on, err := c.DB.Pools.Write.Conn(ctx)
		if err != nil {
			return err
		}
		err = errors.Join(do(&transaction{on, c.DB.spans}), on.Close())
		if attempt == retries || !errors.Is(err, driver.ErrBadConn) { // a connection of the pool was lost since its last use
			return err
		}
	}
}

// Exec runs one statement of a write.
func (c Conn) Exec(ctx context.Context, text string, args ...any) (affected int64, err error) {
	text, args = c.DB.Numbered(text, args)
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

// Returned runs a write that returns rows, and scans them. thing names the resource in messages.
func Returned[T any](ctx context.Context, c Conn, thing string, scan func(Rows) (T, error), text string, args ...any) (all []T, err error) {
	numbered, args := c.DB.Numbered(text, args)
	countOwn(ctx, numbered, args)
	err = c.writing(ctx, func(t *transaction) error {
		return t.query(ctx, numbered, args, func(rows Rows) (err error) {
			all, err = appendRows(nil, rows, scan)
			return err
		})
	})
	return all, c.failed(err, thing, text)
}

// ScanOne runs a write in the transaction and scans the one value that it returns.
func (c Conn) ScanOne(ctx context.Context, into any, text string, args ...any) error {
	text, args = c.DB.Numbered(text, args)
	countOwn(ctx, text, args)
	return c.tx.queryRow(ctx, into, text, args...)
}

// Do runs a write and returns the number of rows that it affected. thing names the resource in messages.
func (c Conn) Do(ctx context.Context, thing, text string, args ...any) (affected int64, err error) {
	affected, err = c.Exec(ctx, text, args...)
	return affected, c.failed(err, thing, text)
}

// Must is Do, but returns not found if the write affects no row.
func (c Conn) Must(ctx context.Context, thing, text string, args ...any) error {
	affected, err := c.Do(ctx, thing, text, args...)
	if err == nil && affected == 0 {
		err = core.NotFound(thing)
	}
	return err
}

// Note is Must with an event that it records.
func (c Conn) Note(ctx context.Context, thing string, event event.Event, text string, args ...any) error {
	return c.Change(ctx, func(ctx context.Context, c Conn) error {
		err := c.Must(ctx, thing, text, args...)
		if err == nil {
			c.Record(event)
		}
		return err
	})
}

// failed maps the error of a write.
func (c Conn) failed(err error, thing, text string) error {
	if strings.HasPrefix(text, "DELETE") {
		return c.DB.Fault(err, thing)
	}
	return c.Written(err, thing)
}

// Written maps the error of an INSERT or UPDATE. It is like Fault, except that a violated
// reference means that the row refers to a missing row.
func (c Conn) Written(err error, thing string) error {
	if err != nil && c.DB.Dialect.Fault(err) == FaultReference {
		return &core.Error{Kind: core.KindNotFound, Code: "not_found", Message: "the " + thing + " refers to a missing resource", Err: err}
	}
	return c.DB.Fault(err, thing)
}

// touched are rows with the time of their last use.
var touched = NewTable("", "id bigint", "used_at bigint")

// Touch sets the time of the last use of rows, in a column, unless a later one is there.
func (c Conn) Touch(ctx context.Context, table, column string, uses [][]any) error {
	for some := range Chunks(uses, len(touched.Columns)) {
		if _, err := c.Exec(ctx, "UPDATE "+table+" SET "+column+" = v.column2 FROM (?) AS v"+
			" WHERE "+table+".id = v.column1 AND coalesce("+table+"."+column+", 0) < v.column2", RowList{touched.Types, some}); err != nil {
			return err
		}
	}
	return nil
}

// Storable reports whether a text column can contain text. Reads by a text that is not storable
// return not found instead of an engine's error.
func Storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
