package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// rows implements sqlstore.Rows. Unlike sql.Rows it needs no goroutine that waits for the end of its
// context, and takes no locks.
type rows struct {
	ctx    context.Context //nolint:containedctx // that of the query
	from   driver.Rows
	values []driver.Value
	err    error
}

func (r *rows) Next() bool {
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err == nil {
		r.err = r.from.Next(r.values)
	}
	return r.err == nil
}

func (r *rows) Err() error {
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

func (r *rows) Scan(into ...any) error {
	if len(into) != len(r.values) {
		return fmt.Errorf("sqlite: %d columns scanned into %d values", len(r.values), len(into))
	}
	for i, target := range into {
		if err := assign(target, r.values[i]); err != nil {
			return fmt.Errorf("sqlite: column %s: %w", r.from.Columns()[i], err)
		}
	}
	return nil
}

// assign stores a column in the variable that target points to. The column is nil, int64, float64,
// string or []byte.
func assign(target any, column driver.Value) error {
	switch t := target.(type) {
	case *int64:
		if n, ok := column.(int64); ok {
			*t = n
			return nil
		}
	case *string:
		if text, ok := column.(string); ok {
			*t = text
			return nil
		}
	case *[]byte:
		switch v := column.(type) {
		case nil:
			*t = nil
			return nil
		case string:
			*t = []byte(v)
			return nil
		case []byte:
			*t = v
			return nil
		}
	case *any:
		*t = column
		return nil
	case sql.Scanner:
		return t.Scan(column)
	}
	return assignKind(reflect.ValueOf(target).Elem(), column)
}

// assignKind is assign for the other types of variables.
func assignKind(target reflect.Value, column driver.Value) error {
	kind, n := target.Kind(), reflect.ValueOf(column)
	switch {
	case kind == reflect.Pointer && column == nil:
		target.SetZero()
		return nil
	case kind == reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		return assign(target.Interface(), column)
	case target.CanInt() && n.IsValid() && n.CanInt() && !target.OverflowInt(n.Int()):
		target.SetInt(n.Int())
		return nil
	case target.CanUint() && n.IsValid() && n.CanInt() && n.Int() >= 0 && !target.OverflowUint(uint64(n.Int())):
		target.SetUint(uint64(n.Int()))
		return nil
	case target.CanFloat() && n.IsValid() && n.CanFloat():
		target.SetFloat(n.Float())
		return nil
	case target.CanFloat() && n.IsValid() && n.CanInt():
		target.SetFloat(float64(n.Int()))
		return nil
	case kind == reflect.Bool && n.IsValid() && n.CanInt():
		target.SetBool(n.Int() != 0)
		return nil
	case kind == reflect.String && n.IsValid() && n.Kind() == reflect.String:
		target.SetString(n.String())
		return nil
	}
	return fmt.Errorf("a %T does not fit into a %s", column, target.Type())
}
