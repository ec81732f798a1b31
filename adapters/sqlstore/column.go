package sqlstore

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// instant is a time column: milliseconds since 1970, or NULL for the zero time.
type instant time.Time

func (i instant) Value() (driver.Value, error) {
	if time.Time(i).IsZero() {
		return nil, nil
	}
	return time.Time(i).UnixMilli(), nil
}

func (i *instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = instant{}
	case int64:
		*i = instant(time.UnixMilli(v).UTC())
	default:
		return fmt.Errorf("unexpected type %T of a time column", src)
	}
	return nil
}

// encoded is a value in a text column, encoded as JSON.
type encoded[T any] struct{ v T }

// Encode returns a value that its column has as JSON.
func Encode[T any](v T) encoded[T] { return encoded[T]{v} }

func (e encoded[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(e.v)
	return string(b), err
}

func (e *encoded[T]) Scan(src any) error {
	e.v = *new(T)
	switch v := src.(type) {
	case nil: // a column that a migration added
		return nil
	case string:
		return json.Unmarshal([]byte(v), &e.v)
	case []byte:
		return json.Unmarshal(v, &e.v)
	default:
		return fmt.Errorf("unexpected type %T of a JSON column", src)
	}
}
