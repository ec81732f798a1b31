package wire

import (
	"encoding/json"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
)

// Change is a difference between two versions of an entry.
type Change struct {
	Path   string          `json:"path" doc:"The name of a field of the entry, the place of the list of an item, such as body or body[k1].links, or @media." example:"body"`
	Key    string          `json:"key,omitempty" doc:"The key of the item in its list, or the id of the media item. Omitted for a field of the entry." example:"k1"`
	Type   string          `json:"type,omitempty" doc:"The slug of the component of the item." example:"hero"`
	Change core.ChangeKind `json:"change" doc:"What happened. A moved item may have been edited, too." example:"moved"`
	From   *int            `json:"from,omitempty" doc:"The index of the item in the list before, from 0. Omitted if it was not there." example:"2"`
	To     *int            `json:"to,omitempty" doc:"The index of the item in the list after, from 0. Omitted if it is not there." example:"0"`
	Fields []ValueChange   `json:"fields" nullable:"false" doc:"The values that differ; of an item that was added or removed, all its values."`
}

// TransformSchema implements huma.SchemaTransformer.
func (Change) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return enumerate(s, "change", core.ChangeKinds)
}

// ValueChange is a value before and after; null means no value.
type ValueChange struct {
	Path   string      `json:"path" doc:"The place of the value, with the keys of items: title, seo.title, body[k1].title, @media[12].caption." example:"body[k1].title"`
	Before ValueOrNull `json:"before" doc:"Relations and media are ids. null means no value." example:"\"Harbour\""`
	After  ValueOrNull `json:"after" doc:"As before." example:"\"Harbour lights\""`
}

// ValueOrNull is any JSON value. nil is null.
type ValueOrNull []byte

// UnmarshalJSON implements json.Unmarshaler.
func (v *ValueOrNull) UnmarshalJSON(raw []byte) error {
	*v = slices.Clone(raw)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (v ValueOrNull) MarshalJSON() ([]byte, error) { return json.RawMessage(v).MarshalJSON() }

// Schema implements huma.SchemaProvider. It names null, because some readers of schemas take one
// without a type for a value that is not null.
func (ValueOrNull) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{}, {Type: "null"}}}
}

// ChangesOf returns changes for a response.
func ChangesOf(changes []core.Change) []Change {
	return Each(changes, func(c core.Change) Change {
		return Change{
			c.Path, c.Key, c.Type, c.Kind, c.From, c.To,
			Each(c.Fields, func(v core.ValueChange) ValueChange {
				return ValueChange{v.Path, ValueOrNull(v.Before), ValueOrNull(v.After)}
			}),
		}
	})
}
