package access

// Optional is a member of a change that may also be taken away: left out, null or
// a value.
type Optional[T any] struct {
	Given bool
	Value *T // nil: null
}

// Null takes a member away.
func Null[T any]() Optional[T] { return Optional[T]{Given: true} }

// Some sets a member to value.
func Some[T any](value T) Optional[T] { return Optional[T]{Given: true, Value: &value} }
