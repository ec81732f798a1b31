package wire

import (
	"fmt"
	"reflect"
)

// Over returns a function that changes the members of a T that the body of a PATCH contains: those whose
// pointer is not nil, and each Optional that is given; null is the zero value, unless the member of T is a
// core.Optional. Members of body and T have the same Go names. A member of body with the tag over:"-" is for the caller.
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
		if member, optional := value.Interface().(interface{ inCore() any }); optional {
			value = reflect.ValueOf(member.inCore())
			if value.Type() != target.Type() {
				given, value = value.FieldByName("Given").Bool(), value.FieldByName("Value")
			}
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

// inCore returns the member as core has it.
func (o Optional[T]) inCore() any { return o.Optional }
