package jsonbody

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

// Decode decodes the JSON body raw into the struct that into points to. Member names must match
// exactly. Decode reports all unknown members and values of the wrong type together, as one
// KindInvalid error with their locations. A name that differs only in case, and JSON that scan
// rejects, is a KindBadRequest error. null is a value of the wrong type, except for members of
// type wire.Optional, and for members with the tag nullable:"true", where null means omitted.
func Decode(raw []byte, into any) error {
	if err := scan(raw); err != nil {
		return err
	}
	d := decoder{}
	if err := d.value(raw, reflect.ValueOf(into).Elem(), ""); err != nil {
		return err
	}
	return d.faults.Err()
}

type decoder struct{ faults core.Faults }

var unmarshalerType = reflect.TypeFor[json.Unmarshaler]()

func (d *decoder) value(raw json.RawMessage, v reflect.Value, path string) error {
	if member, ok := v.Addr().Interface().(nullable); ok {
		value := member.Set(isNull(raw))
		if isNull(raw) {
			return nil
		}
		return d.value(raw, reflect.ValueOf(value).Elem(), path)
	}
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage](): // any JSON value
	case isNull(raw):
		d.fault(path, "must not be null")
		return nil
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(raw, v.Elem(), path)
	case v.Addr().Type().Implements(unmarshalerType):
	case v.Kind() == reflect.Struct:
		return d.object(raw, v, path)
	case v.Kind() == reflect.Slice:
		return d.list(raw, v, path)
	case v.Kind() == reflect.Map:
		return d.mapping(raw, v, path)
	}
	var inside *core.Error
	if err := json.Unmarshal(raw, v.Addr().Interface()); errors.As(err, &inside) {
		for _, f := range inside.Fields {
			d.fault(path+"."+f.Location, f.Message)
		}
	} else if err != nil {
		d.fault(path, expectation(v))
	} else if _, exact := fieldtype.ExactNumber(string(bytes.TrimSpace(raw))); v.Kind() == reflect.Float64 && !exact {
		d.fault(path, "must be a number that a 64-bit double holds exactly")
	} else if at, ok := v.Interface().(time.Time); ok && at.IsZero() {
		d.fault(path, "must be later than "+core.FormatTime(at)) // the zero time means none
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

func (d *decoder) object(raw json.RawMessage, v reflect.Value, path string) error {
	var members map[string]json.RawMessage
	if !decodes(raw, &members) {
		d.fault(path, "must be an object")
		return nil
	}
	fields := memberFields(v.Type())
	mayBeNull := func(index int) bool { return v.Type().Field(index).Tag.Get("nullable") == "true" }
	for _, name := range sortedNames(members) {
		place := name
		if path != "" {
			place = path + "." + name
		}
		index, known := fields[name]
		if !known {
			if other := inOtherCase(fields, name); other != "" {
				return malformed("member %s must be written %s", core.Clip(place), other)
			}
			d.fault(place, "is not a known member")
			continue
		}
		if isNull(members[name]) && mayBeNull(index) {
			continue
		}
		if err := d.value(members[name], v.Field(index), place); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) list(raw json.RawMessage, v reflect.Value, path string) error {
	var elements []json.RawMessage
	if !decodes(raw, &elements) {
		d.fault(path, expectation(v))
		return nil
	}
	v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
	for i, element := range elements {
		if err := d.value(element, v.Index(i), path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) mapping(raw json.RawMessage, v reflect.Value, path string) error {
	var members map[string]json.RawMessage
	if !decodes(raw, &members) {
		d.fault(path, expectation(v))
		return nil
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(members)))
	for _, name := range sortedNames(members) {
		value := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(members[name], value, path+"."+name); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name), value)
	}
	return nil
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// decodes reports whether raw can be decoded into the value that into points to.
func decodes(raw []byte, into any) bool { return json.Unmarshal(raw, into) == nil }

func (d *decoder) fault(path, message string) {
	if path == "" {
		path = "body"
	}
	d.faults.Add(core.Clip(path), nil, message)
}

// memberFields maps the JSON names of the fields of a struct to their indexes.
func memberFields(t reflect.Type) map[string]int {
	fields := map[string]int{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			fields[name] = i
		}
	}
	return fields
}

// inOtherCase returns the known name that differs from name only in case, or "".
func inOtherCase(fields map[string]int, name string) string {
	for known := range fields {
		if strings.EqualFold(known, name) {
			return known
		}
	}
	return ""
}

// expectations describe the JSON that the kinds of Go types accept, as fault messages.
var expectations = map[reflect.Kind]string{
	reflect.String: "must be a string", reflect.Bool: "must be true or false",
	reflect.Int: "must be a whole number", reflect.Int64: "must be a whole number", reflect.Float64: "must be a number",
	reflect.Slice: "must be a list", reflect.Map: "must be an object",
}

// expectation describes the JSON that v accepts.
func expectation(v reflect.Value) string {
	if known, ok := v.Interface().(interface{ Expectation() string }); ok {
		return known.Expectation()
	}
	switch t := v.Type(); {
	case t == reflect.TypeFor[time.Time]():
		return "must be a time like 2026-01-02T15:04:05.000Z"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return "must be a list of strings"
	default:
		return cmp.Or(expectations[t.Kind()], "has the wrong type")
	}
}

// nullable is a member of a body that distinguishes null from an omitted member: wire.Optional.
type nullable interface{ Set(null bool) any }
