package wire

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core/reading"
)

// ValueCount is a value of a field with the number of entries that have it.
type ValueCount struct {
	Value any   `json:"value"`
	Count int64 `json:"count" doc:"The number of entries with the value." example:"12"`
}

// ValueCountOf returns a count for a response.
func ValueCountOf(c reading.ValueCount) ValueCount {
	if entry, ok := c.Value.(reading.EntryValue); ok {
		c.Value = CountedEntry{entry.ID, entry.Collection}
	}
	return ValueCount{c.Value, c.Count}
}

// CountedEntry is the entry to which a counted relation leads.
type CountedEntry struct {
	ID         int64  `json:"id" example:"42"`
	Collection string `json:"collection" doc:"The slug of the collection." example:"countries"`
}

// TransformSchema implements huma.SchemaTransformer.
func (ValueCount) TransformSchema(r huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["value"] = &huma.Schema{
		Description: "The text, the boolean, the entry to which the relation leads in the locale, or the period of a time: `2026` or `2026-03`.",
		OneOf: []*huma.Schema{
			{Type: huma.TypeString}, {Type: huma.TypeBoolean}, r.Schema(reflect.TypeFor[CountedEntry](), true, ""),
		},
		Examples: []any{"news"},
	}
	return s
}
