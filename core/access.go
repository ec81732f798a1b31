package core

import (
	"slices"
	"time"
)

// Role is a set of permissions in one scope. A higher role includes the lower ones in every
// scope below: a tenant admin is department admin and project admin everywhere in the Tenant.
type Role string

// The roles, highest first. RoleAdmin is the Project Admin.
const (
	RoleSuperAdmin      Role = "super_admin"
	RoleTenantAdmin     Role = "tenant_admin"
	RoleDepartmentAdmin Role = "department_admin"
	RoleAdmin           Role = "admin"
	RoleEditor          Role = "editor"
	RoleViewer          Role = "viewer"
)

var roleRank = map[Role]int{
	RoleSuperAdmin: 6, RoleTenantAdmin: 5, RoleDepartmentAdmin: 4, RoleAdmin: 3, RoleEditor: 2, RoleViewer: 1,
}

// Includes reports whether r has all permissions of other. The empty role has none.
func (r Role) Includes(other Role) bool {
	return r != "" && roleRank[r] >= roleRank[other]
}

// User is an account of the dashboard.
type User struct {
	ID    int64
	Email string // unique, stored in lower case, compared case-insensitively
	Name  string
	// TenantID is the Tenant whose admins manage the account; 0: only super admins manage it.
	TenantID     int64
	PasswordHash string // PHC string
	SuperAdmin   bool
	Active       bool
	// MustChangePassword means that another user set the password: until its owner has changed it,
	// sessions allow nothing else.
	MustChangePassword bool
	TOTP               bool // has a confirmed authenticator app
	Passkeys           int  // number of passkeys
	Settings           Settings
	// Generation grows when all sessions of the user end (ports.SessionStore.DeleteByUser): a sign-in that
	// began in an earlier one cannot finish.
	Generation   int64
	LastSignInAt time.Time // zero: never
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Settings are a user's preferences for the dashboard.
type Settings struct {
	Language string // "en" or "de"; empty: the language of the browser
	TimeZone string // IANA name; empty: the time zone of the browser
	Theme    string // "light" or "dark"; empty: the theme of the system
	// Mail has the kinds of notices whose e-mails differ from the default.
	Mail NoticeSet
	// ReachAbove also tells the user about steps that the user could act on by a higher role.
	ReachAbove bool
}

// Grant gives a user a role in one scope. A grant that was read from a store also has the ids
// of the scopes above, so that the policy decides without reads: a grant in a Project has the
// present DepartmentID and TenantID of the Project.
type Grant struct {
	UserID       int64
	Role         Role // tenant_admin, department_admin, admin, editor or viewer
	TenantID     int64
	DepartmentID int64 // 0 for a tenant_admin grant and for a Project without Department
	ProjectID    int64 // 0 unless Role is admin, editor or viewer
}

// Way is a way in which a user proves who they are.
type Way string

// The ways.
const (
	WayPassword Way = "password"
	WayTOTP     Way = "totp" // a code of an authenticator app
	WayPasskey  Way = "passkey"
	WayRecovery Way = "recovery" // a recovery code
	// WayProvider is a sign-in at an identity provider, and WayProviderFactor one that is trusted with the second
	// factor, too.
	WayProvider       Way = "provider"
	WayProviderFactor Way = "provider_factor"
)

// ProofLifetime is the time for which a Proof is fresh.
const ProofLifetime = 5 * time.Minute

// Proof states that the user of a session proved again, after the sign-in, who they are. The zero
// Proof is none.
type Proof struct {
	At  time.Time // of the database
	Way Way
}

// Until returns the time from which on p is no longer fresh.
func (p Proof) Until() time.Time { return p.At.Add(ProofLifetime) }

// Fresh reports whether p was given less than ProofLifetime before now.
func (p Proof) Fresh(now time.Time) bool { return !p.At.IsZero() && now.Before(p.Until()) }

// Decides reports whether p counts for a decision of u: it is fresh, was not given with a recovery code, and, if u has a
// second factor, neither with the password alone nor at an identity provider that is not trusted with it.
func (p Proof) Decides(u *User, now time.Time) bool {
	half := p.Way == WayPassword || p.Way == WayProvider
	return p.Fresh(now) && p.Way != WayRecovery && (!half || !u.HasFactor())
}

// Ability is one permission of a token.
type Ability string

// The abilities of a token.
const (
	AbilityRead   Ability = "read"
	AbilityCreate Ability = "create"
	AbilityUpdate Ability = "update"
	AbilityDelete Ability = "delete"
)

// SchemaAccess says which changes of the definitions of its Project a token may make.
type SchemaAccess string

// The values of SchemaAccess.
const (
	SchemaNone        SchemaAccess = ""
	SchemaChange      SchemaAccess = "change"      // those that remove no values and need no acknowledgement
	SchemaDestructive SchemaAccess = "destructive" // all
)

// Token gives access to the content API of one Project. Its secret is returned once, at
// creation; only the hash is stored.
type Token struct {
	ID          int64
	ProjectID   int64
	Name        string
	Hash        [32]byte // SHA-256 of the whole secret
	Hint        string   // the last characters of the secret, shown in lists
	Abilities   []Ability
	AllowDrafts bool
	// AllowHistory allows reads of versions that were public at earlier times.
	AllowHistory bool
	// AllowSchema allows requests for the definitions of the Project as a file. Such a token expires, and is
	// valid only while the user that created it is an admin of the Project. It never changes.
	AllowSchema SchemaAccess
	// RateLimit is the number of requests per 60 s. nil means the default of the service, 0
	// means no limit.
	RateLimit  *int
	ExpiresAt  time.Time // zero: never
	LastUsedAt time.Time // zero: never used; may be one minute old
	RevokedAt  time.Time // zero: not revoked
	Off        bool      // since the database was restored; see Resumption
	CreatedBy  int64
	CreatedAt  time.Time
}

// TokenUse is the use of a token by one process since the process last stored it.
type TokenUse struct {
	TokenID       int64
	UsedAt        time.Time // zero: no time to store
	Reads, Writes int64     // number of requests
}

// TokenUsage is the number of requests of a token on a day in UTC.
type TokenUsage struct {
	Day           time.Time // its beginning
	Reads, Writes int64
}

// UsageDays is the number of days for which the requests of tokens are kept.
const UsageDays = 90

// Day returns the beginning of the day of t in UTC.
func Day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// Can reports whether the token has ability a.
func (t *Token) Can(a Ability) bool { return slices.Contains(t.Abilities, a) }

// Valid reports whether the token is neither revoked, off nor expired at time now.
func (t *Token) Valid(now time.Time) bool {
	return t.RevokedAt.IsZero() && !t.Off && (t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt))
}

