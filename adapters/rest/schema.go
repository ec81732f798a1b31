package rest

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/fieldtype"
)

// approvalNote documents the approval request of an entry: an object or null.
type approvalNote struct{}

// Schema implements huma.SchemaProvider.
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

// entryFields documents the fields of an entry: JSON values by field name.
type entryFields struct{}

// Schema implements huma.SchemaProvider.
func (entryFields) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Examples: []any{map[string]any{"title": "Hello", "views": 3}},
	}
}

// fieldsOrNull documents entryFields, or null.
type fieldsOrNull struct{}

// Schema implements huma.SchemaProvider.
func (fieldsOrNull) Schema(r huma.Registry) *huma.Schema {
	s := entryFields{}.Schema(r)
	s.Nullable = true
	return s
}

// encoded is the JSON of a T. It is documented as a T.
type encoded[T any] []byte

// MarshalJSON implements json.Marshaler.
func (e encoded[T]) MarshalJSON() ([]byte, error) { return json.RawMessage(e).MarshalJSON() }

// Schema implements huma.SchemaProvider.
func (encoded[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// jsonObject is a JSON object.
type jsonObject []byte

// MarshalJSON implements json.Marshaler.
func (o jsonObject) MarshalJSON() ([]byte, error) { return o, nil }

// Schema implements huma.SchemaProvider.
func (jsonObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// fieldType is the name of a field type in a definition.
type fieldType core.FieldType

// Schema implements huma.SchemaProvider.
func (fieldType) Schema(huma.Registry) *huma.Schema { return fieldTypeSchema(nil) }

// publicFieldType is the name of a field type in the content API.
type publicFieldType core.FieldType

// Schema implements huma.SchemaProvider. It omits types with secret values.
func (publicFieldType) Schema(huma.Registry) *huma.Schema {
	return fieldTypeSchema(func(t *fieldtype.Type) bool { return !t.Secret })
}

func fieldTypeSchema(keep func(*fieldtype.Type) bool) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, name := range fieldtype.Names(keep) {
		schema.Enum = append(schema.Enum, string(name))
	}
	return schema
}

// The names of the actions that the caller may perform in a place, by scope.
type (
	platformActions   []string
	tenantActions     []string
	departmentActions []string
	projectActions    []string
)

// Schema implements huma.SchemaProvider.
func (platformActions) Schema(huma.Registry) *huma.Schema {
	return actionsSchema(access.ScopePlatform)
}

// Schema implements huma.SchemaProvider.
func (tenantActions) Schema(huma.Registry) *huma.Schema { return actionsSchema(access.ScopeTenant) }

// Schema implements huma.SchemaProvider.
func (departmentActions) Schema(huma.Registry) *huma.Schema {
	return actionsSchema(access.ScopeDepartment)
}

// Schema implements huma.SchemaProvider.
func (projectActions) Schema(huma.Registry) *huma.Schema { return actionsSchema(access.ScopeProject) }

// actionsSchema documents each action of the scope with its callers. The description of each
// operation names its action.
func actionsSchema(scope access.Scope) *huma.Schema {
	var about strings.Builder
	about.WriteString("The actions that the caller may perform here. Each operation names its action. The names and who may perform them:\n")
	names := &huma.Schema{Type: huma.TypeString}
	for _, action := range scope.Actions() {
		about.WriteString("\n- `" + action.Name + "`: " + action.AllowedCallers())
		names.Enum = append(names.Enum, action.Name)
	}
	schema := &huma.Schema{Type: huma.TypeArray, Items: names, Description: about.String(), Examples: []any{names.Enum}}
	if scope == access.ScopePlatform {
		schema.Examples = []any{[]any{access.SignedIn.Name}}
	}
	return schema
}
