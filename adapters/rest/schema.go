package rest

import "github.com/danielgtaylor/huma/v2"

// approvalNote documents what an entry shows of its approval request: an object
// or null.
type approvalNote struct{}

// Schema says so.
func (approvalNote) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{
			Type: huma.TypeObject, Required: []string{"id", "status", "releaseNumber"},
			Properties: map[string]*huma.Schema{
				"id":            {Type: huma.TypeInteger, Format: "int64", Examples: []any{9}},
				"status":        {Type: huma.TypeString, Examples: []any{"pending"}},
				"releaseNumber": {Type: huma.TypeString, Examples: []any{"CR-2026-0001"}},
			},
		},
		{Type: "null"},
	}}
}

// documentOrNull documents an entry's fields, or null.
type documentOrNull struct{}

// Schema says so.
func (documentOrNull) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Nullable: true, AdditionalProperties: true,
		Examples: []any{map[string]any{"title": "Hello"}},
	}
}
