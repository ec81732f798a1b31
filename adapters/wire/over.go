package wire

import (
	"fmt"
	"reflect"
)

// Over returns a function that changes the members of a T that the body of a PATCH contains: those whose
// pointer is not nil, and each Optional that is given; null is the zero value. Members of body and T have the
// same Go names. A member of body with the tag over:"-" is for the caller.
func Over[T any](body any) func(*T) { return func(to *T) { over(body, to) } }

func over(body, to any) {
	from, into := reflect.ValueOf(body), reflect.ValueOf(to).Elem()
	for i := range from.NumField() {
		field := from.Type().Field(i)
		if field.Tag.Get("over") == "-" {
			continue
		}
		target := into.FieldByName(field.Name)
		if !target.IsValid() {
			panic(fmt.Sprintf("wire: %s has no member %s", into.Type(), field.Name))
		}
		value := from.Field(i)
		given := value.Kind() != reflect.Pointer || !value.IsNil()
		if member, optional := value.Interface().(interface{ member() (any, bool) }); optional {
			var pointer any
			pointer, given = member.member()
			value = reflect.ValueOf(pointer)
		}
		switch {
		case !given:
		case value.Type() == target.Type():
			target.Set(value)
		case value.IsNil():
			target.SetZero()
		default:
			target.Set(value.Elem().Convert(target.Type()))
		}
	}
}

// member returns the pointer to the value, and whether the body contains the member.
func (o Optional[T]) member() (pointer any, given bool) { return o.Value, o.Given }
