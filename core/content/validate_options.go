package content

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/ports"
)

// faultsOf returns the faults that prevent the publication of a stored document.
func faultsOf(ctx context.Context, stores ports.Stores, schema core.Schema, doc core.Document) (core.Faults, error) {
	values, err := withTargets(ctx, stores, schema, doc.Values(), nil)
	return documentFaults(schema.Collection, values, nil), err
}

// documentFaults returns the faults that prevent the publication of a document of c, in the order
// of the fields. The references in values must have targets, see withTargets. It leaves out the
// fields that skip selects; nil selects none.
func documentFaults(c *core.Collection, values map[string]json.RawMessage, skip func(f *core.Field) bool) core.Faults {
	var found core.Faults
	for _, f := range c.Fields {
		if skip == nil || !skip(f) {
			fieldFaults(f, values[f.Name], &found)
		}
	}
	return found
}

// fieldFaults adds each option of f that its canonical value does not meet to found. nil means no
// value. It skips secret values: canonicalValue has checked them, and the stored hash cannot be
// checked.
func fieldFaults(f *core.Field, value json.RawMessage, found *core.Faults) {
	location := fieldLocation(f.Name)
	switch {
	case f.Required && missing(value):
		found.Add(location, nil, "is required")
	case value == nil, fieldtype.Of(f.Type).Secret:
	case !f.Multiple:
		elementFault(f, location, value, found)
	default:
		n, before := 0, len(found.List)
		canonical.Elements(value, func(element []byte) {
			elementFault(f, elementLocation(f.Name, n), element, found)
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
		found.Add(location, shown(f, value), fault.Message)
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
	case n > maxValues:
		return fieldtype.Fault{Message: "must have at most " + strconv.Itoa(maxValues) + " values"}
	case f.Max != nil && float64(n) > *f.Max:
		return fieldtype.Fault{Message: "must have at most " + fieldtype.FormatNumber(*f.Max) + " values"}
	case f.Min != nil && n > 0 && float64(n) < *f.Min:
		return fieldtype.Fault{Message: "must have at least " + fieldtype.FormatNumber(*f.Min) + " values", Incomplete: true}
	}
	return fieldtype.Fault{}
}

// hasFault reports whether found has a fault of the field or of one of its values.
func hasFault(found *core.Faults, field string) bool {
	at := fieldLocation(field)
	return slices.ContainsFunc(found.List, func(e core.FieldError) bool {
		rest, ok := strings.CutPrefix(e.Location, at)
		return ok && (rest == "" || rest[0] == '[')
	})
}

func fieldLocation(name string) string { return "fields." + name }

func elementLocation(name string, i int) string {
	return fieldLocation(name) + "[" + strconv.Itoa(i) + "]"
}

// shown returns raw, a value of f, for a fault, or nil if f is secret.
func shown(f *core.Field, raw json.RawMessage) any {
	if f.Secret() {
		return nil
	}
	return core.Shown(raw)
}
