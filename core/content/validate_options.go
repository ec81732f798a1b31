package content

import (
	"encoding/json"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// optionFault is an option of a field that a value does not meet.
type optionFault struct {
	core.FieldError
	incomplete bool // drafts may have it: required, min and pattern
}

// fieldFaults returns the options of f that its canonical value does not meet. A nil value is
// no value. canonicalValue has checked secret values already.
func fieldFaults(f *core.Field, value json.RawMessage) []optionFault {
	location := fieldLocation(f.Name)
	is := fieldtype.Of(f.Type)
	switch {
	case f.Required && missing(value):
		return []optionFault{{core.FieldError{Location: location, Message: "is required"}, true}}
	case value == nil, is.Secret:
		return nil
	case !f.Multiple:
		return elementFaults(nil, f, location, value)
	}
	var elements []json.RawMessage
	canonical.Elements(value, func(element []byte) { elements = append(elements, element) })
	if fault := countFault(f, len(elements)); fault.Message != "" {
		return []optionFault{{core.FieldError{Location: location, Message: fault.Message}, fault.Incomplete}}
	}
	var found []optionFault
	for i, element := range elements {
		found = elementFaults(found, f, elementLocation(f.Name, i), element)
	}
	return found
}

// elementFaults adds the fault of one value to found.
func elementFaults(found []optionFault, f *core.Field, location string, value json.RawMessage) []optionFault {
	is := fieldtype.Of(f.Type)
	if is.Meets == nil {
		return found
	}
	fault := is.Meets(f.Options(), value)
	if fault.Message == "" {
		return found
	}
	return append(found, optionFault{
		core.FieldError{Location: location, Message: fault.Message, Value: shown(f, value)}, fault.Incomplete,
	})
}

// countFault checks the number of values of a multiple field. A field that is not required can
// have none.
func countFault(f *core.Field, n int) fieldtype.Fault {
	switch {
	case f.Max != nil && float64(n) > *f.Max:
		return fieldtype.Fault{Message: "must have at most " + fieldtype.FormatNumber(*f.Max) + " values"}
	case f.Min != nil && n > 0 && float64(n) < *f.Min:
		return fieldtype.Fault{Message: "must have at least " + fieldtype.FormatNumber(*f.Min) + " values", Incomplete: true}
	}
	return fieldtype.Fault{}
}

// documentFaults returns what prevents the publication of a document of c, in the order of the
// fields.
func documentFaults(c *core.Collection, doc core.Document) core.Faults {
	var found core.Faults
	values := doc.Values()
	for _, f := range c.Fields {
		for _, fault := range fieldFaults(f, values[f.Name]) {
			found.Add(fault.Location, fault.Value, fault.Message)
		}
	}
	return found
}
