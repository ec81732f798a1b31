package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
)

// CustomRole is a named approver role of one department.
type CustomRole struct {
	ID           int64  `json:"id" example:"2"`
	DepartmentID int64  `json:"departmentId" example:"1"`
	Name         string `json:"name" example:"Legal"`
	CreatedAt    string `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// CustomRoleOf returns r for a response.
func CustomRoleOf(r core.CustomRole) CustomRole {
	return CustomRole{r.ID, r.DepartmentID, r.Name, core.FormatTime(r.CreatedAt)}
}

// CustomRoleInput describes a new custom role.
type CustomRoleInput struct {
	Name string `json:"name" doc:"Unique in the department." example:"Legal"`
}

// CustomRoleChange changes the members of a custom role that a body contains.
type CustomRoleChange struct {
	Name *string `json:"name,omitempty" doc:"Unique in the department." example:"Legal and Compliance"`
}

// Holder is the part of a user that other members of the department may see.
type Holder struct {
	ID    int64  `json:"id" example:"5"`
	Email string `json:"email" format:"email" example:"legal@meridian.example"`
	Name  string `json:"name" example:"Lena Legal"`

	Source account.GrantSource `json:"source" doc:"group: a group at an identity provider has given the role, and takes it again." example:"manual"`
}

// TransformSchema implements huma.SchemaTransformer.
func (Holder) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return enumerate(s, "source", account.GrantSources())
}

// HolderOf returns h for a response.
func HolderOf(h access.Holder) Holder { return Holder{h.ID, h.Email, h.Name, h.Source} }
