package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// TenantStore keeps tenants.
type TenantStore interface {
	// Tenants returns all tenants, ordered by id.
	Tenants(ctx context.Context) ([]core.Tenant, error)
	Tenant(ctx context.Context, id int64) (core.Tenant, error)
	Insert(ctx context.Context, t *core.Tenant) error // sets ID
	Update(ctx context.Context, t core.Tenant) error
	// Delete removes the tenant; core.ErrConflict while it has departments, projects or users.
	Delete(ctx context.Context, id int64) error
}

// DepartmentStore keeps departments.
type DepartmentStore interface {
	// Departments returns the tenant's departments, ordered by id.
	Departments(ctx context.Context, tenantID int64) ([]core.Department, error)
	Department(ctx context.Context, id int64) (core.Department, error)
	Insert(ctx context.Context, d *core.Department) error // sets ID
	Update(ctx context.Context, d core.Department) error  // name only
	// Delete removes the department with its grants and custom roles;
	// core.ErrConflict while it has projects.
	Delete(ctx context.Context, id int64) error
}

// CustomRoleStore stores the custom roles of departments and their holders.
type CustomRoleStore interface {
	// CustomRoles returns the department's roles, ordered by id.
	CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error)
	// CustomRole returns the role. Inside a transaction the role exists until the
	// transaction ends.
	CustomRole(ctx context.Context, id int64) (core.CustomRole, error)
	// Lock locks the role as UserStore.Lock locks an account. It also waits for the
	// transactions that have read the role.
	Lock(ctx context.Context, id int64) error
	// Insert sets ID; core.ErrConflict when the department has a role of that name.
	Insert(ctx context.Context, r *core.CustomRole) error
	Update(ctx context.Context, r core.CustomRole) error // name only; ErrConflict as Insert
	Delete(ctx context.Context, id int64) error          // and removes it from its holders
	// Holders returns the users that hold the role, ordered by id.
	Holders(ctx context.Context, roleID int64) ([]core.User, error)
	Give(ctx context.Context, roleID, userID int64) error // no error when held already
	Take(ctx context.Context, roleID, userID int64) error // ErrNotFound when not held
}

// ProjectStore keeps projects.
type ProjectStore interface {
	// Projects returns the tenant's projects, ordered by id.
	Projects(ctx context.Context, tenantID int64) ([]*core.Project, error)
	Project(ctx context.Context, id int64) (*core.Project, error)
	ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error)
	// ProjectsByIDs returns those that exist, ordered by id.
	ProjectsByIDs(ctx context.Context, ids []int64) ([]*core.Project, error)
	// Hold returns the Project. Inside a transaction, the definitions in it, which are
	// the Project itself and its collections, stay as they are until the transaction
	// ends. A transaction that writes entries holds the Project before it reads any
	// definition and before every other lock. Any number of transactions hold a Project
	// at once; Hold waits for a transaction that has, or waits for, its Lock.
	Hold(ctx context.Context, id int64) (*core.Project, error)
	// TryHold is Hold without waiting: ok is false when Hold would wait.
	TryHold(ctx context.Context, id int64) (p *core.Project, ok bool, err error)
	// Lock waits until no other transaction holds or locks the Project, and keeps
	// others from both until the transaction ends. A transaction that changes the
	// Project or a definition in it calls Lock before it reads any of them and before
	// every other lock.
	Lock(ctx context.Context, id int64) error
	Insert(ctx context.Context, p *core.Project) error // sets ID
	// Update replaces all but the UUID, the Tenant and CreatedAt. Every entry then serves
	// the locales that the new Locales, Fallbacks and DefaultLocale say.
	Update(ctx context.Context, p *core.Project) error
	// Delete removes the project and everything in it.
	Delete(ctx context.Context, id int64) error
}

// UserStore keeps user accounts.
type UserStore interface {
	User(ctx context.Context, id int64) (core.User, error)
	// UserByEmail finds by the lower-case form.
	UserByEmail(ctx context.Context, email string) (core.User, error)
	// Users returns a page of accounts, ordered by id, one more than limit when there
	// are more: all of them, or with a tenantID those that the tenant looks after.
	Users(ctx context.Context, tenantID int64, offset, limit int64) ([]core.User, error)
	// Lock locks the account until the transaction ends. Another Lock of the same account
	// waits. A transaction that changes an account calls Lock before it reads the account, so
	// that no update is lost.
	Lock(ctx context.Context, id int64) error
	Insert(ctx context.Context, u *core.User) error // sets ID; ErrConflict when the e-mail is taken
	Update(ctx context.Context, u core.User) error  // ErrConflict as Insert
}

