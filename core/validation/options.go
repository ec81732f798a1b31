package validation

import (
	"encoding/json"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// Document returns the faults that prevent the publication of a document of c, in the order
// of the fields. The references in values must have targets, see ports.Targets. It leaves out the
// fields that skip selects; nil selects none.
func Document(c *core.Collection, values map[string]json.RawMessage, skip func(f *core.Field) bool) core.Faults {
	var found core.Faults
	for _, f := range c.Fields {
		if skip == nil || !skip(f) {
			Field(f, values[f.Name], &found)
		}
	}
	return found
}

// Field adds each option of f that its canonical value does not meet to found. nil means no
// value. It skips secret values: canonicalValue has checked them, and the stored hash cannot be
// checked.
func Field(f *core.Field, value json.RawMessage, found *core.Faults) {
	location := core.FieldLocation(f.Name)
	switch {
	case f.Required && Missing(value):
		found.Add(location, nil, "is required")
	case value == nil, fieldtype.Of(f.Type).Secret:
	case !f.Multiple:
		elementFault(f, location, value, found)
	default:
		n, before := 0, len(found.List)
		canonical.Elements(value, func(element []byte) {
			elementFault(f, core.ElementLocation(f.Name, n), element, found)
			n++
		})
		if fault := countFault(f, n); fault.Message != "" { // replaces the faults of the elements
			found.List = found.List[:before]
			found.Add(location, nil, fault.Message)
		}
	}
}

// elementFault adds the option of f that one canonical value does not meet to found.
func elementFault(f *core.Field, location string, value json.RawMessage, found *core.Faults) {
	if fault := meets(f, value); fault.Message != "" {
		found.Add(location, f.Shown(value), fault.Message)
	}
}

// meets returns the option of f that one canonical value does not meet.
func meets(f *core.Field, value json.RawMessage) fieldtype.Fault {
	is := fieldtype.Of(f.Type)
	if is.Meets == nil {
		return fieldtype.Fault{}
	}
	return is.Meets(f.Options(), value)
}

// countFault checks the number of values of a multiple field. A field that is not required can
// have none.
func countFault(f *core.Field, n int) fieldtype.Fault {
	switch {
	case n > MaxValues:
		return fieldtype.Fault{Message: "must have at most " + strconv.Itoa(MaxValues) + " values"}
	case f.Max != nil && float64(n) > *f.Max:
		return fieldtype.Fault{Message: "must have at most " + fieldtype.FormatNumber(*f.Max) + " values"}
	case f.Min != nil && n > 0 && float64(n) < *f.Min:
		return fieldtype.Fault{Message: "must have at least " + fieldtype.FormatNumber(*f.Min) + " values", Incomplete: true}
	}
	return fieldtype.Fault{}
}

// NeedsTargets reports whether a reference field f needs targets before an entry can be published.
func NeedsTargets(f *core.Field) bool {
	return f.Kind() == core.ValueReference && (f.Required || f.Min != nil)
}
