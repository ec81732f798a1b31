package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/identity"
)

// IdentityProvider is a connection of a tenant to an OpenID provider.
type IdentityProvider struct {
	ID          int64                `json:"id" example:"1"`
	TenantID    int64                `json:"tenantId" example:"1"`
	Name        string               `json:"name" example:"Meridian staff"`
	Issuer      string               `json:"issuer" format:"uri" doc:"The identifier of the provider, exactly as it writes it." example:"https://login.example.org/realms/meridian"`
	ClientID    string               `json:"clientId" doc:"The id that the provider has given to this installation." example:"imprimatur"`
	Domains     []string             `json:"domains" nullable:"false" doc:"Domains of e-mail addresses, of which those count that are claimed." example:"[\"meridian.example\"]"`
	Claims      []DomainClaim        `json:"claims" nullable:"false" doc:"The state of each of the domains, in their order."`
	Scopes      []string             `json:"scopes" nullable:"false" doc:"The scopes that are asked for, beside openid." example:"[\"profile\",\"email\",\"groups\"]"`
	GroupsClaim *string              `json:"groupsClaim" doc:"The claim that has the groups of a person; null: none." example:"groups"`
	CreateUsers bool                 `json:"createUsers" doc:"Whether a person with an address in a claimed domain and without an account gets one." example:"false"`
	Passwords   account.PasswordRule `json:"passwords" doc:"Whether users with an address in a claimed domain may sign in with a password." example:"allowed"`

	PasswordUserID *int64 `json:"passwordUserId" doc:"The account that keeps its password and passkeys if passwords are forbidden; null: none." example:"3"`

	SecondFactor account.FactorRule    `json:"secondFactor" doc:"Who asks for a second factor: the provider, or this installation as after a password." example:"ours"`
	Mappings     []GroupMapping        `json:"mappings" nullable:"false" doc:"The roles that members of groups have."`
	State        account.ProviderState `json:"state" doc:"Only one that is on signs people in." example:"draft"`
	TriedBy      *int64                `json:"triedBy" doc:"The id of the user that has tried it since it last changed, and may switch it on." example:"3"`
	TriedAt      *string               `json:"triedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	CreatedBy    *int64                `json:"createdBy" doc:"The id of the user." example:"3"`
	CreatedAt    string                `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt    string                `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// TransformSchema implements huma.SchemaTransformer.
func (IdentityProvider) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return withRules(enumerate(s, "state", account.ProviderStates()))
}

func withRules(s *huma.Schema) *huma.Schema {
	return enumerate(enumerate(s, "passwords", account.PasswordRules()), "secondFactor", account.FactorRules())
}

// DomainClaim is the state of a domain of an identity provider.
type DomainClaim struct {
	Domain    string      `json:"domain" example:"meridian.example"`
	Record    string      `json:"record" doc:"The TXT record of the domain by which the tenant claims it." example:"imprimatur-verify=MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK"`
	Claimed   bool        `json:"claimed" example:"true"`
	Means     *ClaimMeans `json:"means" doc:"How it was claimed: by its record, or by a super admin; null: it is not claimed." example:"record"`
	ClaimedAt *string     `json:"claimedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	// MissingSince is null for a claim by a super admin.
	MissingSince *string `json:"missingSince" format:"date-time" doc:"Since when the record is missing; after 7 days the claim ends. null: it was there." example:"2026-01-09T15:04:05.000Z"`
}

// ClaimMeans is an account.ClaimMeans. Responses show null for none.
type ClaimMeans account.ClaimMeans

// Schema implements huma.SchemaProvider. An enum has to name null to admit it.
func (ClaimMeans) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true, Enum: []any{account.ClaimByRecord, account.ClaimByAdmin, nil}}
}

