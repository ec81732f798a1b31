package validation

import (
	"bytes"
	"encoding/json"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
)

// MaxValues is the maximum number of values of a multiple field.
const MaxValues = 1000

// Canonical returns the canonical value of f, nil when raw clears the field.
// It adds every fault to found; the value is then meaningless.
func Canonical(f *core.Field, raw json.RawMessage, found *core.Faults) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	location := core.FieldLocation(f.Name)
	switch {
	case !json.Valid(raw):
		found.Add(location, nil, "is not JSON")
		return nil
	case string(raw) == "null" && f.Multiple:
		return json.RawMessage("[]")
	case string(raw) == "null":
		return nil
	case f.Multiple:
		return canonicalList(f, raw, found)
	}
	return canonicalValue(f, location, raw, found)
}

func canonicalList(f *core.Field, raw json.RawMessage, found *core.Faults) json.RawMessage {
	location := core.FieldLocation(f.Name)
	var elements []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &elements) != nil {
		found.Add(location, f.Shown(raw), "must be a list")
		return nil
	}
	if fault := countFault(f, len(elements), 0); fault.Message != "" && !fault.Incomplete {
		found.Add(location, nil, fault.Message)
		return nil
	}
	list, whole := []byte{'['}, true
	for i, element := range elements {
		location, element = core.ElementLocation(f.Name, i), bytes.TrimSpace(element)
		var value json.RawMessage
		if string(element) == "null" {
			found.Add(location, nil, "must not be null")
		} else {
			value = canonicalValue(f, location, element, found)
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, value...)
		whole = whole && value != nil
	}
	if !whole {
		return nil
	}
	return append(list, ']')
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
	is := fieldtype.Of(f.Type)
	if is.Removed == nil || value == nil || bytes.Equal(raw, value) {
		return nil
	}
	compare := func(location string, raw, value json.RawMessage) {
		if names := is.Removed(bytes.TrimSpace(raw), value); len(names) > 0 {
			removed = append(removed, core.Cleaned{Location: location, Removed: names})
		}
	}
	if !f.Multiple {
		compare(core.FieldLocation(f.Name), raw, value)
		return removed
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil
	}
	i := 0
	canonical.Elements(value, func(element []byte) {
		if i < len(elements) {
			compare(core.ElementLocation(f.Name, i), elements[i], element)
		}
		i++
	})
	return removed
}
