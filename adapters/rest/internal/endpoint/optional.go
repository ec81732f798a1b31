package endpoint

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
)

// Optional is a core.Optional that a request body and the OpenAPI document can have.
type Optional[T any] struct{ core.Optional[T] }

// nullable is a member of a body that accepts null and records it.
type nullable interface {
	// give records that the member is present. It returns the pointer for decoding the
	// value, or nil for null.
	give(null bool) any
}

func (o *Optional[T]) give(null bool) any {
	o.Given = true
	if null {
		return nil
	}
	o.Value = new(T)
	return o.Value
}

// OrZero returns the value, a pointer to the zero value for null, or nil when the member
// was omitted.
func (o Optional[T]) OrZero() *T {
	if o.Given && o.Value == nil {
		return new(T)
	}
	return o.Value
}

// Schema documents the member as a T or null.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	s.Nullable = s.Type != "" // a schema without type already allows null
	return &s
}

// Stamp returns t formatted for responses, or nil for the zero time.
func Stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := core.FormatTime(t)
	return &text
}

// IDOrNull returns a pointer to id, or nil for 0.
func IDOrNull(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Each returns f of every element. The result is never nil, so that its JSON is a list.
func Each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, element := range list {
		out[i] = f(element)
	}
	return out
}
