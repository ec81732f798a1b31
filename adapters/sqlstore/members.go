package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"imprimatur/core/event"
)

// member is a column with the part of a row that it holds.
type member struct {
	name, kind string // kind is the type in Postgres, of columns that are in archives or in a rowList
	// of is a pointer to the part of the row, or a value that scans it and gives it; nil: another store holds the column.
	of any
	// fixed is set if updates do not change the column.
	fixed bool
}

// isRead reports whether the column is read.
func (m member) isRead() bool {
	_, follows := m.of.(derived)
	return m.of != nil && !follows
}

// value returns the value of the column.
func (m member) value() any {
	value := reflect.ValueOf(m.of)
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return value.Interface()
}

// rows is a table whose rows are Ts. One list of columns gives its SELECT, INSERT, UPDATE and place in archives.
type rows[T any] struct {
	Table
	thing    string // names a row in messages
	members  func(*T) []member
	read     string // the columns that are read
	selected string // SELECT … FROM, up to a condition
}

// rowsOf returns the table with the columns of members, in the order of archives.
func rowsOf[T any](name, thing string, members func(*T) []member) *rows[T] {
	t := &rows[T]{Table: Table{Name: name}, thing: thing, members: members}
	for _, m := range members(new(T)) {
		t.Columns, t.Types = append(t.Columns, m.name), append(t.Types, m.kind)
	}
	t.read = t.columns("")
	t.selected = "SELECT " + t.read + " FROM " + name
	return t
}

// columns returns the columns that are read, each after a prefix such as "t.".
func (t *rows[T]) columns(prefix string) string {
	var read []string
	for _, m := range t.members(new(T)) {
		if m.isRead() {
			read = append(read, prefix+m.name)
		}
	}
	return strings.Join(read, ", ")
}

// without returns the table without some of its columns.
func (t *rows[T]) without(columns ...string) Table {
	rest := Table{Name: t.Name}
	for i, column := range t.Columns {
		if !slices.Contains(columns, column) {
			rest.Columns, rest.Types = append(rest.Columns, column), append(rest.Types, t.Types[i])
		}
	}
	return rest
}

// scanInto scans the columns that are read, and more that follow them.
func (t *rows[T]) scanInto(from Rows, row *T, more ...any) error {
	into := make([]any, 0, len(t.Columns)+len(more))
	for _, m := range t.members(row) {
		if m.isRead() {
			into = append(into, m.of)
		}
	}
	return from.Scan(append(into, more...)...)
}

func (t *rows[T]) scan(from Rows) (row T, err error) {
	err = t.scanInto(from, &row)
	return row, err
}

// scanNew is scan for rows that have pointers.
func (t *rows[T]) scanNew(from Rows) (*T, error) {
	row := new(T)
	return row, t.scanInto(from, row)
}

// all returns the rows that the end of the SELECT selects.
func (t *rows[T]) all(ctx context.Context, c conn, end string, args ...any) ([]T, error) {
	return collect(ctx, c, t.scan, t.selected+end, args...)
}

// one returns the row that the end of the SELECT selects. If none does, it returns not found.
func (t *rows[T]) one(ctx context.Context, c conn, end string, args ...any) (T, error) {
	return single(ctx, c, t.thing, t.scan, t.selected+end, args...)
}

// allNew is all for rows that have pointers.
func (t *rows[T]) allNew(ctx context.Context, c conn, end string, args ...any) ([]*T, error) {
	return collect(ctx, c, t.scanNew, t.selected+end, args...)
}

// oneNew is one for rows that have pointers.
func (t *rows[T]) oneNew(ctx context.Context, c conn, end string, args ...any) (*T, error) {
	return single(ctx, c, t.thing, t.scanNew, t.selected+end, args...)
}

// changed runs a write and returns the rows that it has changed.
func (t *rows[T]) changed(ctx context.Context, c conn, text string, args ...any) ([]T, error) {
	return returned(ctx, c, t.thing, t.scan, text+" RETURNING "+t.read, args...)
}

// set returns some columns with their values in a row, or those that are not fixed.
func (t *rows[T]) set(row *T, columns ...string) (all assigned) {
	for _, m := range t.members(row) {
		if m.of != nil && (len(columns) > 0 && slices.Contains(columns, m.name) || len(columns) == 0 && !m.fixed) {
			all = append(all, assignment{m.name, m.value()})
		}
	}
	return all
}

// values returns the values of some columns in rows.
func (t *rows[T]) values(list []*T, columns []string) [][]any {
	return mapped(list, func(row *T) []any { return mapped(t.set(row, columns...), func(a assignment) any { return a.value }) })
}

