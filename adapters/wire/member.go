package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
)

// Member is a user with a role in one scope.
type Member struct {
	UserID int64     `json:"userId" example:"4"`
	Email  string    `json:"email" format:"email" example:"editor@meridian.example"`
	Name   string    `json:"name" example:"Edda Editor"`
	Role   core.Role `json:"role" enum:"tenant_admin,department_admin,admin,editor,viewer" example:"editor"`

	Source account.GrantSource `json:"source" doc:"group: a group at an identity provider has given the role, and takes it again." example:"manual"`
}

// TransformSchema implements huma.SchemaTransformer.
func (Member) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return enumerate(s, "source", account.GrantSources())
}

// MemberOf returns m for a response.
func MemberOf(m access.Member) Member {
	return Member{m.User.ID, m.User.Email, m.User.Name, m.Role, m.Source}
}

// MemberInput is the role to assign.
type MemberInput struct {
	Role core.Role `json:"role" enum:"tenant_admin,department_admin,admin,editor,viewer" doc:"tenant_admin in a tenant, department_admin in a department; admin, editor or viewer in a Project." example:"editor"`
}

// Candidate is a user that a role can be assigned to.
type Candidate struct {
	UserID int64  `json:"userId" example:"4"`
	Email  string `json:"email" format:"email" example:"editor@meridian.example"`
	Name   string `json:"name" example:"Edda Editor"`
}

// CandidateOf returns u for a response.
func CandidateOf(u core.User) Candidate { return Candidate{u.ID, u.Email, u.Name} }
