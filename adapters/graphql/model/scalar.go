package model

import (
	"errors"
	"io"
	"strconv"
	"time"

	"imprimatur/core"
)

// ID is an identifier: a positive integer, written as a string.
type ID int64

// Append appends the id as JSON.
func (id ID) Append(b []byte) []byte {
	return append(strconv.AppendInt(append(b, '"'), int64(id), 10), '"')
}

// MarshalGQL writes the id.
func (id ID) MarshalGQL(w io.Writer) { _, _ = w.Write(id.Append(nil)) }

// UnmarshalGQL returns an error: no argument is an ID.
func (*ID) UnmarshalGQL(any) error { return errOutputOnly }

// DateTime is a moment: RFC 3339 in UTC with milliseconds, "2026-11-20T21:04:05.000Z".
type DateTime time.Time

// NewDateTime returns the moment at t, or nil when it is zero.
func NewDateTime(t *time.Time) *DateTime {
	if t.IsZero() {
		return nil
	}
	return (*DateTime)(t)
}

// Append appends the moment as JSON.
func (t DateTime) Append(b []byte) []byte {
	return append(core.AppendTime(append(b, '"'), time.Time(t)), '"')
}

// MarshalGQL writes the moment.
func (t DateTime) MarshalGQL(w io.Writer) { _, _ = w.Write(t.Append(nil)) }

// UnmarshalGQL returns an error: no argument is a DateTime.
func (*DateTime) UnmarshalGQL(any) error { return errOutputOnly }

// JSONObject is a JSON object in results, and any JSON value in arguments.
type JSONObject struct {
	// Raw is the encoded object of a result.
	Raw []byte
	// Value is the decoded argument: nil, string, bool, json.Number, int64, float64,
	// []any or map[string]any.
	Value any
}

// MarshalGQL writes the object's bytes.
func (o JSONObject) MarshalGQL(w io.Writer) { _, _ = w.Write(o.Raw) }

// UnmarshalGQL takes any value.
func (o *JSONObject) UnmarshalGQL(value any) error {
	o.Value = value
	return nil
}

var errOutputOnly = errors.New("this type is never an argument")