// GroupMapping gives a role to the members of a group.
type GroupMapping struct {
	Group        string    `json:"group" doc:"The value in the claim of groups." example:"newsroom-editors"`
	Role         core.Role `json:"role,omitempty" enum:"tenant_admin,department_admin,admin,editor,viewer" doc:"The role in one place. Omitted with customRoleId." example:"editor"`
	TenantID     int64     `json:"tenantId,omitempty" doc:"The place: one of the three, in the tenant." example:"0"`
	DepartmentID int64     `json:"departmentId,omitempty" example:"0"`
	ProjectID    int64     `json:"projectId,omitempty" example:"1"`
	CustomRoleID int64     `json:"customRoleId,omitempty" doc:"A custom role of a department of the tenant, in place of the members before." example:"0"`
}

// IdentityProviderOf returns p for a response. It never has the secret.
func IdentityProviderOf(p identity.ShownProvider) IdentityProvider {
	return IdentityProvider{
		ID: p.ID, TenantID: p.TenantID, Name: p.Name, Issuer: p.Issuer, ClientID: p.ClientID, Domains: append([]string{}, p.Domains...),
		Claims: Each(p.Claims, domainClaimOf), Scopes: append([]string{}, p.Scopes...), GroupsClaim: core.NullIfZero(p.GroupsClaim), CreateUsers: p.CreateUsers,
		Passwords: p.Passwords, PasswordUserID: core.NullIfZero(p.PasswordUserID), SecondFactor: p.SecondFactor, Mappings: Each(p.Mappings, func(m account.GroupMapping) GroupMapping {
			return GroupMapping{m.Group, m.Grant.Role, m.Grant.TenantID, m.Grant.DepartmentID, m.Grant.ProjectID, m.CustomRole}
		}),
		State: p.State, TriedBy: core.NullIfZero(p.TriedBy), TriedAt: TimeOrNull(p.TriedAt), CreatedBy: core.NullIfZero(p.CreatedBy), CreatedAt: core.FormatTime(p.CreatedAt), UpdatedAt: core.FormatTime(p.UpdatedAt),
	}
}

func domainClaimOf(d identity.DomainState) DomainClaim {
	shown := DomainClaim{Domain: d.Domain, Record: d.Record}
	if d.Claim != nil {
		means, at := ClaimMeans(d.Claim.Means), core.FormatTime(d.Claim.ClaimedAt)
		shown.Claimed, shown.Means, shown.ClaimedAt, shown.MissingSince = true, &means, &at, TimeOrNull(d.Claim.MissingSince)
	}
	return shown
}

// IdentityProviderInput describes a new identity provider.
type IdentityProviderInput struct {
	Name         string                `json:"name" example:"Meridian staff"`
	Issuer       string                `json:"issuer" doc:"The identifier of the provider, exactly as it writes it: an https address that this installation may reach." example:"https://login.example.org/realms/meridian"`
	ClientID     string                `json:"clientId" example:"imprimatur"`
	ClientSecret string                `json:"clientSecret" doc:"Stored encrypted, and never shown." example:"a secret of the provider"`
	Domains      *[]string             `json:"domains,omitempty" doc:"At most 50." example:"[\"meridian.example\"]"`
	Scopes       *[]string             `json:"scopes,omitempty" doc:"Beside openid; profile and email by default." example:"[\"profile\",\"email\",\"groups\"]"`
	GroupsClaim  Optional[string]      `json:"groupsClaim,omitzero" example:"groups"`
	CreateUsers  *bool                 `json:"createUsers,omitempty" doc:"false by default." example:"false"`
	Passwords    *account.PasswordRule `json:"passwords,omitempty" doc:"allowed by default." example:"allowed"`

	PasswordUserID Optional[int64] `json:"passwordUserId,omitzero" doc:"An active account of the tenant." example:"3"`

	SecondFactor *account.FactorRule `json:"secondFactor,omitempty" doc:"ours by default." example:"ours"`
	Mappings     *[]GroupMapping     `json:"mappings,omitempty" doc:"At most 500, to roles that the caller may give in the tenant."`
}

// TransformSchema implements huma.SchemaTransformer.
func (IdentityProviderInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return withRules(s)
}

