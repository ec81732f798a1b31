package wire

import (
	"encoding/json"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/installation"
)

// Credentials are those of a sign-in.
type Credentials struct {
	Email    string          `json:"email,omitempty" format:"email" doc:"Case-insensitive." example:"editor@meridian.example"`
	Password string          `json:"password,omitempty" format:"password" doc:"The account's password." example:"correct horse battery staple"`
	Passkey  json.RawMessage `json:"passkey,omitempty" doc:"Instead of the others: the PublicKeyCredential of navigator.credentials.get, as its toJSON returns it."`
}

// SecondStep finishes a sign-in with one of the members.
type SecondStep struct {
	TOTP     *string         `json:"totp,omitempty" doc:"A code of the authenticator app: six digits. Each counts once." example:"123456"`
	Passkey  json.RawMessage `json:"passkey,omitempty" doc:"The PublicKeyCredential of navigator.credentials.get, as its toJSON returns it."`
	Recovery *string         `json:"recovery,omitempty" doc:"A recovery code. Each counts once." example:"mfrg-gzdf-mztw-q2lk"`
}

// Verification proves again who the user of a session is, with one of the members.
type Verification struct {
	Password *string         `json:"password,omitempty" format:"password" doc:"The account's password, for an account without second factor." example:"correct horse battery staple"`
	TOTP     *string         `json:"totp,omitempty" doc:"A code of the authenticator app: six digits. Each counts once." example:"123456"`
	Passkey  json.RawMessage `json:"passkey,omitempty" doc:"The PublicKeyCredential of navigator.credentials.get, as its toJSON returns it."`
}

// Verified says how and until when the session counts as verified.
type Verified struct {
	Verified core.Way `json:"verified" enum:"password,totp,passkey" example:"totp"`
	Until    string   `json:"until" format:"date-time" doc:"Five minutes later." example:"2026-01-02T15:09:05.000Z"`
}

// VerifiedOf returns p for a response.
func VerifiedOf(p core.Proof) Verified { return Verified{p.Way, core.FormatTime(p.Until())} }

// NextStep says how a sign-in goes on.
type NextStep struct {
	Next []core.Way `json:"next" nullable:"false" enum:"totp,passkey,recovery" doc:"The ways of which one finishes the sign-in." example:"[\"totp\",\"recovery\"]"`
}

// Session is the signed-in user.
type Session struct {
	ID                 int64           `json:"id" doc:"The user's id." example:"3"`
	Email              string          `json:"email" format:"email" example:"editor@meridian.example"`
	Name               string          `json:"name" example:"Edda Editor"`
	TenantID           *int64          `json:"tenantId" doc:"The tenant that manages the account; null means the platform." example:"1"`
	SuperAdmin         bool            `json:"superAdmin" doc:"Whether the user has all permissions." example:"false"`
	MustChangePassword bool            `json:"mustChangePassword" doc:"Whether another user has set the password. Until the user has changed it, other requests are rejected." example:"false"`
	Factors            []core.Way      `json:"factors" nullable:"false" enum:"totp,passkey" doc:"The kinds of second factors that the user has." example:"[\"totp\"]"`
	MustAddFactor      bool            `json:"mustAddFactor" doc:"Whether the user must set up a second factor. Until then, other requests are rejected." example:"false"`
	Mail               bool            `json:"mail" doc:"Whether the installation sends e-mails. Without, notices are only in the dashboard." example:"true"`
	PausedSince        *string         `json:"pausedSince" format:"date-time" doc:"Since when the installation is paused after a restore: schedules, webhooks and e-mails wait; null: it is not." example:"2026-01-02T15:04:05.000Z"`
	Actions            PlatformActions `json:"actions" nullable:"false"`
	VerifiedUntil      *string         `json:"verifiedUntil" format:"date-time" doc:"Until when the session counts as verified (POST /api/session/verify); null: it does not." example:"2026-01-02T15:09:05.000Z"`
	Roles              []Grant         `json:"roles" nullable:"false" doc:"The roles of the user with their scopes."`
	CustomRoles        []int64         `json:"customRoles" nullable:"false" doc:"Ids of the custom roles that the user holds." example:"[2]"`
}

// Grant is a role with its scope.
type Grant struct {
	Role         core.Role `json:"role" enum:"tenant_admin,department_admin,admin,editor,viewer" example:"editor"`
	TenantID     int64     `json:"tenantId" example:"1"`
	DepartmentID *int64    `json:"departmentId" doc:"null for a role in a tenant, or in a Project without a department." example:"1"`
	ProjectID    *int64    `json:"projectId" doc:"null unless the role is in a Project." example:"1"`
}

// SessionOf returns actor, a user, for a response at a time. mail reports whether the installation, whose state is
// given, sends e-mails.
func SessionOf(actor core.Actor, now time.Time, mail bool, state installation.Installation) Session {
	u := actor.User
	var verified time.Time
	if actor.Proof.Decides(u, now) {
		verified = actor.Proof.Until()
	}
	return Session{
		VerifiedUntil: TimeOrNull(verified),
		ID:            u.ID, Email: u.Email, Name: u.Name, TenantID: core.NullIfZero(u.TenantID), SuperAdmin: u.SuperAdmin, MustChangePassword: u.MustChangePassword, Mail: mail,
		Factors: u.Factors(), MustAddFactor: actor.NeedsFactor(now), PausedSince: TimeOrNull(state.PausedAt),
		Actions: access.AllowedActions(actor, access.Place{}),
		Roles: Each(actor.Grants, func(g core.Grant) Grant {
			return Grant{Role: g.Role, TenantID: g.TenantID, DepartmentID: core.NullIfZero(g.DepartmentID), ProjectID: core.NullIfZero(g.ProjectID)}
		}),
		CustomRoles: Each(actor.CustomRoles, func(r core.CustomRole) int64 { return r.ID }),
	}
}
