package rest

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
)

// optional is a core.Optional that a request body and the OpenAPI document can have.
type optional[T any] struct{ core.Optional[T] }

// nullable is a member of a body that may be null, and knows that it was.
type nullable interface {
	// give notes that the member was given, and returns where to read its value into:
	// nil when it is null.
	give(null bool) any
}

func (o *optional[T]) give(null bool) any {
	o.Given = true
	if null {
		return nil
	}
	o.Value = new(T)
	return o.Value
}

// orZero returns the value that was given, which null makes the zero one; nil when the
// member was left out.
func (o optional[T]) orZero() *T {
	if o.Given && o.Value == nil {
		return new(T)
	}
	return o.Value
}

// Schema documents the member as a T or null.
func (optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	s.Nullable = s.Type != "" // without a type it may be anything, null included
	return &s
}

// stamp returns t as answers show times; nil for none.
func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := core.FormatTime(t)
	return &text
}

// idOrNull returns id, or nil for none.
func idOrNull(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// each returns f of every element, never nil, so that JSON shows a list.
func each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, element := range list {
		out[i] = f(element)
	}
	return out
}
