package access

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// seesUser reports whether the actor may see the account. Users see their own account, tenant
// admins the accounts that their tenants manage, and super admins every account.
func seesUser(actor core.Actor, user core.User) bool {
	return actor.UserID() == user.ID || actor.RoleIn(user.TenantID, 0, 0).Includes(core.RoleTenantAdmin)
}

// mustManage returns core.KindForbidden unless the actor may change the account's e-mail, password
// and state. Such an actor can sign in as the user. It must therefore be an admin of the account's
// tenant and have every permission that the user has, in other tenants as well.
func mustManage(ctx context.Context, grantStore ports.GrantStore, actor core.Actor, user core.User) error {
	if actor.RoleIn(0, 0, 0) == core.RoleSuperAdmin {
		return nil
	}
	refusal := core.Forbidden("only an admin of the account's tenant with every permission of the account may do this")
	if user.SuperAdmin || !actor.RoleIn(user.TenantID, 0, 0).Includes(core.RoleTenantAdmin) {
		return refusal
	}
	grants, roles, err := grantStore.UserGrants(ctx, user.ID)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if !actor.RoleIn(g.TenantID, g.DepartmentID, g.ProjectID).Includes(g.Role) {
			return refusal
		}
	}
	for _, role := range roles {
		if actor.RoleIn(role.TenantID, 0, 0) == "" {
			return refusal
		}
	}
	return nil
}

// grantee returns a user to which the actor may give a role in the tenant: a user that the tenant
// manages, a user with a role in it, or a user that the actor sees (seesUser). Any other user is
// core.KindNotFound.
func grantee(ctx context.Context, grantStore ports.GrantStore, users ports.UserStore, actor core.Actor, tenantID, userID int64) (core.User, error) {
	user, err := users.User(ctx, userID)
	if err != nil {
		return core.User{}, err
	}
	if user.TenantID == tenantID || seesUser(actor, user) {
		return user, nil
	}
	grants, _, err := grantStore.UserGrants(ctx, userID)
	if err != nil {
		return core.User{}, err
	}
	if !slices.ContainsFunc(grants, func(g core.Grant) bool { return g.TenantID == tenantID }) {
		return core.User{}, core.NotFound("user")
	}
	return user, nil
}

// mustNotBeLinked returns core.KindConflict with the code linked for a user that is linked to an identity provider of
// another tenant than tenantID. Such an account is of that tenant alone: its provider signs it in, and must not reach
// others.
func mustNotBeLinked(ctx context.Context, stores ports.Stores, userID, tenantID int64) error {
	linked, err := stores.Identities.UserIdentities(ctx, userID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(linked, func(i account.UserIdentity) bool { return i.TenantID != tenantID }) {
		return core.Linked()
	}
	return nil
}

// Standing decides what callers may do with the accounts of others.
type Standing struct{}

// SeenUser returns an account that the actor may see; any other is core.KindNotFound.
func (Standing) SeenUser(ctx context.Context, users ports.UserStore, actor core.Actor, id int64) (core.User, error) {
	return seenUser(ctx, users, actor, id)
}

// MustManage returns core.KindForbidden unless the actor manages the account.
func (Standing) MustManage(ctx context.Context, grants ports.GrantStore, actor core.Actor, user core.User) error {
	return mustManage(ctx, grants, actor, user)
}

// Grantee returns a user to which the actor may give a role in the Tenant; any other is core.KindNotFound.
func (Standing) Grantee(ctx context.Context, stores ports.Stores, actor core.Actor, tenantID, userID int64) (core.User, error) {
	return grantee(ctx, stores.Grants, stores.Users, actor, tenantID, userID)
}
