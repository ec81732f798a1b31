package rest

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core/access"
)

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
