package endpoint

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// exampleOr returns the given example, or without one an example generated from the schema.
func (d document) exampleOr(given any, s *huma.Schema) any {
	if given != nil {
		return plainJSON(given)
	}
	return d.example(s)
}

// example generates an example from the examples of the members.
func (d document) example(s *huma.Schema) any {
	if s.Ref != "" {
		s = d.Components.Schemas.SchemaFromRef(s.Ref)
	}
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.OneOf) > 0:
		return d.example(s.OneOf[0])
	case s.Type == huma.TypeArray:
		return []any{d.example(s.Items)}
	case s.Type == huma.TypeObject:
		members := map[string]any{}
		for name, member := range s.Properties {
			if shown := d.example(member); shown != nil {
				members[name] = shown
			}
		}
		return members
	default:
		return nil
	}
}

// plainJSON converts v to the types of decoded JSON, which examples in the document must have.
func plainJSON(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("endpoint: cannot encode example: " + err.Error())
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		panic("endpoint: " + err.Error())
	}
	return plain
}