// Change returns in for the use case.
func (in IdentityProviderInput) Change() identity.ProviderChange {
	return IdentityProviderChange{
		Name: &in.Name, Issuer: &in.Issuer, ClientID: &in.ClientID, ClientSecret: &in.ClientSecret, Domains: in.Domains, Scopes: in.Scopes,
		GroupsClaim: in.GroupsClaim, CreateUsers: in.CreateUsers, Passwords: in.Passwords, PasswordUserID: in.PasswordUserID, SecondFactor: in.SecondFactor, Mappings: in.Mappings,
	}.Change()
}

// IdentityProviderChange changes the members of an identity provider that a body contains.
type IdentityProviderChange struct {
	Name         *string               `json:"name,omitempty" example:"Meridian staff"`
	Issuer       *string               `json:"issuer,omitempty" doc:"Of a draft only, together with clientSecret." example:"https://login.example.org/realms/meridian"`
	ClientID     *string               `json:"clientId,omitempty" example:"imprimatur"`
	ClientSecret *string               `json:"clientSecret,omitempty" doc:"Replaces the present one." example:"a secret of the provider"`
	Domains      *[]string             `json:"domains,omitempty" doc:"Those that are left out are no longer claimed." example:"[\"meridian.example\",\"news.meridian.example\"]"`
	Scopes       *[]string             `json:"scopes,omitempty" example:"[\"profile\",\"email\"]"`
	GroupsClaim  Optional[string]      `json:"groupsClaim,omitzero" doc:"null: groups give no roles." example:"roles"`
	CreateUsers  *bool                 `json:"createUsers,omitempty" example:"true"`
	Passwords    *account.PasswordRule `json:"passwords,omitempty" example:"allowed"`

	PasswordUserID Optional[int64] `json:"passwordUserId,omitzero" doc:"An active account of the tenant; null: none." example:"3"`

	SecondFactor *account.FactorRule    `json:"secondFactor,omitempty" example:"theirs"`
	Mappings     *[]GroupMapping        `json:"mappings,omitempty" doc:"Replaces all mappings."`
	State        *account.ProviderState `json:"state,omitempty" doc:"A provider can be on only after it was tried." example:"off"`
}

// TransformSchema implements huma.SchemaTransformer.
func (IdentityProviderChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return withRules(enumerate(s, "state", []account.ProviderState{account.ProviderDraft, account.ProviderOn, account.ProviderOff}))
}

// Change returns in for the use case.
func (in IdentityProviderChange) Change() identity.ProviderChange {
	change := identity.ProviderChange{
		Name: in.Name, Issuer: in.Issuer, ClientID: in.ClientID, Secret: in.ClientSecret, Domains: in.Domains, Scopes: in.Scopes,
		CreateUsers: in.CreateUsers, Passwords: in.Passwords, SecondFactor: in.SecondFactor, State: in.State,
	}
	if in.GroupsClaim.Given {
		change.GroupsClaim = new(string)
		core.Assign(change.GroupsClaim, in.GroupsClaim.Value)
	}
	if in.PasswordUserID.Given {
		change.PasswordUserID = new(int64)
		core.Assign(change.PasswordUserID, in.PasswordUserID.Value)
	}
	if in.Mappings != nil {
		mappings := Each(*in.Mappings, func(m GroupMapping) account.GroupMapping {
			return account.GroupMapping{
				Group: m.Group, CustomRole: m.CustomRoleID,
				Grant: core.Grant{Role: m.Role, TenantID: m.TenantID, DepartmentID: m.DepartmentID, ProjectID: m.ProjectID},
			}
		})
		change.Mappings = &mappings
	}
	return change
}

// DomainClaimInput claims a domain.
type DomainClaimInput struct {
	Domain string             `json:"domain" doc:"One of the domains of the identity provider." example:"meridian.example"`
	Means  account.ClaimMeans `json:"means,omitempty" enum:"record,admin" doc:"record, by default, looks for the TXT record of the domain now; admin is for super admins and needs none." example:"admin"`
}