// Actor is the caller of a use case: exactly one of a signed-in user, a token, or the system
// (a command or a background job). The zero Actor is an anonymous caller.
type Actor struct {
	User        *User
	Grants      []Grant
	CustomRoles []CustomRole // held by the user, ordered by id
	// Lent are the users on whose behalf the user may decide now, by the id of the Delegation.
	Lent []Lender
	// Session is the account.Session.Hash of the user's session, and Proof its Proof, which can be up to a
	// second old. Both are zero for an actor without a session.
	Session [32]byte
	Proof   Proof
	// SecondFactorFrom is the time from which on the user, who has none, needs a second factor. Zero:
	// never.
	SecondFactorFrom time.Time
	Token            *Token
	// Maker is the user that created Token, if the token has AllowSchema.
	Maker  *User
	System bool
	// Assistant acts for User, who has no Session, CustomRoles and Lent then. It has at most the role of an editor, and
	// only in its Projects.
	Assistant *Assistant
	// Preview shows a site what User may read, who has no Session, CustomRoles and Lent then.
	Preview *Preview
	// Claim is the idempotency claim of the actor's request. The transaction that changes data
	// for the actor settles it (ports.Tx). It is nil for a request without an Idempotency-Key.
	Claim *IdempotencyClaim
	// Import is that of the events of the actor's changes (ports.Tx).
	Import Import
}

// UserID returns the signed-in user's id, or 0.
func (a Actor) UserID() int64 {
	if a.User == nil {
		return 0
	}
	return a.User.ID
}

// RoleIn returns the highest role that a has in a place, or "" for none. The place is a
// Tenant, a Department (with its tenantID) or a Project (with all ids); ids that do not apply
// are 0. Roles apply downwards: a tenant admin is admin in every Department and Project of
// the Tenant. A token has no role, and an assistant at most that of an editor, in its Projects.
func (a Actor) RoleIn(tenantID, departmentID, projectID int64) Role {
	if a.Assistant == nil {
		return a.ownRole(tenantID, departmentID, projectID)
	}
	if projectID == 0 || !a.Assistant.In(projectID) {
		return ""
	}
	role := a.ownRole(tenantID, departmentID, projectID)
	if role.Includes(RoleEditor) {
		role = RoleEditor
	}
	return role
}

