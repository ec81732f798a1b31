package validation

import (
	"encoding/json"
	"slices"
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
	document(c.Fields, core.FieldLocation(""), values, skip, &found)
	return found
}

// document is Document for the values of fields, whose locations begin with prefix.
func document(fields []*core.Field, prefix string, values map[string]json.RawMessage, skip func(f *core.Field) bool, found *core.Faults) {
	for _, f := range fields {
		switch {
		case skip != nil && skip(f):
		case underivable(fields, f, values):
			found.Add(prefix+f.Name, nil, `cannot be derived from "`+f.Source+`": enter one`)
		default:
			field(f, prefix+f.Name, values[f.Name], found)
		}
	}
}

// underivable reports whether f is a missing slug whose source has a text that gives none.
func underivable(fields []*core.Field, f *core.Field, values map[string]json.RawMessage) bool {
	at := slices.IndexFunc(fields, func(other *core.Field) bool { return other.Name == f.Source })
	if at < 0 || !f.Missing(values[f.Name]) || fields[at].Missing(values[f.Source]) {
		return false
	}
	text, _ := canonical.Text(values[f.Source])
	return f.DeriveSlug(text, "") == ""
}

// Field adds each option of f that its canonical value does not meet to found. nil means no
// value. It skips secret values: canonicalValue has checked them, and the stored hash cannot be
// checked.
func Field(f *core.Field, value json.RawMessage, found *core.Faults) {
	field(f, core.FieldLocation(f.Name), value, found)
}

// field is Field for a value at location.
func field(f *core.Field, location string, value json.RawMessage, found *core.Faults) {
	switch {
	case f.Required && f.Missing(value):
		found.Add(location, nil, "is required")
	case value == nil, fieldtype.Of(f.Type).Secret:
	case !f.Multiple:
		elementFault(f, location, value, found)
	default:
		n, blank, before := 0, 0, len(found.List)
		canonical.Elements(value, func(element []byte) {
			if f.Structured() && f.Withholds(element) {
				return
			}
			elementFault(f, location+"["+strconv.Itoa(n)+"]", element, found)
			if n++; f.Blank(element) {
				blank++
			}
		})
		if fault := countFault(f, n, blank); fault.Message != "" { // replaces the faults of the elements
			found.List = found.List[:before]
			found.Add(location, nil, fault.Message)
		}
	}
}

// elementFault adds the option of f that one canonical value does not meet to found.
func elementFault(f *core.Field, location string, value json.RawMessage, found *core.Faults) {
	if f.Structured() {
		if c := f.ComponentOf(core.Document(value)); c != nil {
			document(c.Fields, location+".", core.Document(value).Values(), nil, found)
		}
		return
	}
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
	options := f.Options()
	if options.Min != nil && f.Blank(value) {
		options.Min = nil
	}
	return is.Meets(options, value)
}

// countFault checks the number of values of a multiple field, of which some can be blank. A field that
// is not required can have none.
func countFault(f *core.Field, n, blank int) fieldtype.Fault {
	switch {
	case n > MaxOf(f):
		return fieldtype.Fault{Message: "must have at most " + strconv.Itoa(MaxOf(f)) + " values"}
	case f.Max != nil && float64(n) > *f.Max:
		return fieldtype.Fault{Message: "must have at most " + fieldtype.FormatNumber(*f.Max) + " values"}
	case f.Min != nil && n > blank && float64(n-blank) < *f.Min:
		return fieldtype.Fault{Message: "must have at least " + fieldtype.FormatNumber(*f.Min) + " values", Incomplete: true}
	}
	return fieldtype.Fault{}
}

// MaxOf returns the maximum number of values of a field that has several.
func MaxOf(f *core.Field) int {
	if f.Structured() {
		return core.MaxItems
	}
	return MaxValues
}

// NeedsTargets reports whether a reference field f needs targets before an entry can be published.
func NeedsTargets(f *core.Field) bool {
	return f.Kind() == fieldtype.Reference && (f.Required || f.Min != nil)
}
