package access

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// seesUser reports whether actor may see the account: the own one, those that a
// tenant of which actor is admin looks after, and for a super admin every one.
func seesUser(actor core.Actor, user core.User) bool {
	return actor.UserID() == user.ID || RoleIn(actor, home(user)).Includes(core.RoleTenantAdmin)
}

// home is the place that looks after the account.
func home(user core.User) Place { return Place{Tenant: core.Tenant{ID: user.TenantID}} }

// looksAfter reports whether actor may change who the user is and whether they sign
// in. Whoever may do that can become the user, so it takes an admin of the account's
// tenant who has every right that the user has, elsewhere as well.
func looksAfter(ctx context.Context, stores ports.Stores, actor core.Actor, user core.User) (bool, error) {
	if RoleIn(actor, Place{}) == core.RoleSuperAdmin {
		return true, nil
	}
	if user.SuperAdmin || !RoleIn(actor, home(user)).Includes(core.RoleTenantAdmin) {
		return false, nil
	}
	grants, roles, err := stores.Grants.UserGrants(ctx, user.ID)
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

// acquaintance returns a user to whom actor may give a role in the tenant: one that
// the tenant looks after, one who has a role in it already, actor themself, and for
// a super admin anyone. Anybody else is core.KindNotFound.
func acquaintance(ctx context.Context, stores ports.Stores, actor core.Actor, tenantID, userID int64) (core.User, error) {
	user, err := stores.Users.User(ctx, userID)
	if err != nil {
		return core.User{}, err
	}
	if user.TenantID == tenantID || seesUser(actor, user) {
		return user, nil
	}
	grants, _, err := stores.Grants.UserGrants(ctx, userID)
	if err != nil {
		return core.User{}, err
	}
	if !slices.ContainsFunc(grants, func(g core.Grant) bool { return g.TenantID == tenantID }) {
		return core.User{}, core.NotFound("user")
	}
	return user, nil
}
