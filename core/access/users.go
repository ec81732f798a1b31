package access

import (
	"context"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/letter"
	"imprimatur/core/password"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Users manages accounts.
type Users struct {
	users      ports.UserStore
	grants     ports.GrantStore
	identities ports.UserIdentityStore
	tokens     ports.TokenStore
	projects   ports.ProjectStore
	tx         ports.Tx
	hasher     password.Hasher
	clock      ports.Clock
	post       letter.Post
}

// NewUsers returns Users.
func NewUsers(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, clock ports.Clock, post letter.Post) *Users {
	return &Users{
		users: stores.Users, grants: stores.Grants, identities: stores.Identities, tokens: stores.Tokens, projects: stores.Projects,
		tx: tx, hasher: password.NewHasher(hasher), clock: clock, post: post,
	}
}

// UserInput describes a new account.
type UserInput struct {
	Email      string // stored in lower case
	Name       string
	Password   string // 10 code points to 1024 bytes, and not a common one
	SuperAdmin bool   // only a super admin may set it
}

// Account is a user with those of the user's roles that the caller may see: users see their own
// roles, tenant admins those in their tenants, and super admins all.
type Account struct {
	core.User

	Roles []account.HeldRole // in the order of ports.RoleReader.Roles
}

// List returns a page of the accounts that the tenant manages, or of all accounts when tenantID is
// 0, ordered by id. search selects the accounts whose name or e-mail contains it,
// case-insensitively; empty selects all. more reports that accounts follow the page.
func (u *Users) List(ctx context.Context, actor core.Actor, tenantID int64, search string, offset, limit int64) (page []Account, more bool, err error) {
	var found []core.User
	if search == "" {
		found, err = u.users.Users(ctx, tenantID, offset, limit)
	} else {
		found, err = findUsers(ctx, u.users, tenantID, offset, limit+1, named(search))
	}
	if err != nil {
		return nil, false, err
	}
	page, err = u.accounts(ctx, actor, found[:min(int64(len(found)), limit)])
	return page, int64(len(found)) > limit, err
}

// Find returns up to limit accounts that the actor may list, in any tenant, whose name or e-mail
// contains text, case-insensitively.
func (u *Users) Find(ctx context.Context, actor core.Actor, text string, limit int64) ([]core.User, error) {
	var found []core.User
	for _, tenant := range managedTenants(actor) {
		some, err := findUsers(ctx, u.users, tenant, 0, limit-int64(len(found)), named(text))
		if err != nil {
			return nil, err
		}
		if found = append(found, some...); int64(len(found)) == limit {
			break
		}
	}
	return found, nil
}

// managedTenants returns the ids of the tenants whose accounts the actor may list; 0 is all.
func managedTenants(actor core.Actor) []int64 {
	if ListUsers.allows(actor, Place{}) {
		return []int64{0}
	}
	var ids []int64
	for _, g := range actor.Grants {
		if ListUsers.allows(actor, Place{Tenant: core.Tenant{ID: g.TenantID}}) && !slices.Contains(ids, g.TenantID) {
			ids = append(ids, g.TenantID)
		}
	}
	return ids
}

// User returns an account that the actor may see: its own, an account of a tenant that the actor
// is admin of, and for a super admin every account. Any other is core.KindNotFound.
func (u *Users) User(ctx context.Context, actor core.Actor, id int64) (Account, error) {
	user, err := seenUser(ctx, u.users, actor, id)
	if err != nil {
		return Account{}, err
	}
	found, err := u.accounts(ctx, actor, []core.User{user})
	if err != nil {
		return Account{}, err
	}
	return found[0], nil
}

// accounts returns users with the roles that the actor may see.
func (u *Users) accounts(ctx context.Context, actor core.Actor, users []core.User) ([]Account, error) {
	ids := make([]int64, len(users))
	for i, user := range users {
		ids[i] = user.ID
	}
	held, err := u.grants.Roles(ctx, ids)
	if err != nil {
		return nil, err
	}
	sources, err := sourcesOf(ctx, u.identities, ids)
	if err != nil {
		return nil, err
	}
	roles := map[int64][]account.HeldRole{}
	for _, r := range held {
		r.Source = sources.of(r.Grant, r.CustomRole.ID)
		if r.UserID == actor.UserID() || actor.RoleIn(r.TenantID, 0, 0).Includes(core.RoleTenantAdmin) {
			roles[r.UserID] = append(roles[r.UserID], r)
		}
	}
	found := make([]Account, len(users))
	for i, user := range users {
		found[i] = Account{user, roles[user.ID]}
	}
	return found, nil
}

func seenUser(ctx context.Context, users ports.UserStore, actor core.Actor, id int64) (core.User, error) {
	user, err := users.User(ctx, id)
	if err != nil {
		return core.User{}, err
	}
	if !seesUser(actor, user) {
		return core.User{}, core.NotFound("user")
	}
	return user, nil
}

// Create adds an active account that the tenant manages; with tenantID 0 super admins manage it.
// Unless the actor is the system, the user must change the password after the first sign-in.
// It returns core.KindConflict when the e-mail is taken.
func (u *Users) Create(ctx context.Context, actor core.Actor, tenantID int64, in UserInput) (core.User, error) {
	if in.SuperAdmin && RoleIn(actor, Place{}) != core.RoleSuperAdmin {
		return core.User{}, core.Forbidden("only a super admin may create a super admin")
	}
	var wrong faults
	email := wrong.email(in.Email)
	wrong.name(in.Name)
	password.Check(&wrong.Faults, "password", in.Password)
	if err := wrong.Err(); err != nil {
		return core.User{}, err
	}
	hash, err := u.hasher.Hash(ctx, in.Password)
	if err != nil {
		return core.User{}, err
	}
	now := u.clock.Now()
	user := core.User{
		Email: email, Name: in.Name, TenantID: tenantID, PasswordHash: hash,
		SuperAdmin: in.SuperAdmin, Active: true, MustChangePassword: !actor.System, CreatedAt: now, UpdatedAt: now,
	}
	err = u.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return stores.Users.Insert(ctx, &user) })
	if err := emailTaken(err); err != nil {
		return core.User{}, err
	}
	return user, nil
}

