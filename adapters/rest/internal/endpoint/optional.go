package endpoint

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
)

// Optional is a core.Optional for members of request bodies: Decode fills it, and the OpenAPI
// document describes it.
type Optional[T any] struct{ core.Optional[T] }

// nullable is a member of a body that distinguishes null from an omitted member.
type nullable interface {
	// set records that the member is present. It returns nil for null, and otherwise the
	// pointer to decode the value into.
	set(null bool) any
}

func (o *Optional[T]) set(null bool) any {
	o.Given = true
	if null {
		return nil
	}
	o.Value = new(T)
	return o.Value
}

// OrZero returns the value, or a pointer to the zero value for null, or nil if the member was
// omitted.
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
	if s.Enum != nil {
		s.Enum = append(slices.Clone(s.Enum), nil)
	}
	return &s
}

// TimeOrNull returns t formatted for responses, or nil for the zero time.
func TimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(core.FormatTime(t))
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Each returns the results of f for all elements. It is never nil, so that its JSON is a list.
func Each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, element := range list {
		out[i] = f(element)
	}
	return out
}
