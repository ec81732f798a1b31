package core

import (
	"slices"
	"strings"
)

const (
	maxFaults    = 100 // reported at once
	maxShownName = 200 // bytes of a name that a fault repeats
)

// Faults collects what is wrong with one input. The first hundred are kept.
type Faults struct{ List []FieldError }

// Add adds a fault; value is what is at location, nil when it is not to be repeated.
func (f *Faults) Add(location string, value any, message string) {
	if len(f.List) < maxFaults {
		f.List = append(f.List, FieldError{Location: location, Message: message, Value: value})
	}
}

// Has reports whether there is a fault at location.
func (f *Faults) Has(location string) bool {
	return slices.ContainsFunc(f.List, func(e FieldError) bool { return e.Location == location })
}

// Clip shortens a name that the caller made up.
func Clip(name string) string {
	if len(name) <= maxShownName {
		return name
	}
	return strings.ToValidUTF8(name[:maxShownName], "") + "…"
}
