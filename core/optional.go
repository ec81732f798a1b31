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
