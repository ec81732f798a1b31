package core

import (
	"encoding/json"
	"strconv"

	"imprimatur/core/canonical"
)

// ReferenceIDs returns the ids in the stored value of a relation or media field.
func ReferenceIDs(raw json.RawMessage) []int64 {
	var ids []int64
	canonical.Elements(raw, func(element []byte) {
		id, _ := strconv.ParseInt(string(element), 10, 64) // a stored reference is digits
		ids = append(ids, id)
	})
	return ids
}

// FormatID returns the JSON of an id.
func FormatID(id int64) json.RawMessage { return strconv.AppendInt(nil, id, 10) }

// ReferenceValue returns the value of the relation or media field f that names ids.
func ReferenceValue(f *Field, ids []int64) json.RawMessage {
	switch {
	case !f.Multiple && len(ids) == 0:
		return json.RawMessage("null")
	case !f.Multiple:
		return FormatID(ids[0])
	}
	list := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	return append(list, ']')
}
