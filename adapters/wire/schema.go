package wire

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/fieldtype"
	"imprimatur/core/webhook"
)

// members has descriptions of members that are too long for the tag doc, by their names in JSON.
type members map[string]string

// describe adds the descriptions to s and returns it. It panics if a member is unknown or has a
// description already.
func describe(s *huma.Schema, about members) *huma.Schema {
	for name, text := range about {
		member := s.Properties[name]
		if member == nil || member.Description != "" {
			panic("wire: no undescribed member " + name)
		}
		member.Description = text
	}
	return s
}

// enumerate restricts a member of s to values, and returns s.
func enumerate[T ~string](s *huma.Schema, member string, values []T) *huma.Schema {
	s.Properties[member].Enum = Each(values, func(value T) any { return string(value) })
	return s
}

// Encoded is the JSON of a T. It is documented as a T. nil is null.
type Encoded[T any] []byte

// MarshalJSON implements json.Marshaler.
func (e Encoded[T]) MarshalJSON() ([]byte, error) { return json.RawMessage(e).MarshalJSON() }

// Schema implements huma.SchemaProvider.
func (Encoded[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Object is a JSON object.
type Object []byte

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) { return o, nil }

// Schema implements huma.SchemaProvider.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// OrNull is a T or, if Value is nil, null.
type OrNull[T any] struct{ Value *T }

// MarshalJSON implements json.Marshaler.
func (o OrNull[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// Schema implements huma.SchemaProvider.
func (OrNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

// Optional is a core.Optional for members of request bodies, whose decoder calls Set.
type Optional[T any] struct{ core.Optional[T] }

// Set records that the member is present. It returns nil for null, and otherwise the pointer to
// decode the value into.
func (o *Optional[T]) Set(null bool) any {
	o.Given = true
	if null {
		return nil
	}
	o.Value = new(T)
	return o.Value
}

// OrZero returns the value, or a pointer to the zero value for null, or nil if the member was
// omitted.
func (o Optional[T]) OrZero() *T {
	if o.Given && o.Value == nil {
		return new(T)
	}
	return o.Value
}

// Schema documents the member as a T or null.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	if s.Ref != "" {
		return OrNull[T]{}.Schema(r)
	}
	s.Nullable = s.Type != "" // a schema without type already allows null
	if s.Enum != nil {
		s.Enum = append(slices.Clone(s.Enum), nil)
	}
	return &s
}

// EntryFields documents the fields of an entry: JSON values by field name.
type EntryFields struct{}

// Schema implements huma.SchemaProvider.
func (EntryFields) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Examples: []any{map[string]any{"title": "Hello", "views": 3}},
	}
}

// FieldsOrNull documents EntryFields, or null.
type FieldsOrNull struct{}

// Schema implements huma.SchemaProvider.
func (FieldsOrNull) Schema(r huma.Registry) *huma.Schema {
	s := EntryFields{}.Schema(r)
	s.Nullable = true
	return s
}

// Patch is a JSON Patch (RFC 6902).
type Patch = Encoded[[]PatchStep]

// PatchStep is one operation of a JSON Patch.
type PatchStep struct {
	_     struct{}    `additionalProperties:"true"`
	Op    string      `json:"op" enum:"add,remove,replace,move,copy,test" example:"replace"`
	Path  string      `json:"path" doc:"A JSON Pointer into the fields, or to the words of a media item: /@media/12/caption." example:"/title"`
	Value ValueOrNull `json:"value,omitempty" example:"\"Ceasefire holds\""`
}

// FieldType is the name of a field type in a definition.
type FieldType core.FieldType

// Schema implements huma.SchemaProvider.
func (FieldType) Schema(huma.Registry) *huma.Schema { return fieldTypeSchema(nil) }

// PublicFieldType is the name of a field type in the content API.
type PublicFieldType core.FieldType

// Schema implements huma.SchemaProvider. It omits types with secret values.
func (PublicFieldType) Schema(huma.Registry) *huma.Schema {
	return fieldTypeSchema(func(t *fieldtype.Type) bool { return !t.Secret })
}

func fieldTypeSchema(keep func(*fieldtype.Type) bool) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, name := range fieldtype.Names(keep) {
		schema.Enum = append(schema.Enum, string(name))
	}
	return schema
}

// OffReason is a webhook.OffReason. Responses show null for none.
type OffReason webhook.OffReason

// Schema implements huma.SchemaProvider. An enum has to name null to admit it.
func (OffReason) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true, Enum: []any{webhook.OffGone, webhook.OffFailing, nil}}
}

// Icon is a core.Icon.
type Icon core.Icon

// Schema implements huma.SchemaProvider.
func (Icon) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, icon := range core.Icons() {
		s.Enum = append(s.Enum, string(icon))
	}
	return s
}

// PlatformActions are the names of the actions that the caller may perform in the scope platform.
type PlatformActions []string

// TenantActions are those in a tenant.
type TenantActions []string

// DepartmentActions are those in a department.
type DepartmentActions []string

// ProjectActions are those in a Project.
type ProjectActions []string

// Schema implements huma.SchemaProvider.
func (PlatformActions) Schema(huma.Registry) *huma.Schema {
	return actionsSchema(access.ScopePlatform)
}

// Schema implements huma.SchemaProvider.
func (TenantActions) Schema(huma.Registry) *huma.Schema { return actionsSchema(access.ScopeTenant) }

// Schema implements huma.SchemaProvider.
func (DepartmentActions) Schema(huma.Registry) *huma.Schema {
	return actionsSchema(access.ScopeDepartment)
}

// Schema implements huma.SchemaProvider.
func (ProjectActions) Schema(huma.Registry) *huma.Schema { return actionsSchema(access.ScopeProject) }

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
