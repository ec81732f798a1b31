package ports

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/review"
)

// TenantStore stores tenants.
type TenantStore interface {
	// Tenants returns all tenants, ordered by id.
	Tenants(ctx context.Context) ([]core.Tenant, error)
	Tenant(ctx context.Context, id int64) (core.Tenant, error)
	Insert(ctx context.Context, t *core.Tenant) error // sets ID
	Update(ctx context.Context, t core.Tenant) error
	// Delete removes the tenant. It returns core.ErrConflict while the tenant has departments,
	// Projects or users.
	Delete(ctx context.Context, id int64) error
}

// DepartmentStore stores departments.
type DepartmentStore interface {
	// Departments returns the tenant's departments, ordered by id.
	Departments(ctx context.Context, tenantID int64) ([]core.Department, error)
	Department(ctx context.Context, id int64) (core.Department, error)
	Insert(ctx context.Context, d *core.Department) error // sets ID
	Update(ctx context.Context, d core.Department) error  // name only
	// Delete removes the department with its grants and custom roles. It returns
	// core.ErrConflict while the department has Projects.
	Delete(ctx context.Context, id int64) error
}

// CustomRoleStore stores the custom roles of departments and their holders.
type CustomRoleStore interface {
	RoleHolders
	// CustomRoles returns the department's roles, ordered by id.
	CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error)
	// CustomRole returns the role. Inside a transaction the role exists until the
	// transaction ends.
	CustomRole(ctx context.Context, id int64) (core.CustomRole, error)
	// Lock locks the role until the transaction ends, as UserStore.Lock locks an account. It
	// also waits for the transactions that have read the role.
	Lock(ctx context.Context, id int64) error
	// Insert adds r and sets its ID. It returns core.ErrConflict when the department has a
	// role with that name.
	Insert(ctx context.Context, r *core.CustomRole) error
	Update(ctx context.Context, r core.CustomRole) error // name only; core.ErrConflict as Insert
	Delete(ctx context.Context, id int64) error          // also unassigns it from its holders
}

// RoleHolders has the users that hold custom roles.
type RoleHolders interface {
	// Holders returns the users that hold the role, ordered by id.
	Holders(ctx context.Context, roleID int64) ([]core.User, error)
	Assign(ctx context.Context, roleID, userID int64) error   // no error when held already
	Unassign(ctx context.Context, roleID, userID int64) error // ErrNotFound when not held
}

// ProjectStore stores Projects.
type ProjectStore interface {
	ProjectReader
	ProjectLocker
	Insert(ctx context.Context, p *core.Project) error // sets ID
	// Update replaces all members except UUID, TenantID and CreatedAt. The locales that entries
	// serve stay: see EntryUpkeep.Serve.
	Update(ctx context.Context, p *core.Project) error
	// Delete removes the Project and everything in it. Reads show none of it from then on; DeletionStore
	// deletes the rows.
	Delete(ctx context.Context, id int64) error
}

// ProjectReader finds Projects.
type ProjectReader interface {
	// Projects returns the tenant's projects, ordered by id.
	Projects(ctx context.Context, tenantID int64) ([]*core.Project, error)
	Project(ctx context.Context, id int64) (*core.Project, error)
	ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error)
	// ProjectsByIDs returns the existing Projects among ids, ordered by id.
	ProjectsByIDs(ctx context.Context, ids []int64) ([]*core.Project, error)
}

// ProjectLocker locks the definitions of a Project.
type ProjectLocker interface {
	// Hold returns the Project. Inside a transaction it takes a shared lock: the definitions
	// of the Project and of its collections do not change until the transaction ends. A
	// transaction that writes entries calls Hold before it reads any definition and before
	// it takes any other lock. Hold waits for a transaction that has, or waits for, Lock.
	Hold(ctx context.Context, id int64) (*core.Project, error)
	// TryHold is Hold without waiting: ok is false when Hold would wait.
	TryHold(ctx context.Context, id int64) (p *core.Project, ok bool, err error)
	// Lock takes the exclusive lock of the Project until the transaction ends: it waits for
	// other transactions in Hold or Lock, and they wait for it. A transaction that changes
	// the definition of the Project or of a collection calls Lock before it reads any
	// definition and before it takes any other lock.
	Lock(ctx context.Context, id int64) error
}

// LocaleFillStore stores how far the back-fills of core.Project.Index have come. Several processes
// share them.
type LocaleFillStore interface {
	// Unsettled returns the ids of the Projects that are not core.Project.Settled, in ascending order.
	Unsettled(ctx context.Context) ([]int64, error)
	// Take takes the next portion of the pass for the version of p.Index until the transaction ends,
	// which has called ProjectLocker.Hold. after is the last translation group that the pass has done, 0
	// for none. taken is false while another transaction has a portion of p.
	Take(ctx context.Context, p *core.Project) (after int64, taken bool, err error)
	// Reach stores that the pass has done the translation groups up to group. The transaction has
	// called Take.
	Reach(ctx context.Context, p *core.Project, group int64) error
	// Save replaces Index of the Project, without an event: readers see no change. The transaction has
	// called ProjectLocker.Lock.
	Save(ctx context.Context, p *core.Project) error
}

