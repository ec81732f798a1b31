package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"reflect"
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
)

// member is a column with the part of a row that it holds.
type member struct {
	name, kind string // kind is the type in Postgres
	// of is a pointer to the part of the row, or a value that scans it and gives it; nil: another store holds the column.
	of any
	// fixed is set if updates do not change the column.
	fixed bool
}

// rows is a table whose rows are Ts. One list of columns gives its SELECT, INSERT, UPDATE and place in archives.
type rows[T any] struct {
	Table
	members  func(*T) []member
	read     string // the columns that are read
	selected string // SELECT … FROM, up to a condition
}

// rowsOf returns the table with the columns of members, in the order of archives.
func rowsOf[T any](name string, members func(*T) []member) rows[T] {
	t := rows[T]{Table: Table{Name: name}, members: members}
	var read []string
	for _, m := range members(new(T)) {
		t.Columns, t.Types = append(t.Columns, m.name), append(t.Types, m.kind)
		if m.of != nil {
			read = append(read, m.name)
		}
	}
	t.read = strings.Join(read, ", ")
	t.selected = "SELECT " + t.read + " FROM " + name
	return t
}

func (t rows[T]) scan(from Rows) (*T, error) {
	row := new(T)
	var into []any
	for _, m := range t.members(row) {
		if m.of != nil {
			into = append(into, m.of)
		}
	}
	return row, from.Scan(into...)
}

// all returns the rows that the end of the SELECT selects.
func (t rows[T]) all(ctx context.Context, c conn, end string, args ...any) ([]*T, error) {
	return collect(ctx, c, t.scan, t.selected+end, args...)
}

// one returns the row that the end of the SELECT selects. If none does, it returns not found.
func (t rows[T]) one(ctx context.Context, c conn, thing, end string, args ...any) (*T, error) {
	return single(ctx, c, thing, t.scan, t.selected+end, args...)
}

// values returns the values of a list of pointers.
func values[T any](list []*T) []T { return mapped(list, func(v *T) T { return *v }) }

// add inserts a row, sets its id and records the result of event. It returns not found if the row refers to a
// missing row.
func (c conn) add(ctx context.Context, table string, members []member, id *int64, thing string, event func() event.Event) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		text, args := assign(members, func(m member) bool { return m.name != "id" }).insert(table)
		text, args = c.db.numbered(text+" RETURNING id", args)
		countOwn(ctx, text, args)
		if err := c.tx.queryRow(ctx, id, text, args...); err != nil {
			return c.written(err, thing)
		}
		c.record(event())
		return nil
	})
}

// put updates the row that meets a condition and records event. It returns not found if no row does.
func (c conn) put(ctx context.Context, table string, members []member, thing string, event event.Event, condition string, args ...any) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		text, values := assign(members, func(m member) bool { return !m.fixed }).update(table)
		n, err := c.exec(ctx, text+" WHERE "+condition, append(values, args...)...)
		if err != nil {
			return c.written(err, thing)
		}
		if n == 0 {
			return core.NotFound(thing)
		}
		c.record(event)
		return nil
	})
}

// drop deletes the rows of a table that meet a condition and records event. It returns not found if no row does.
func (c conn) drop(ctx context.Context, table, thing string, event event.Event, condition string, args ...any) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		n, err := c.exec(ctx, "DELETE FROM "+table+" WHERE "+condition, args...)
		if err == nil && n == 0 {
			err = core.NotFound(thing)
		}
		if err != nil {
			return c.db.fault(err, thing)
		}
		c.record(event)
		return nil
	})
}

// assign returns the columns that a statement sets.
func assign(members []member, set func(member) bool) (all assigned) {
	for _, m := range members {
		if m.of == nil || !set(m) {
			continue
		}
		value := reflect.ValueOf(m.of)
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		all = append(all, assignment{m.name, value.Interface()})
	}
	return all
}

// inJSON is a part of a row that its column holds as JSON.
type inJSON[T any] struct{ v *T }

func (j inJSON[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(*j.v)
	return string(b), err
}

func (j inJSON[T]) Scan(src any) error {
	var e encoded[T]
	err := e.Scan(src)
	*j.v = e.v
	return err
}

// nullIfZero is a part of a row that is NULL in its column if it is zero.
type nullIfZero[T comparable] struct{ v *T }

func (n nullIfZero[T]) Value() (driver.Value, error) {
	return sql.Null[T]{V: *n.v, Valid: *n.v != *new(T)}.Value()
}

func (n nullIfZero[T]) Scan(src any) error {
	var found sql.Null[T]
	err := found.Scan(src)
	*n.v = found.V
	return err
}

// derived is a column for conditions that follows from other columns.
type derived struct{ v any }

func (d derived) Value() (driver.Value, error) { return d.v, nil }

func (derived) Scan(any) error { return nil }
