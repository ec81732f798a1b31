package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
)

// User is a user account.
type User struct {
	ID         int64  `json:"id" example:"3"`
	Email      string `json:"email" format:"email" example:"editor@meridian.example"`
	Name       string `json:"name" example:"Edda Editor"`
	TenantID   *int64 `json:"tenantId" doc:"The tenant that manages the account; null means the platform." example:"1"`
	SuperAdmin bool   `json:"superAdmin" doc:"Whether the user has all permissions." example:"false"`
	Active     bool   `json:"active" doc:"Whether the user can sign in." example:"true"`

	Factors []core.Way `json:"factors" nullable:"false" enum:"totp,passkey" doc:"The kinds of second factors that the user has." example:"[\"totp\"]"`

	LastSignInAt *string `json:"lastSignInAt" format:"date-time" doc:"null: the user has never signed in." example:"2026-01-02T15:04:05.000Z"`
	CreatedAt    string  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt    string  `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// UserOf returns u for a response.
func UserOf(u core.User) User {
	return User{
		ID: u.ID, Email: u.Email, Name: u.Name, TenantID: core.NullIfZero(u.TenantID), SuperAdmin: u.SuperAdmin, Active: u.Active,
		Factors: u.Factors(), LastSignInAt: TimeOrNull(u.LastSignInAt), CreatedAt: core.FormatTime(u.CreatedAt), UpdatedAt: core.FormatTime(u.UpdatedAt),
	}
}

// Account is a user account with its roles.
type Account struct {
	User

	Roles []HeldRole `json:"roles" nullable:"false" doc:"Those that the caller may see, from the widest scope to the narrowest, then the custom roles."`
}

// AccountOf returns a for a response.
func AccountOf(a access.Account) Account { return Account{UserOf(a.User), Each(a.Roles, heldRoleOf)} }

// HeldRole is a role of a user with its scope.
type HeldRole struct {
	Role         *core.Role `json:"role" enum:"tenant_admin,department_admin,admin,editor,viewer" doc:"null: a custom role." example:"editor"`
	CustomRoleID *int64     `json:"customRoleId" doc:"null unless it is a custom role." example:"2"`
	CustomRole   *string    `json:"customRole" doc:"The name of the custom role." example:"Legal"`
	Place        string     `json:"place" doc:"The name of the Project, the department or the tenant." example:"World Desk"`
	TenantID     int64      `json:"tenantId" example:"1"`
	DepartmentID *int64     `json:"departmentId" doc:"null for a role in a tenant, or in a Project without a department." example:"1"`
	ProjectID    *int64     `json:"projectId" doc:"null unless the role is in a Project." example:"1"`

	Source account.GrantSource `json:"source" doc:"group: a group at an identity provider has given the role, and takes it again." example:"manual"`
}

// TransformSchema implements huma.SchemaTransformer.
func (HeldRole) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return enumerate(s, "source", account.GrantSources())
}

func heldRoleOf(r account.HeldRole) HeldRole {
	return HeldRole{
		Role: core.NullIfZero(r.Role), CustomRoleID: core.NullIfZero(r.CustomRole.ID), CustomRole: core.NullIfZero(r.CustomRole.Name), Place: r.Place,
		TenantID: r.TenantID, DepartmentID: core.NullIfZero(r.DepartmentID), ProjectID: core.NullIfZero(r.ProjectID), Source: r.Source,
	}
}

// UserToken is a token that a user created.
type UserToken struct {
	Token

	ProjectName string `json:"projectName" example:"World Desk"`
	ReadOnly    bool   `json:"readOnly" example:"true"`
}

// TransformSchema implements huma.SchemaTransformer.
func (UserToken) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"readOnly": "Whether the token reads only what is public: it cannot write and reads neither drafts nor history. " +
			"Deactivation of its creator keeps such a token unless told otherwise.",
	})
}

// UserTokens are the valid tokens that a user created.
type UserTokens struct {
	Data   []UserToken `json:"data" nullable:"false" doc:"Those in projects whose tokens the caller manages."`
	Others int         `json:"others" doc:"The number of those in other projects." example:"0"`
}

// UserTokensOf returns t for a response.
func UserTokensOf(t access.UserTokens) UserTokens {
	return UserTokens{
		Each(t.Tokens, func(t access.UserToken) UserToken {
			return UserToken{TokenOf(t.Token), t.ProjectName, access.OnlyReadsPublic(t.Token)}
		}), t.Others,
	}
}

// EndedTokens are the tokens of a deactivated user.
type EndedTokens struct {
	Revoked UserTokens `json:"revoked" doc:"The tokens that the deactivation revoked."`
	Kept    UserTokens `json:"kept" doc:"The tokens that continue to work."`
}

// UpdatedUser is an account after a change.
type UpdatedUser struct {
	User

	Tokens *EndedTokens `json:"tokens,omitempty" doc:"Only if the body has active false: what became of the tokens that the user created, in all projects."`
}

// UpdatedUserOf returns u for a response.
func UpdatedUserOf(u access.UpdatedUser) UpdatedUser {
	shown := UpdatedUser{User: UserOf(u.User)}
	if u.Tokens != nil {
		shown.Tokens = &EndedTokens{UserTokensOf(u.Tokens.Revoked), UserTokensOf(u.Tokens.Kept)}
	}
	return shown
}

// UserInput describes a new account.
type UserInput struct {
	TenantID   *int64 `json:"tenantId,omitempty" nullable:"true" doc:"The tenant that manages the account; omitted or null means the platform." example:"1"`
	Email      string `json:"email" format:"email" example:"editor@meridian.example"`
	Name       string `json:"name" example:"Edda Editor"`
	Password   string `json:"password" format:"password" minLength:"10" maxLength:"1024" doc:"10 characters to 1,024 bytes, and none of the 10,000 commonest passwords." example:"correct horse battery staple"`
	SuperAdmin bool   `json:"superAdmin,omitempty" doc:"Only super admins may set it." example:"false"`
}

// UserChange changes the members of an account that a body contains.
type UserChange struct {
	Email      *string `json:"email,omitempty" format:"email" example:"edda@meridian.example"`
	Name       *string `json:"name,omitempty" example:"Edda Editor"`
	Active     *bool   `json:"active,omitempty" doc:"false ends the user's sessions, and revokes tokens: see tokens." example:"true"`
	SuperAdmin *bool   `json:"superAdmin,omitempty" doc:"Only super admins may change it." example:"false"`
	Tokens     *string `json:"tokens,omitempty" enum:"keep,revoke" example:"revoke"`
}

// TransformSchema implements huma.SchemaTransformer.
func (UserChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"tokens": "Only with active false: keep revokes no token that the user created, revoke revokes all of them, in all projects. " +
			"Without it, deactivation revokes those that can write or that read drafts or history, and keeps the others, so that " +
			"websites continue to work. If the account was inactive before, it revokes none.",
	})
}

// PasswordChange sets a password.
type PasswordChange struct {
	Current string `json:"current,omitempty" format:"password" doc:"Required when users change their own password." example:"correct horse battery staple"`
	New     string `json:"new" format:"password" minLength:"10" maxLength:"1024" doc:"As for a new account. Users must choose another one than the current." example:"a longer and better password"`
}
