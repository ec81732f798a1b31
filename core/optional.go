package core

// Optional is a member of a change. It has three states: absent (Given is false; the member
// does not change), null (the member is removed) and a value (the member is set to it).
type Optional[T any] struct {
	Given bool
	Value *T // nil: null
}

// Null returns the Optional that removes a member.
func Null[T any]() Optional[T] { return Optional[T]{Given: true} }

// Some returns the Optional that sets a member to value.
func Some[T any](value T) Optional[T] { return Optional[T]{Given: true, Value: &value} }

// AssignTo sets *to to the value, or to the zero value for null. It leaves *to unchanged for an
// absent member.
func (o Optional[T]) AssignTo(to *T) {
	switch {
	case o.Value != nil:
		*to = *o.Value
	case o.Given:
		*to = *new(T)
	}
}

// Assign sets *to to *value, unless value is nil.
func Assign[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// NullIfZero returns a pointer to value, or nil for the zero value.
func NullIfZero[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}
