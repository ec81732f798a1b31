package memory

import (
	"reflect"
	"sync"
)

// clone returns a copy of value that shares nothing with it, save for unexported members.
func clone[T any](value T) T {
	deepen(reflect.ValueOf(&value).Elem())
	return value
}

// copied is clone without a type.
func copied(value any) any {
	t := reflect.TypeOf(value)
	if clonerOf(t) == nil {
		return value
	}
	v := reflect.New(t).Elem()
	v.Set(reflect.ValueOf(value))
	deepen(v)
	return v.Interface()
}

// cloner replaces what a value refers to by copies. It is nil for a type without references.
type cloner func(reflect.Value)

// cloners has the cloner of each type that was copied.
var cloners sync.Map

func clonerOf(t reflect.Type) cloner {
	if known, ok := cloners.Load(t); ok {
		return known.(cloner)
	}
	made := newCloner(t)
	cloners.Store(t, made)
	return made
}

func newCloner(t reflect.Type) cloner {
	switch t.Kind() {
	case reflect.Pointer:
		return func(v reflect.Value) {
			if !v.IsNil() {
				target := reflect.New(t.Elem())
				target.Elem().Set(v.Elem())
				deepen(target.Elem())
				v.Set(target)
			}
		}
	case reflect.Slice:
		return func(v reflect.Value) {
			if v.IsNil() {
				return
			}
			elements := reflect.MakeSlice(t, v.Len(), v.Len())
			reflect.Copy(elements, v)
			if clonerOf(t.Elem()) != nil {
				for i := range elements.Len() {
					deepen(elements.Index(i))
				}
			}
			v.Set(elements)
		}
	case reflect.Map:
		return func(v reflect.Value) {
			if v.IsNil() {
				return
			}
			entries := reflect.MakeMapWithSize(t, v.Len())
			for key, value := range v.Seq2() {
				entry := reflect.New(t.Elem()).Elem()
				entry.Set(value)
				deepen(entry)
				entries.SetMapIndex(key, entry)
			}
			v.Set(entries)
		}
	case reflect.Struct:
		return structCloner(t)
	default:
		return nil
	}
}

func structCloner(t reflect.Type) cloner {
	var members []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && clonerOf(f.Type) != nil {
			members = append(members, i)
		}
	}
	if members == nil {
		return nil
	}
	return func(v reflect.Value) {
		for _, i := range members {
			deepen(v.Field(i))
		}
	}
}

// deepen replaces what v refers to by copies.
func deepen(v reflect.Value) {
	if c := clonerOf(v.Type()); c != nil {
		c(v)
	}
}