// GrantStore stores the roles of users. A user has at most one role in one scope (a tenant, a
// department or a project).
type GrantStore interface {
	// UserGrants returns the user's grants and the custom roles that the user holds,
	// ordered by id.
	UserGrants(ctx context.Context, userID int64) ([]core.Grant, []core.CustomRole, error)
	// TenantMembers, DepartmentMembers and ProjectMembers return the grants made in
	// exactly that scope, ordered by user id.
	TenantMembers(ctx context.Context, tenantID int64) ([]core.Grant, error)
	DepartmentMembers(ctx context.Context, departmentID int64) ([]core.Grant, error)
	ProjectMembers(ctx context.Context, projectID int64) ([]core.Grant, error)
	// Reviewers returns, in unspecified order, the active users that may act on steps in the
	// Project of that Department and Tenant, 0 for none: its admins and those of the
	// Department and the Tenant, super admins, and the holders of the Department's custom
	// roles. A user has an element for each role. One SQL statement.
	Reviewers(ctx context.Context, tenantID, departmentID, projectID int64) ([]core.Reviewer, error)
	// Set gives g.Role in the scope that the role and g's ids name, in place of what
	// the user had there.
	Set(ctx context.Context, g core.Grant) error
	// Remove removes the user's role in that scope; ErrNotFound when the user has none. The
	// scope is ProjectID if set, else DepartmentID, else TenantID.
	Remove(ctx context.Context, g core.Grant) error
}

// SessionStore keeps sign-ins.
type SessionStore interface {
	Insert(ctx context.Context, s core.Session) error
	// Session returns the session of that hash, whether or not it has ended by time.
	Session(ctx context.Context, hash [32]byte) (core.Session, error)
	Delete(ctx context.Context, hash [32]byte) error // no error when there is none
	DeleteByUser(ctx context.Context, userID int64) error
	// DeleteExpired removes those that ended before now.
	DeleteExpired(ctx context.Context, now time.Time) error
}

// FailedSignInStore counts failed sign-ins by key. The counts are shared by all
// processes on one database.
type FailedSignInStore interface {
	// FailedSignIns returns the counts of the keys whose EndsAt is after now, in no
	// promised order.
	FailedSignIns(ctx context.Context, keys []string, now time.Time) ([]core.FailedSignIns, error)
	// Add counts one more failure of the key and returns the count. The first one, and
	// the first after a count has ended, begins a count that ends at endsAt. Inside a
	// transaction another Add of the same key waits until the transaction ends.
	Add(ctx context.Context, key string, now, endsAt time.Time) (core.FailedSignIns, error)
	// Forget removes the count of the key; no error when there is none.
	Forget(ctx context.Context, key string) error
	// DeleteEnded removes the counts whose EndsAt has come.
	DeleteEnded(ctx context.Context, now time.Time) error
}

// TokenStore keeps API tokens.
type TokenStore interface {
	// Tokens returns the project's tokens, revoked ones included, ordered by id.
	Tokens(ctx context.Context, projectID int64) ([]core.Token, error)
	Token(ctx context.Context, projectID, id int64) (core.Token, error)
	TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error)
	// Lock locks the token as UserStore.Lock locks an account.
	Lock(ctx context.Context, projectID, id int64) error
	Insert(ctx context.Context, t *core.Token) error // sets ID
	// Update replaces name, abilities, allowDrafts, rate limit, expiry and revocation.
	Update(ctx context.Context, t core.Token) error
	// Touch sets LastUsedAt of many tokens by id, unless it is later already.
	Touch(ctx context.Context, used map[int64]time.Time) error
}

// Credentials finds the actor of a credential, for every request. A result may be up to one
// second behind the changes of another replica, but never behind those of this process.
type Credentials interface {
	TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error)
	// SessionActor returns the session with its user, grants and custom roles.
	SessionActor(ctx context.Context, hash [32]byte) (core.Session, core.Actor, error)
}
