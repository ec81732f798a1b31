package access

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Member is a user with the role given in one place.
type Member struct {
	User   core.User
	Role   core.Role
	Source account.GrantSource
}

// Members manages the roles of users in tenants, departments and Projects.
type Members struct {
	users      ports.UserStore
	grants     ports.GrantStore
	identities ports.UserIdentityStore
	tx         ports.Tx
}

// NewMembers returns Members.
func NewMembers(stores ports.Stores, tx ports.Tx) *Members {
	return &Members{users: stores.Users, grants: stores.Grants, identities: stores.Identities, tx: tx}
}

// List returns the users with a role in exactly that place, ordered by user id. scope
// selects the tenant, the department or the Project of place. It reads all users at once.
func (m *Members) List(ctx context.Context, place Place, scope Scope) ([]Member, error) {
	grants, err := grantsIn(ctx, m.grants, scope, place)
	if err != nil {
		return nil, err
	}
	held := make(map[int64]core.Grant, len(grants))
	for _, g := range grants {
		held[g.UserID] = g
	}
	ids := slices.Collect(maps.Keys(held))
	users, err := m.users.UsersByIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	sources, err := sourcesOf(ctx, m.identities, ids)
	if err != nil {
		return nil, err
	}
	members := make([]Member, len(users))
	for i, user := range users {
		members[i] = Member{user, held[user.ID].Role, sources.of(held[user.ID], 0)}
	}
	return members, nil
}

// sources has the identities of users at identity providers.
type sources map[int64][]account.UserIdentity

func sourcesOf(ctx context.Context, store ports.UserIdentityStore, userIDs []int64) (sources, error) {
	found, err := store.IdentitiesOf(ctx, userIDs)
	of := sources{}
	for _, i := range found {
		of[i.UserID] = append(of[i.UserID], i)
	}
	return of, err
}

// of returns where the role g of a user, or the custom role, comes from.
func (s sources) of(g core.Grant, customRole int64) account.GrantSource {
	return account.SourceOf(s[g.UserID], g, customRole)
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
	member := Member{Role: role, Source: account.SourceManual}
	err := m.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) (err error) {
		if member.User, err = grantee(ctx, stores.Grants, stores.Users, actor, place.Tenant.ID, userID); err != nil {
			return err
		}
		if err := mustNotBeLinked(ctx, stores, userID, place.Tenant.ID); err != nil {
			return err
		}
		given := grant(scope, place, userID, role)
		if err := ports.GiveByHand(ctx, stores.Identities, given, 0); err != nil {
			return err
		}
		return stores.Grants.Set(ctx, given)
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
		taken := grant(scope, place, userID, grants[i].Role)
		if err := ports.GiveByHand(ctx, stores.Identities, taken, 0); err != nil {
			return err
		}
		return stores.Grants.Remove(ctx, taken)
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
