package core

import (
	"slices"
	"time"
)

// Role is a tier of rights. Higher tiers include lower ones, downwards: a tenant
// admin is department admin and project admin everywhere in the Tenant.
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

// Includes reports whether r carries every right of other. The empty role carries none.
func (r Role) Includes(other Role) bool {
	return r != "" && roleRank[r] >= roleRank[other]
}

// User is a person who signs in to the dashboard.
type User struct {
	ID    int64
	Email string // unique, compared without regard to case, kept lower-case
	Name  string
	// TenantID is the Tenant that looks after the account; 0: the platform's own,
	// which only super admins look after.
	TenantID     int64
	PasswordHash string // PHC string
	SuperAdmin   bool
	Active       bool
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Grant gives a user a role in one scope. The ids above the scope are filled in
// when a grant is read, so that a policy can decide without looking anything up:
// a project grant carries the Project's Department and Tenant as they are now.
type Grant struct {
	UserID       int64
	Role         Role // tenant_admin, department_admin, admin, editor or viewer
	TenantID     int64
	DepartmentID int64 // 0 for a tenant_admin grant and for a Project without Department
	ProjectID    int64 // 0 unless Role is admin, editor or viewer
}

// Session is one sign-in. Only the hash of its id is stored.
type Session struct {
	Hash      [32]byte // SHA-256 of the cookie's value
	UserID    int64
	CreatedAt time.Time
	ExpiresAt time.Time
}

// FailedSignIns counts failed sign-ins of one key: an account or an address.
type FailedSignIns struct {
	Key    string
	Count  int
	EndsAt time.Time // from then on they do not count
}

// Ability is what a token may do.
type Ability string

// The abilities of a token.
const (
	AbilityRead   Ability = "read"
	AbilityCreate Ability = "create"
	AbilityUpdate Ability = "update"
	AbilityDelete Ability = "delete"
)

// Token opens the content API of one Project. The secret is shown once; only its
// hash is stored.
type Token struct {
	ID          int64
	ProjectID   int64
	Name        string
	Hash        [32]byte // SHA-256 of the whole secret
	Hint        string   // the secret's last characters, to tell tokens apart
	Abilities   []Ability
	AllowDrafts bool
	// RateLimit is requests per 60 s: nil takes the service's default, 0 is no limit.
	RateLimit  *int
	ExpiresAt  time.Time // zero: never
	LastUsedAt time.Time // zero: never used; at most a minute behind
	RevokedAt  time.Time // zero: not revoked
	CreatedBy  int64
	CreatedAt  time.Time
}

// Can reports whether the token has ability a.
func (t *Token) Can(a Ability) bool { return slices.Contains(t.Abilities, a) }

// Valid reports whether the token opens anything at time now.
func (t *Token) Valid(now time.Time) bool {
	return t.RevokedAt.IsZero() && (t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt))
}

// Actor is who is asking: exactly one of a signed-in user, a token, or the system
// itself (a command of the operator). The zero Actor is nobody.
type Actor struct {
	User        *User
	Grants      []Grant
	CustomRoles []CustomRole // that the user holds, ordered by id
	Token       *Token
	System      bool
}

// Anonymous reports whether nobody is asking.
func (a Actor) Anonymous() bool { return a.User == nil && a.Token == nil && !a.System }

// UserID returns the signed-in user's id, or 0.
func (a Actor) UserID() int64 {
	if a.User == nil {
		return 0
	}
	return a.User.ID
}
