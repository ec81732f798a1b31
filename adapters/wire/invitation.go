package wire

import (
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/identity"
)

// InvitationInput is a new invitation.
type InvitationInput struct {
	Email         string      `json:"email" example:"ida@example.org"`
	Name          string      `json:"name,omitempty" doc:"The name in the mail; the invited person may choose another." example:"Ida Invited"`
	Language      string      `json:"language,omitempty" doc:"en or de: the language of the mail and of the new account." example:"en"`
	Roles         []GivenRole `json:"roles,omitempty" doc:"At least one role or custom role; 50 at most together."`
	CustomRoleIDs []int64     `json:"customRoleIds,omitempty" example:"[1]"`
}

// GivenRole is a role in one place.
type GivenRole struct {
	Role         core.Role `json:"role" enum:"tenant_admin,department_admin,admin,editor,viewer" example:"editor"`
	TenantID     int64     `json:"tenantId,omitempty" doc:"The place: exactly one of the three." example:"0"`
	DepartmentID int64     `json:"departmentId,omitempty" example:"0"`
	ProjectID    int64     `json:"projectId,omitempty" example:"1"`
}

// Core returns in for the use case.
func (in InvitationInput) Core() identity.InvitationInput {
	return identity.InvitationInput{
		Email: in.Email, Name: in.Name, Language: in.Language, CustomRoles: in.CustomRoleIDs,
		Grants: Each(in.Roles, func(r GivenRole) core.Grant {
			return core.Grant{Role: r.Role, TenantID: r.TenantID, DepartmentID: r.DepartmentID, ProjectID: r.ProjectID}
		}),
	}
}

// OfferedRole is a role in an invitation.
type OfferedRole struct {
	GivenRole

	Place string `json:"place" doc:"The name of the place; empty: it no longer exists." example:"World Desk"`
}

// Inviter is the person who has invited.
type Inviter struct {
	ID   int64  `json:"id" example:"4"`
	Name string `json:"name" example:"Edda Editor"`
}

// Invitation is an invitation.
type Invitation struct {
	ID            int64                   `json:"id" example:"7"`
	Email         string                  `json:"email" example:"ida@example.org"`
	Name          string                  `json:"name" example:"Ida Invited"`
	Language      string                  `json:"language" doc:"Empty: English." example:"en"`
	Roles         []OfferedRole           `json:"roles" nullable:"false"`
	CustomRoleIDs []int64                 `json:"customRoleIds" nullable:"false" example:"[1]"`
	InvitedBy     Inviter                 `json:"invitedBy"`
	CreatedAt     string                  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ExpiresAt     string                  `json:"expiresAt" format:"date-time" example:"2026-01-09T15:04:05.000Z"`
	State         account.InvitationState `json:"state" enum:"open,accepted,revoked,expired" example:"open"`
	URL           string                  `json:"url,omitempty" doc:"The link, once: only in the response that makes it, and only if the installation sends no e-mails." example:"https://cms.example.org/invite/BZQ3K5T7N2MXW4RVJ6PCYD1HGE"`
}

// InvitationOf returns i for a response. base is the public address of the installation.
func InvitationOf(i identity.Invited, base string) Invitation {
	out := Invitation{
		ID: i.ID, Email: i.Email, Name: i.Name, Language: i.Language, Roles: []OfferedRole{}, CustomRoleIDs: append([]int64{}, i.CustomRoles...),
		InvitedBy: Inviter{i.Inviter.ID, i.Inviter.Name}, CreatedAt: core.FormatTime(i.CreatedAt), ExpiresAt: core.FormatTime(i.ExpiresAt), State: i.State,
	}
	for n, g := range i.Grants {
		out.Roles = append(out.Roles, OfferedRole{GivenRole{g.Role, g.TenantID, g.DepartmentID, g.ProjectID}, i.Invited(n)})
	}
	if i.Path != "" {
		out.URL = base + i.Path
	}
	return out
}

// LinkSecret is the secret of a link.
type LinkSecret struct {
	Secret string `json:"secret" doc:"The end of the link." example:"BZQ3K5T7N2MXW4RVJ6PCYD1HGE"`
}

// Offer is an invitation for the holder of its link.
type Offer struct {
	Email      string       `json:"email" example:"ida@example.org"`
	Name       string       `json:"name" example:"Ida Invited"`
	Inviter    string       `json:"inviter" doc:"The name of the person who invites." example:"Edda Editor"`
	Roles      []OfferedFor `json:"roles" nullable:"false"`
	ExpiresAt  string       `json:"expiresAt" format:"date-time" example:"2026-01-09T15:04:05.000Z"`
	HasAccount bool         `json:"hasAccount" doc:"The address has an account: sign in to accept." example:"false"`
}

// OfferedFor is a role of an Offer.
type OfferedFor struct {
	Role   core.Role `json:"role" doc:"Empty: a custom role." example:"editor"`
	Custom string    `json:"customRole" doc:"The name of the custom role." example:""`
	Place  string    `json:"place" example:"World Desk"`
}

// OfferOf returns o for a response.
func OfferOf(o identity.Offer) Offer {
	return Offer{
		Email: o.Email, Name: o.Name, Inviter: o.Inviter.Name, ExpiresAt: core.FormatTime(o.ExpiresAt), HasAccount: o.HasAccount,
		Roles: Each(o.Roles, func(r account.HeldRole) OfferedFor { return OfferedFor{r.Role, r.CustomRole.Name, r.Place} }),
	}
}

// Acceptance accepts an invitation.
type Acceptance struct {
	Secret   string `json:"secret" example:"BZQ3K5T7N2MXW4RVJ6PCYD1HGE"`
	Name     string `json:"name,omitempty" doc:"Of the new account." example:"Ida Invited"`
	Password string `json:"password,omitempty" doc:"Of the new account." example:"correct horse battery"`
}

// Email is an e-mail address.
type Email struct {
	Email string `json:"email" example:"ida@example.org"`
}

// NewPassword sets a password by a link.
type NewPassword struct {
	Secret   string `json:"secret" example:"BZQ3K5T7N2MXW4RVJ6PCYD1HGE"`
	Password string `json:"password" example:"correct horse battery"`
}

// Accepted says that a request was accepted, whatever becomes of it.
type Accepted struct {
	Accepted bool `json:"accepted" example:"true"`
}