// DeletionStore deletes the rows that are left of deleted Projects and collections. Several processes
// share the work.
type DeletionStore interface {
	// Deletions returns the deletions of which rows are left, the first that began first.
	Deletions(ctx context.Context) ([]core.Deletion, error)
	// DeleteSome deletes up to limit rows of d in one transaction, and for each entry among them its
	// unpublication and the name of its group. done is true when nothing is left. taken is false while
	// another transaction has d, or when d has ended.
	DeleteSome(ctx context.Context, d core.Deletion, limit int) (done, taken bool, err error)
}

// UserStore stores user accounts.
type UserStore interface {
	UserReader
	// Lock locks the account until the transaction ends. Another Lock of the same account
	// waits. A transaction that changes an account calls Lock before it reads the account, so
	// that no update is lost.
	Lock(ctx context.Context, id int64) error
	Insert(ctx context.Context, u *core.User) error // sets ID; core.ErrConflict when another account has the e-mail
	// Update replaces all members except TOTP, Passkeys, LastSignInAt and CreatedAt; core.ErrConflict as Insert.
	Update(ctx context.Context, u core.User) error
}

// UserReader finds user accounts.
type UserReader interface {
	User(ctx context.Context, id int64) (core.User, error)
	// UsersByIDs returns the existing accounts among ids, ordered by id. One SQL statement.
	UsersByIDs(ctx context.Context, ids []int64) ([]core.User, error)
	// UserByEmail returns the account with that e-mail address, compared in lower case.
	UserByEmail(ctx context.Context, email string) (core.User, error)
	// Users returns a page of the accounts that the tenant manages, ordered by id. With
	// tenantID 0 it returns a page of all accounts. It returns limit+1 accounts when more
	// accounts follow the page.
	Users(ctx context.Context, tenantID int64, offset, limit int64) ([]core.User, error)
	// Candidates returns the active accounts that the tenant manages or that have a role in it,
	// in one of its departments or in one of its Projects, ordered by id. One SQL statement.
	Candidates(ctx context.Context, tenantID int64) ([]core.User, error)
}

// GrantStore stores the roles of users. A user has at most one role in one scope (a tenant, a
// department or a project).
type GrantStore interface {
	RoleReader
	// TenantMembers, DepartmentMembers and ProjectMembers return the grants made in
	// exactly that scope, ordered by user id.
	TenantMembers(ctx context.Context, tenantID int64) ([]core.Grant, error)
	DepartmentMembers(ctx context.Context, departmentID int64) ([]core.Grant, error)
	ProjectMembers(ctx context.Context, projectID int64) ([]core.Grant, error)
	// Reviewers returns, in unspecified order, the active users that may act on steps of
	// approvals in the Project: super admins, the admins of the Project, of its Department
	// and of its Tenant, and the holders of the Department's custom roles. departmentID is 0
	// for a Project without Department. A user has one element for each role. One SQL
	// statement.
	Reviewers(ctx context.Context, tenantID, departmentID, projectID int64) ([]review.Reviewer, error)
	// Set assigns g.Role to the user in the scope that the role and the ids of g identify.
	// It replaces the role that the user had in this scope. If that is the same role, it changes
	// nothing and records no event.
	Set(ctx context.Context, g core.Grant) error
	// Remove removes the user's role in one scope. The scope is ProjectID if set, else
	// DepartmentID, else TenantID. It returns core.ErrNotFound when the user has no role there.
	Remove(ctx context.Context, g core.Grant) error
}

// RoleReader returns the roles of users.
type RoleReader interface {
	// UserGrants returns the user's grants and the custom roles that the user holds,
	// ordered by id.
	UserGrants(ctx context.Context, userID int64) ([]core.Grant, []core.CustomRole, error)
	// Roles returns the roles of the users, ordered by user id, then from the widest scope to the
	// narrowest and the custom roles last, then by the id of the scope or custom role. One SQL
	// statement.
	Roles(ctx context.Context, userIDs []int64) ([]account.HeldRole, error)
}

// SignatureChallenges keeps what a session was asked to sign: at most one challenge.
type SignatureChallenges interface {
	// Ask replaces the challenge of the session with that hash. It records no event, and returns core.ErrNotFound when
	// the session does not exist.
	Ask(ctx context.Context, hash [32]byte, c account.SignatureChallenge) error
	// Answer removes the challenge of the session if it has the payload of c, and reports whether it had. Of several
	// concurrent calls, one returns true. It records no event.
	Answer(ctx context.Context, hash [32]byte, c account.SignatureChallenge) (fresh bool, err error)
}