func emailTaken(err error) error {
	return conflictAs(err, "email_taken", "a user with this e-mail already exists")
}

// email checks an address and returns its stored form.
func (f *faults) email(text string) string {
	if !address.Email(text) {
		f.Add("email", nil, "must be an e-mail address")
	}
	return address.Mailbox(text)
}

// scanPage is the number of accounts that a search reads at once.
const scanPage = 500

// findUsers returns up to limit accounts for which match returns true, from offset on, ordered by
// id: the accounts that the tenant manages, or all for tenantID 0. It filters page by page instead
// of in SQL: a tenant has few accounts, and database engines compare letter case differently.
func findUsers(ctx context.Context, users ports.UserStore, tenantID, offset, limit int64, match func(core.User) bool) ([]core.User, error) {
	var found []core.User
	for from := int64(0); ; from += scanPage {
		page, err := users.Users(ctx, tenantID, from, scanPage)
		if err != nil {
			return nil, err
		}
		for _, user := range page[:min(len(page), scanPage)] {
			switch {
			case !match(user):
			case offset > 0:
				offset--
			default:
				found = append(found, user)
			}
			if int64(len(found)) == limit {
				return found, nil
			}
		}
		if len(page) <= scanPage {
			return found, nil
		}
	}
}

// named returns a function that reports whether the name or the e-mail of an account contains
// search, accents and case aside.
func named(search string) func(core.User) bool {
	text := words.Fold(search)
	return func(user core.User) bool {
		return strings.Contains(words.Fold(user.Name), text) || strings.Contains(words.Fold(user.Email), text)
	}
}