// ownRole returns the highest role of the user in a place; see RoleIn.
func (a Actor) ownRole(tenantID, departmentID, projectID int64) Role {
	if a.System || a.User != nil && a.User.SuperAdmin {
		return RoleSuperAdmin
	}
	var highest Role
	for _, g := range a.Grants {
		if g.reaches(tenantID, departmentID, projectID) && !highest.Includes(g.Role) {
			highest = g.Role
		}
	}
	return highest
}

// ReadsDrafts reports whether the actor, which may read the content of a Project, also reads its drafts.
func (a Actor) ReadsDrafts() bool {
	switch {
	case a.Assistant != nil:
		return a.Assistant.Drafts
	case a.Preview != nil:
		return a.Preview.Drafts
	case a.Token != nil:
		return a.Token.AllowDrafts
	default:
		return a.System || a.User != nil
	}
}

// ReadsHistory reports whether the actor reads what was public at earlier times through the content API.
func (a Actor) ReadsHistory() bool { return a.Token != nil && a.Token.AllowHistory }

// HasAt reports whether a grant of a, in exactly the place of g, includes the role of g.
func (a Actor) HasAt(g Grant) bool {
	return slices.ContainsFunc(a.Grants, func(own Grant) bool {
		return own.TenantID == g.TenantID && own.DepartmentID == g.DepartmentID && own.ProjectID == g.ProjectID && own.Role.Includes(g.Role)
	})
}

// RoleInProject returns the highest role that a has in p, or "" for none.
func (a Actor) RoleInProject(p *Project) Role { return a.RoleIn(p.TenantID, p.DepartmentID, p.ID) }

// reaches reports whether the place is in the scope of the grant.
func (g Grant) reaches(tenantID, departmentID, projectID int64) bool {
	switch g.Role {
	case RoleTenantAdmin:
		return tenantID != 0 && g.TenantID == tenantID
	case RoleDepartmentAdmin:
		return departmentID != 0 && g.DepartmentID == departmentID
	default:
		return projectID != 0 && g.ProjectID == projectID
	}
}

// IdempotencyKey is an Idempotency-Key together with its caller.
type IdempotencyKey struct {
	Caller string // "user:7" or "token:3"
	Key    string // as passed to the store, at most 255 bytes
}

// IdempotencyClaim is the claim of one request on a key.
type IdempotencyClaim struct {
	Key IdempotencyKey
	At  time.Time // time of the claim by the database's clock; unique among the claims of a key
}

// Import says whether an import makes a change, and whether webhooks get the events of its changes.
type Import uint8

// The values of Import.
const (
	NoImport    Import = iota
	OpenImport         // webhooks that take imports get the events
	QuietImport        // no webhook gets them
)

// SystemActor is the actor of background jobs and of commands.
var SystemActor = Actor{System: true}

// NeedsFactor reports whether a, a user, must set up a second factor before anything else.
func (a *Actor) NeedsFactor(now time.Time) bool {
	return !a.SecondFactorFrom.IsZero() && !now.Before(a.SecondFactorFrom)
}

// Factors returns the ways in which the user can take the second step of a sign-in, beside recovery
// codes.
func (u *User) Factors() []Way {
	ways := []Way{}
	if u.TOTP {
		ways = append(ways, WayTOTP)
	}
	if u.Passkeys > 0 {
		ways = append(ways, WayPasskey)
	}
	return ways
}

// HasFactor reports whether the user has a second factor. Recovery codes are none.
func (u *User) HasFactor() bool { return u.TOTP || u.Passkeys > 0 }

// NoticeSet is a set of kinds of notices: bit n is set for the n-th of notice.Kinds.
type NoticeSet uint32

// The lowest roles that may set the workflows that govern a Project: RoleSetsWorkflow or, in a Project without
// Department, RoleSetsUnattached.
const (
	RoleSetsWorkflow   = RoleTenantAdmin
	RoleSetsUnattached = RoleSuperAdmin
)

// MaySetWorkflow reports whether a may set the workflow that governs p.
func (a Actor) MaySetWorkflow(p *Project) bool {
	if p.DepartmentID == 0 {
		return a.RoleInProject(p).Includes(RoleSetsUnattached)
	}
	return a.RoleInProject(p).Includes(RoleSetsWorkflow)
}
