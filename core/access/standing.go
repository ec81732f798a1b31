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
	return actor.UserID() == user.ID || RoleIn(actor, home(user)).Includes(core.RoleTenantAdmin)
}

// home is the place whose admins manage the account.
func home(user core.User) Place { return Place{Tenant: core.Tenant{ID: user.TenantID}} }

// manages reports whether the actor may change the account's e-mail, password and state. An
// actor that may do so can become the user. It must therefore be an admin of the account's
// tenant with every permission that the user has, in other tenants as well.
func manages(ctx context.Context, grantStore ports.GrantStore, actor core.Actor, user core.User) (bool, error) {
	if RoleIn(actor, Place{}) == core.RoleSuperAdmin {
		return true, nil
	}
	if user.SuperAdmin || !RoleIn(actor, home(user)).Includes(core.RoleTenantAdmin) {
		return false, nil
	}
	grants, roles, err := grantStore.UserGrants(ctx, user.ID)
	if err != nil {
		return false, err
	}
	for _, g := range grants {
		if !RoleIn(actor, madeIn(g)).Includes(g.Role) {
			return false, nil
		}
	}
	for _, role := range roles {
		if RoleIn(actor, Place{Tenant: core.Tenant{ID: role.TenantID}}) == "" {
			return false, nil
		}
	}
	return true, nil
}

// madeIn is the place that a grant was made in.
func madeIn(g core.Grant) Place {
	p := Place{Tenant: core.Tenant{ID: g.TenantID}, Department: core.Department{ID: g.DepartmentID}}
	if g.ProjectID != 0 {
		p.Project = &core.Project{ID: g.ProjectID}
	}
	return p
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