// SessionStore stores the sessions of signed-in users.
type SessionStore interface {
	SessionUsage
	SignatureChallenges
	// Insert adds s under a new id, and sets LastSignInAt of its user to CreatedAt.
	Insert(ctx context.Context, s account.Session) error
	// Sessions returns the user's sessions, expired ones included, ordered by id.
	Sessions(ctx context.Context, userID int64) ([]account.Session, error)
	// Session returns the session with that hash, even if it has expired.
	Session(ctx context.Context, hash [32]byte) (account.Session, error)
	// Verify replaces the proof of the session with that hash. It returns core.ErrNotFound when
	// the session does not exist.
	Verify(ctx context.Context, hash [32]byte, proof core.Proof) error
	Delete(ctx context.Context, hash [32]byte) error // no error when it does not exist
	// DeleteByUser also increments Generation of the user.
	DeleteByUser(ctx context.Context, userID int64) error
	// DeleteByOrigin deletes the sessions whose Origin has that provider and SID, which is not empty.
	DeleteByOrigin(ctx context.Context, providerID int64, sid string) error
}

// SessionUsage stores when sessions were used.
type SessionUsage interface {
	// Touch sets LastUsedAt of sessions, but never to an earlier time. No session occurs twice. Unknown
	// sessions are ignored. It records no event.
	Touch(ctx context.Context, uses []account.SessionUse) error
}

// FailedSignInStore counts failed sign-ins by key. The counts are shared by all
// processes on one database.
type FailedSignInStore interface {
	// FailedSignIns returns, in unspecified order, the counts of the keys whose EndsAt is
	// after now.
	FailedSignIns(ctx context.Context, keys []string, now time.Time) ([]account.FailedSignIns, error)
	// Add counts one failure of the key and returns the new count. If the key has no count,
	// or its count has ended, a new count starts at 1 and ends at endsAt. Inside a
	// transaction, another Add of the same key waits until the transaction ends.
	Add(ctx context.Context, key string, now, endsAt time.Time) (account.FailedSignIns, error)
	// Forget removes the count of the key. It returns no error when the key has none.
	Forget(ctx context.Context, key string) error
}

// SpentStore remembers what may be used once only: the tickets and challenges of sign-ins. It is
// shared by all processes on one database.
type SpentStore interface {
	// Spend remembers the hash until expiresAt and reports whether it was new. The hash stays spent
	// until AgingStore removes it. Inside a transaction, another Spend of the same hash waits until
	// the transaction ends.
	Spend(ctx context.Context, hash [32]byte, expiresAt time.Time) (fresh bool, err error)
}

// TokenStore stores API tokens.
type TokenStore interface {
	TokenUsage
	// Tokens returns the project's tokens, revoked ones included, ordered by id.
	Tokens(ctx context.Context, projectID int64) ([]core.Token, error)
	Token(ctx context.Context, projectID, id int64) (core.Token, error)
	TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error)
	// TokensOf returns the tokens of all projects that the user created and that are not revoked,
	// ordered by project id and id. One SQL statement.
	TokensOf(ctx context.Context, userID int64) ([]core.Token, error)
	// Lock locks the token until the transaction ends, as UserStore.Lock locks an account.
	Lock(ctx context.Context, projectID, id int64) error
	Insert(ctx context.Context, t *core.Token) error // sets ID
	// Update replaces all but AllowSchema and the origin: Name, Abilities, AllowDrafts, AllowHistory, RateLimit, ExpiresAt and RevokedAt.
	Update(ctx context.Context, t core.Token) error
}

// TokenUsage counts the requests of tokens.
type TokenUsage interface {
	// Touch sets LastUsedAt of tokens, but never to an earlier time, and adds Reads and Writes to
	// the usage of that day. No token occurs twice. Unknown tokens are ignored.
	Touch(ctx context.Context, day time.Time, uses []core.TokenUse) error
	// Usage returns the usage of the token since the day from, ordered by day. Days without
	// requests are omitted.
	Usage(ctx context.Context, projectID, id int64, from time.Time) ([]core.TokenUsage, error)
}

// Credentials finds the actor of a credential, for every request. A result may be up to one
// second behind the changes of another replica, but never behind those of this process.
// Results are shared and must not be changed.
type Credentials interface {
	TokenByHash(ctx context.Context, hash [32]byte) (*core.Token, error)
	// SessionActor returns the session with its user, grants and custom roles.
	SessionActor(ctx context.Context, hash [32]byte) (account.Session, core.Actor, error)
	// AssistantActor returns the assistant with its user and the user's grants. Its ProjectIDs are those of Projects
	// whose tenants admit assistants.
	AssistantActor(ctx context.Context, hash [32]byte) (core.Actor, error)
	// Preview returns core.ErrNotFound for an unknown hash.
	Preview(ctx context.Context, hash [32]byte) (core.Preview, error)
	// Maker returns the user that created the token, as an actor with only User and Grants, and the Project of
	// the token.
	Maker(ctx context.Context, token *core.Token) (core.Actor, *core.Project, error)
}

// PasswordHasher hashes passwords so that they can be checked but not read.
type PasswordHasher interface {
	// Hash returns a salted hash in PHC string format. The number of concurrent hashes is
	// bounded: Hash waits for a free slot until ctx ends.
	Hash(ctx context.Context, password string) (string, error)
	// Matches reports whether hash was made from password. An empty or malformed
	// hash matches nothing and takes as long as a real one.
	Matches(ctx context.Context, password, hash string) (bool, error)
}