// insert returns an INSERT of a row, without the id that the database gives it, and its arguments.
func (t *rows[T]) insert(row *T) (text string, args []any) {
	var all assigned
	for _, m := range t.members(row) {
		if m.of != nil && m.name != "id" {
			all = append(all, assignment{m.name, m.value()})
		}
	}
	return all.insert(t.Name)
}

// add inserts a row, sets its id and records the result of event. It returns not found if the row refers to a
// missing row.
func (t *rows[T]) add(ctx context.Context, c conn, row *T, id *int64, event func() event.Event) error {
	return c.change(ctx, func(ctx context.Context, c conn) error {
		text, args := t.insert(row)
		given, err := returned(ctx, c, t.thing, scanValue[int64], text+" RETURNING id", args...)
		if err != nil {
			return err
		}
		*id = given[0]
		c.record(event())
		return nil
	})
}

// put updates the row that meets a condition and records an event. It returns not found if no row does.
func (t *rows[T]) put(ctx context.Context, c conn, row *T, event event.Event, condition string, args ...any) error {
	text, values := t.set(row).update(t.Name)
	return c.note(ctx, t.thing, event, text+" WHERE "+condition, append(values, args...)...)
}

// drop deletes the rows that meet a condition and records an event. It returns not found if no row does.
func (t *rows[T]) drop(ctx context.Context, c conn, event event.Event, condition string, args ...any) error {
	return c.note(ctx, t.thing, event, "DELETE FROM "+t.Name+" WHERE "+condition, args...)
}

// InJSON returns a part of a row that its column holds as JSON.
func InJSON[T any](v *T) any { return inJSON[T]{v} }

// AsJSON is InJSON of a part in another form.
func AsJSON[T any](get func() T, set func(T)) any { return asJSON[T]{get, set} }

// ListInJSON is InJSON of a list that is never null.
func ListInJSON[T any](v *[]T) any {
	return asJSON[[]T]{func() []T { return append([]T{}, *v...) }, func(stored []T) { *v = stored }}
}

// NullJSON is InJSON of a pointer or a list, nil if its column is NULL.
func NullJSON[T any](v *T) any { return nullJSON[T]{v} }

// NullIfZero returns a part of a row that is NULL in its column if it is zero.
func NullIfZero[T comparable](v *T) any { return nullIfZero[T]{v} }

// Octets returns an array of bytes.
func Octets(v []byte) any { return octets{v} }

// inJSON is a part of a row that its column holds as JSON.
type inJSON[T any] struct{ v *T }

func (j inJSON[T]) Value() (driver.Value, error) { return encoded[T]{*j.v}.Value() }

func (j inJSON[T]) Scan(src any) error {
	var e encoded[T]
	err := e.Scan(src)
	*j.v = e.v
	return err
}

// asJSON is inJSON in another form.
type asJSON[T any] struct {
	get func() T
	set func(T)
}

func (j asJSON[T]) Value() (driver.Value, error) { return encoded[T]{j.get()}.Value() }

func (j asJSON[T]) Scan(src any) error {
	var e encoded[T]
	err := e.Scan(src)
	j.set(e.v)
	return err
}

// nullJSON is inJSON of a pointer or a list, nil if its column is NULL.
type nullJSON[T any] struct{ v *T }

func (j nullJSON[T]) Value() (driver.Value, error) {
	if reflect.ValueOf(*j.v).IsNil() {
		return nil, nil
	}
	return inJSON[T](j).Value()
}

func (j nullJSON[T]) Scan(src any) error { return inJSON[T](j).Scan(src) }

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

// octets is an array of bytes.
type octets struct{ v []byte }

func (o octets) Value() (driver.Value, error) { return o.v, nil }

func (o octets) Scan(src any) error {
	stored, ok := src.([]byte)
	if !ok || len(stored) != len(o.v) {
		return errors.New("a column does not have the length of a hash or an id")
	}
	copy(o.v, stored)
	return nil
}

// period is a time span in milliseconds.
type period time.Duration

func (p period) Value() (driver.Value, error) { return time.Duration(p).Milliseconds(), nil }

func (p *period) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("unexpected type %T of a time span", src)
	}
	*p = period(time.Duration(n) * time.Millisecond)
	return nil
}

// derived is a column for conditions that follows from other columns.
type derived func() any

func (d derived) Value() (driver.Value, error) {
	return driver.DefaultParameterConverter.ConvertValue(d())
}
