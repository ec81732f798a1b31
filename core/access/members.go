package access

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Member is a user with the role given in one place.
type Member struct {
	User core.User
	Role core.Role
}

// Members manages the roles of users in tenants, departments and Projects.
type Members struct {
	users  ports.UserStore
	grants ports.GrantStore
	tx     ports.Tx
}

// NewMembers returns Members.
func NewMembers(users ports.UserStore, grants ports.GrantStore, tx ports.Tx) *Members {
	return &Members{users: users, grants: grants, tx: tx}
}

// List returns the users with a role in exactly that place, ordered by user id. scope
// selects the tenant, the department or the Project of place. It reads all users at once.
func (m *Members) List(ctx context.Context, place Place, scope Scope) ([]Member, error) {
	grants, err := grantsIn(ctx, m.grants, scope, place)
	if err != nil {
		return nil, err
	}
	roles := make(map[int64]core.Role, len(grants))
	for _, g := range grants {
		roles[g.UserID] = g.Role
	}
	users, err := m.users.UsersByIDs(ctx, slices.Collect(maps.Keys(roles)))
	if err != nil {
		return nil, err
	}
	members := make([]Member, len(users))
	for i, user := range users {
		members[i] = Member{User: user, Role: roles[user.ID]}
	}
	return members, nil
}

// maxCandidates is the maximum number of users that Candidates returns. maxSearch is the maximum
// length of its search in bytes.
const (
	maxCandidates = 20
	maxSearch     = 200
)

// Candidates returns active users that may be given a role in place and whose name or e-mail
// contains search, case-insensitively: at most 20, ordered by name. These are the users that the
// tenant of place manages or that have a role in it. An empty search selects all. A search of more
// than 200 bytes is core.KindBadRequest.
func (m *Members) Candidates(ctx context.Context, place Place, search string) ([]core.User, error) {
	search = strings.TrimSpace(search)
	if len(search) > maxSearch || !core.ValidText(search) {
		return nil, core.BadParameter("search", nil, fmt.Sprintf("must be text of at most %d bytes", maxSearch))
	}
	users, err := m.users.Candidates(ctx, place.Tenant.ID)
	matches := named(search)
	users = slices.DeleteFunc(users, func(u core.User) bool { return !matches(u) })
	slices.SortStableFunc(users, func(a, b core.User) int { return words.Compare(a.Name, b.Name) })
	return users[:min(len(users), maxCandidates)], err
}

// Set gives the user a role in exactly that place and replaces the user's role there. The role is
// tenant_admin in a tenant, department_admin in a department, and admin, editor or viewer in a
// Project. Set returns core.KindForbidden for a role above the actor's own, and core.KindNotFound
// for a user to which the actor may not give roles (see grantee), and core.KindConflict with the code linked as GiveRole.
func (m *Members) Set(ctx context.Context, actor core.Actor, scope Scope, place Place, userID int64, role core.Role) (Member, error) {
	if err := mayGive(actor, scope, place, role); err != nil {
		return Member{}, err
	}
	member := Member{Role: role}
	err := m.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) (err error) {
		if member.User, err = grantee(ctx, stores.Grants, stores.Users, actor, place.Tenant.ID, userID); err != nil {
			return err
		}
		if err := mustNotBeLinked(ctx, stores, userID, place.Tenant.ID); err != nil {
			return err
		}
		return stores.Grants.Set(ctx, grant(scope, place, userID, role))
	})
	if err != nil {
		return Member{}, err
	}
	return member, nil
}

// Remove removes the user's role in exactly that place. It returns core.KindNotFound when the user
// has no role there, and core.KindForbidden when the role is above the actor's own.
func (m *Members) Remove(ctx context.Context, actor core.Actor, scope Scope, place Place, userID int64) error {
	return m.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		grants, err := grantsIn(ctx, stores.Grants, scope, place)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(grants, func(g core.Grant) bool { return g.UserID == userID })
		if i < 0 {
			return core.NotFound("member")
		}
		if !RoleIn(actor, place).Includes(grants[i].Role) {
			return core.Forbidden("cannot remove a role above your own")
		}
		return stores.Grants.Remove(ctx, grant(scope, place, userID, grants[i].Role))
	})
}

func grantsIn(ctx context.Context, grants ports.GrantStore, scope Scope, place Place) ([]core.Grant, error) {
	switch scope {
	case ScopeTenant:
		return grants.TenantMembers(ctx, place.Tenant.ID)
	case ScopeDepartment:
		return grants.DepartmentMembers(ctx, place.Department.ID)
	case ScopeProject:
		return grants.ProjectMembers(ctx, place.Project.ID)
	default:
		return nil, nil
	}
}

// DecidingGrant returns the grant of the lowest role in the scope that decides approvals.
func DecidingGrant(scope Scope, place Place, userID int64) core.Grant {
	role := core.RoleAdmin
	switch scope {
	case ScopeTenant:
		role = core.RoleTenantAdmin
	case ScopeDepartment:
		role = core.RoleDepartmentAdmin
	default:
	}
	return grant(scope, place, userID, role)
}

// grant returns the grant of a role in one scope, with the ids of the scopes above it.
func grant(scope Scope, place Place, userID int64, role core.Role) core.Grant {
	g := core.Grant{UserID: userID, Role: role, TenantID: place.Tenant.ID}
	if scope != ScopeTenant {
		g.DepartmentID = place.Department.ID
	}
	if scope == ScopeProject {
		g.ProjectID = place.Project.ID
	}
	return g
}
