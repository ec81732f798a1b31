package access

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// seesUser reports whether the actor may see the account: its own, the accounts that the
// actor's tenants manage when the actor is tenant admin, and every one for a super admin.
func seesUser(actor core.Actor, user core.User) bool {
	return actor.UserID() == user.ID || actor.RoleIn(user.TenantID, 0, 0).Includes(core.RoleTenantAdmin)
}

// mustManage returns core.KindForbidden unless the actor may change the account's e-mail, password
// and state. An actor that may do so can become the user. It must therefore be an admin of the
// account's tenant with every permission that the user has, in other tenants as well.
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

// grantee returns a user that the actor may give a role in the tenant: a user that the tenant
// manages, a user with a role in it, the actor itself, and for a super admin every user. Any
// other user is core.KindNotFound.
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
