package sqldb

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

// Column is a column with the part of a row that it holds.
type Column struct {
	Name, Kind string // kind is the type in Postgres, of columns that are in archives or in a rowList
	// of is a pointer to the part of the row, or a value that scans it and gives it; nil: another store holds the column.
	Of any
	// fixed is set if updates do not change the column.
	Fixed bool
}

// isRead reports whether the column is read.
func (m Column) isRead() bool {
	_, follows := m.Of.(Derived)
	return m.Of != nil && !follows
}

// value returns the value of the column.
func (m Column) value() any {
	value := reflect.ValueOf(m.Of)
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return value.Interface()
}

// TableOf is a table whose rows are Ts. One list of columns gives its SELECT, INSERT, UPDATE and place in archives.
type TableOf[T any] struct {
	Table
	Thing    string // names a row in messages
	members  func(*T) []Column
	Read     string // the columns that are read
	Selected string // SELECT … FROM, up to a condition
}

// NewTableOf returns the table with the columns of members, in the order of archives.
func NewTableOf[T any](name, thing string, members func(*T) []Column) *TableOf[T] {
	t := &TableOf[T]{Table: Table{Name: name}, Thing: thing, members: members}
	for _, m := range members(new(T)) {
		t.Columns, t.Types = append(t.Columns, m.Name), append(t.Types, m.Kind)
	}
	t.Read = t.Listed("")
	t.Selected = "SELECT " + t.Read + " FROM " + name
	return t
}

// Listed returns the columns that are read, each after a prefix such as "t.".
func (t *TableOf[T]) Listed(prefix string) string {
	var read []string
	for _, m := range t.members(new(T)) {
		if m.isRead() {
			read = append(read, prefix+m.Name)
		}
	}
	return strings.Join(read, ", ")
}

// Without returns the table without some of its columns.
func (t *TableOf[T]) Without(columns ...string) Table {
	rest := Table{Name: t.Name}
	for i, column := range t.Columns {
		if !slices.Contains(columns, column) {
			rest.Columns, rest.Types = append(rest.Columns, column), append(rest.Types, t.Types[i])
		}
	}
	return rest
}

// ScanInto scans the columns that are read, and more that follow them.
func (t *TableOf[T]) ScanInto(from Rows, row *T, more ...any) error {
	into := make([]any, 0, len(t.Columns)+len(more))
	for _, m := range t.members(row) {
		if m.isRead() {
			into = append(into, m.Of)
		}
	}
	return from.Scan(append(into, more...)...)
}

// Scan scans the columns that are read.
func (t *TableOf[T]) Scan(from Rows) (row T, err error) {
	err = t.ScanInto(from, &row)
	return row, err
}

// ScanNew is Scan for rows that have pointers.
func (t *TableOf[T]) ScanNew(from Rows) (*T, error) {
	row := new(T)
	return row, t.ScanInto(from, row)
}

// All returns the rows that the end of the SELECT selects.
func (t *TableOf[T]) All(ctx context.Context, c Conn, end string, args ...any) ([]T, error) {
	return Collect(ctx, c, t.Scan, t.Selected+end, args...)
}

// One returns the row that the end of the SELECT selects. If none does, it returns not found.
func (t *TableOf[T]) One(ctx context.Context, c Conn, end string, args ...any) (T, error) {
	return Single(ctx, c, t.Thing, t.Scan, t.Selected+end, args...)
}

// AllNew is All for rows that have pointers.
func (t *TableOf[T]) AllNew(ctx context.Context, c Conn, end string, args ...any) ([]*T, error) {
	return Collect(ctx, c, t.ScanNew, t.Selected+end, args...)
}

// OneNew is One for rows that have pointers.
func (t *TableOf[T]) OneNew(ctx context.Context, c Conn, end string, args ...any) (*T, error) {
	return Single(ctx, c, t.Thing, t.ScanNew, t.Selected+end, args...)
}

// Changed runs a write and returns the rows that it has changed.
func (t *TableOf[T]) Changed(ctx context.Context, c Conn, text string, args ...any) ([]T, error) {
	return Returned(ctx, c, t.Thing, t.Scan, text+" RETURNING "+t.Read, args...)
}

// Set returns some columns with their values in a row, or those that are not fixed.
func (t *TableOf[T]) Set(row *T, columns ...string) (all Assigned) {
	for _, m := range t.members(row) {
		if m.Of != nil && (len(columns) > 0 && slices.Contains(columns, m.Name) || len(columns) == 0 && !m.Fixed) {
			all = append(all, assignment{m.Name, m.value()})
		}
	}
	return all
}

// Values returns the values of some columns in rows.
func (t *TableOf[T]) Values(list []*T, columns []string) [][]any {
	return Mapped(list, func(row *T) []any { return Mapped(t.Set(row, columns...), func(a assignment) any { return a.Value }) })
}

// Insert returns an INSERT of a row, without the id that the database gives it, and its arguments.
func (t *TableOf[T]) Insert(row *T) (text string, args []any) {
	var all Assigned
	for _, m := range t.members(row) {
		if m.Of != nil && m.Name != "id" {
			all = append(all, assignment{m.Name, m.value()})
		}
	}
	return all.Insert(t.Name)
}

// Add inserts a row, sets its id and records the result of event. It returns not found if the row refers to a
// missing row.
func (t *TableOf[T]) Add(ctx context.Context, c Conn, row *T, id *int64, event func() event.Event) error {
	return c.Change(ctx, func(ctx context.Context, c Conn) error {
		text, args := t.Insert(row)
		given, err := Returned(ctx, c, t.Thing, ScanValue[int64], text+" RETURNING id", args...)
		if err != nil {
			return err
		}
		*id = given[0]
		c.Record(event())
		return nil
	})
}

// Put updates the row that meets a condition and records an event. It returns not found if no row does.
func (t *TableOf[T]) Put(ctx context.Context, c Conn, row *T, event event.Event, condition string, args ...any) error {
	text, values := t.Set(row).Update(t.Name)
	return c.Note(ctx, t.Thing, event, text+" WHERE "+condition, append(values, args...)...)
}

// Drop deletes the rows that meet a condition and records an event. It returns not found if no row does.
func (t *TableOf[T]) Drop(ctx context.Context, c Conn, event event.Event, condition string, args ...any) error {
	return c.Note(ctx, t.Thing, event, "DELETE FROM "+t.Name+" WHERE "+condition, args...)
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

func (j inJSON[T]) Value() (driver.Value, error) { return Encoded[T]{*j.v}.Value() }

func (j inJSON[T]) Scan(src any) error {
	var e Encoded[T]
	err := e.Scan(src)
	*j.v = e.V
	return err
}

// asJSON is inJSON in another form.
type asJSON[T any] struct {
	get func() T
	set func(T)
}

func (j asJSON[T]) Value() (driver.Value, error) { return Encoded[T]{j.get()}.Value() }

func (j asJSON[T]) Scan(src any) error {
	var e Encoded[T]
	err := e.Scan(src)
	j.set(e.V)
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

// Period is a time span in milliseconds.
type Period time.Duration

// Value implements driver.Valuer.
func (p Period) Value() (driver.Value, error) { return time.Duration(p).Milliseconds(), nil }

// Scan implements sql.Scanner.
func (p *Period) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("unexpected type %T of a time span", src)
	}
	*p = Period(time.Duration(n) * time.Millisecond)
	return nil
}

// Derived is a column for conditions that follows from other columns.
type Derived func() any

// Value implements driver.Valuer.
func (d Derived) Value() (driver.Value, error) {
	return driver.DefaultParameterConverter.ConvertValue(d())
}
