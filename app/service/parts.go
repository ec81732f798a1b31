package service

import "reflect"

// filled returns a constructor of the struct T for fx: its parameters are the fields of T, in
// their order. A struct of parts is thus written once, in the package that uses it.
func filled[T any]() any {
	target := reflect.TypeFor[T]()
	parameters := make([]reflect.Type, target.NumField())
	for i := range parameters {
		parameters[i] = target.Field(i).Type
	}
	constructor := reflect.FuncOf(parameters, []reflect.Type{target}, false)
	return reflect.MakeFunc(constructor, func(parts []reflect.Value) []reflect.Value {
		value := reflect.New(target).Elem()
		for i, part := range parts {
			value.Field(i).Set(part)
		}
		return []reflect.Value{value}
	}).Interface()
}
