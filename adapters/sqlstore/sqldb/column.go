package sqldb

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// Instant is a time column: milliseconds since 1970, or NULL for the zero time.
type Instant time.Time

// Value implements driver.Valuer.
func (i Instant) Value() (driver.Value, error) {
	if time.Time(i).IsZero() {
		return nil, nil
	}
	return time.Time(i).UnixMilli(), nil
}

// Scan implements sql.Scanner.
func (i *Instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = Instant{}
	case int64:
		*i = Instant(time.UnixMilli(v).UTC())
	default:
		return fmt.Errorf("unexpected type %T of a time column", src)
	}
	return nil
}

// Encoded is a value in a text column, encoded as JSON.
type Encoded[T any] struct{ V T }

// Encode returns a value that its column has as JSON.
func Encode[T any](v T) Encoded[T] { return Encoded[T]{v} }

// Value implements driver.Valuer.
func (e Encoded[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(e.V)
	return string(b), err
}

// Scan implements sql.Scanner.
func (e *Encoded[T]) Scan(src any) error {
	e.V = *new(T)
	switch v := src.(type) {
	case nil: // a column that a migration added
		return nil
	case string:
		return json.Unmarshal([]byte(v), &e.V)
	case []byte:
		return json.Unmarshal(v, &e.V)
	default:
		return fmt.Errorf("unexpected type %T of a JSON column", src)
	}
}
