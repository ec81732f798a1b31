package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MaxFaults is the largest number of faults in one error.
const MaxFaults = 100

// maxShownName is the maximum length in bytes of a name in an error.
const maxShownName = 200

// maxShownValue is the maximum length in bytes of a value in an error.
const maxShownValue = 200

// Faults collects the faults of one input, so that one error can report all of them. It keeps
// the first MaxFaults faults. The zero value is ready to use. It is not safe for concurrent
// use.
type Faults struct{ List []FieldError }

// Add adds a fault at location. value is the invalid value, or nil if the response must not
// contain it because it is long or secret.
func (f *Faults) Add(location string, value any, message string) {
	if len(f.List) < MaxFaults {
		f.List = append(f.List, FieldError{Location: location, Message: message, Value: value})
	}
}

// Addf is Add with a message in the format of fmt.Sprintf.
func (f *Faults) Addf(location string, value any, format string, args ...any) {
	f.Add(location, value, fmt.Sprintf(format, args...))
}

// Has reports whether a fault has exactly that location.
func (f *Faults) Has(location string) bool {
	return slices.ContainsFunc(f.List, func(e FieldError) bool { return e.Location == location })
}

// HasField reports whether a fault is in the field with that name, or in one of its values.
func (f *Faults) HasField(name string) bool {
	at := FieldLocation(name)
	return slices.ContainsFunc(f.List, func(e FieldError) bool { return within(e.Location, at) })
}

// HasMember reports whether a fault is in the member of the input with that name.
func (f *Faults) HasMember(name string) bool {
	return slices.ContainsFunc(f.List, func(e FieldError) bool { return within(e.Location, name) })
}

// Covers reports whether a fault is at the location, around it or inside of it.
func (f *Faults) Covers(location string) bool {
	return slices.ContainsFunc(f.List, func(e FieldError) bool { return within(e.Location, location) || within(location, e.Location) })
}

// within reports whether a location is at another one or inside of it.
func within(location, of string) bool {
	rest, ok := strings.CutPrefix(location, of)
	return ok && (rest == "" || rest[0] == '[' || rest[0] == '.')
}

// Err returns all faults as one error of KindInvalid, or nil without faults.
func (f *Faults) Err() error {
	if len(f.List) == 0 {
		return nil
	}
	return Invalid(f.List...)
}

// fieldsLocation precedes the name of a field in FieldError.Location.
const fieldsLocation = "fields."

// FieldLocation returns the FieldError.Location of the field with that name.
func FieldLocation(name string) string { return fieldsLocation + name }

// LocatedField returns the name of the field that a FieldError.Location is in, or "".
func LocatedField(location string) string {
	name, in := strings.CutPrefix(location, fieldsLocation)
	if !in {
		return ""
	}
	if end := strings.IndexAny(name, "[."); end >= 0 {
		name = name[:end]
	}
	return name
}

// Shown returns raw, a value of f, for use as FieldError.Value, or nil if f is secret or Shown
// returns nil.
func (f *Field) Shown(raw json.RawMessage) any {
	if f.Secret() {
		return nil
	}
	return Shown(raw)
}

// Shown returns an input value for use as FieldError.Value. It returns nil if the value is longer
// than 200 bytes or a client could not decode it, like a number that does not fit a double.
func Shown(raw json.RawMessage) any {
	var decoded any
	if len(raw) > maxShownValue || json.Unmarshal(raw, &decoded) != nil {
		return nil
	}
	return raw
}

// Clip shortens a text from the client to at most 200 bytes, for use in an error or a list.
func Clip(name string) string {
	if len(name) <= maxShownName {
		return name
	}
	return strings.ToValidUTF8(name[:maxShownName], "") + "…"
}
