package validation

import (
	"bytes"
	"encoding/json"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// MaxValues is the maximum number of values of a multiple field.
const MaxValues = 1000

// Canonical returns the canonical value of f, nil when raw clears the field.
// It adds every fault to found; the value is then meaningless, except that of a field with items, which has
// the parts without a fault, and null for an item that is none: other checks find more faults in it.
func Canonical(f *core.Field, raw json.RawMessage, found *core.Faults) json.RawMessage {
	c := checker{found: found}
	return c.field(f, core.FieldLocation(f.Name), raw)
}

// checker checks one written value, with the items inside of it.
type checker struct {
	found *core.Faults
	depth int // the number of fields with items around the present value
	items int // that were checked so far
}

// field is Canonical for a value at location.
func (c *checker) field(f *core.Field, location string, raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	switch {
	case !json.Valid(raw):
		c.found.Add(location, nil, "is not JSON")
		return nil
	case string(raw) == "null" && f.Multiple:
		return json.RawMessage("[]")
	case string(raw) == "null":
		return nil
	case f.Structured() && c.depth == core.MaxItemDepth && !emptyList(f, raw):
		c.found.Add(location, nil, "must not be nested deeper than "+strconv.Itoa(core.MaxItemDepth)+" levels")
		return nil
	case f.Multiple:
		return c.list(f, location, raw)
	}
	return c.value(f, location, raw)
}

// emptyList reports whether raw is a list without items, which responses show at the deepest level, too.
func emptyList(f *core.Field, raw json.RawMessage) bool {
	var elements []json.RawMessage
	return f.Multiple && json.Unmarshal(raw, &elements) == nil && len(elements) == 0
}

func (c *checker) list(f *core.Field, location string, raw json.RawMessage) json.RawMessage {
	var elements []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &elements) != nil {
		c.found.Add(location, f.Shown(raw), "must be a list")
		return nil
	}
	if fault := countFault(f, len(elements), 0); fault.Message != "" && !fault.Incomplete {
		c.found.Add(location, nil, fault.Message)
		return nil
	}
	list, whole, keys := []byte{'['}, true, map[string]int{}
	for i, element := range elements {
		location := location + "[" + strconv.Itoa(i) + "]"
		element = bytes.TrimSpace(element)
		var value json.RawMessage
		if string(element) == "null" {
			c.found.Add(location, nil, "must not be null")
		} else {
			value = c.value(f, location, element)
		}
		if i > 0 {
			list = append(list, ',')
		}
		whole = whole && value != nil
		switch {
		case f.Structured() && value != nil:
			c.ownKey(value, i, keys, location)
		case f.Structured():
			value = json.RawMessage("null")
		}
		list = append(list, value...)
	}
	if !whole && !f.Structured() {
		return nil
	}
	return append(list, ']')
}

// value checks one value that is not null.
func (c *checker) value(f *core.Field, location string, raw json.RawMessage) json.RawMessage {
	if f.Structured() {
		return c.item(f, location, raw)
	}
	return canonicalValue(f, location, raw, c.found)
}

// canonicalValue checks one value that is not null, except for the options that a draft need not
// meet. A secret value must meet them too, because its hash cannot be checked later.
func canonicalValue(f *core.Field, location string, raw json.RawMessage, found *core.Faults) json.RawMessage {
	is := fieldtype.Of(f.Type)
	value, message := is.Check(raw)
	if message == "" {
		if fault := meets(f, value); !fault.Incomplete || is.Secret {
			message = fault.Message
		}
	}
	if message != "" {
		found.Add(location, f.Shown(raw), message)
		return nil
	}
	return value
}

// Removed returns what Canonical has removed from raw to make value, a value of f.
func Removed(f *core.Field, raw, value json.RawMessage) (removed []core.Cleaned) {
	return removedAt(f, core.FieldLocation(f.Name), raw, value)
}

func removedAt(f *core.Field, location string, raw, value json.RawMessage) (removed []core.Cleaned) {
	compare := fieldtype.Of(f.Type).Removed
	if value == nil || compare == nil && !f.Structured() || bytes.Equal(raw, value) {
		return nil
	}
	one := func(location string, raw, value json.RawMessage) {
		if f.Structured() {
			removed = append(removed, removedIn(f, location, raw, value)...)
		} else if names := compare(bytes.TrimSpace(raw), value); len(names) > 0 {
			removed = append(removed, core.Cleaned{Location: location, Removed: names})
		}
	}
	if !f.Multiple {
		one(location, raw, value)
		return removed
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil
	}
	i := 0
	canonical.Elements(value, func(element []byte) {
		if i < len(elements) {
			one(location+"["+strconv.Itoa(i)+"]", elements[i], element)
		}
		i++
	})
	return removed
}

// removedIn is Removed for the item value at location, which was written as raw.
func removedIn(f *core.Field, location string, raw, value json.RawMessage) (removed []core.Cleaned) {
	var members map[string]json.RawMessage
	c := f.ComponentOf(core.Document(value))
	if c == nil || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	for _, inner := range c.Fields {
		if written, named := members[inner.Name]; named {
			removed = append(removed, removedAt(inner, location+"."+inner.Name, written, core.Document(value).Value(inner.Name))...)
		}
	}
	return removed
}
