package memory

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

type grants struct{ conn }

// scope is the scope of a grant: exactly one id is set.
type scope struct{ tenantID, departmentID, projectID int64 }

// membership is a user in a scope, with at most one role.
type membership struct {
	userID int64
	scope  scope
}

func (s grants) UserGrants(ctx context.Context, userID int64) ([]core.Grant, []core.CustomRole, error) {
	type result struct {
		grants []core.Grant
		roles  []core.CustomRole
	}
	r, err := view(ctx, s.conn, func(st *state) (r result, err error) {
		r.grants = st.grantsOf(func(s membership) bool { return s.userID == userID })
		r.roles = byID(&st.customRoles, func(role core.CustomRole) bool { return st.holdings.has(holding{role.ID, userID}) }, unshared)
		return r, nil
	})
	return r.grants, r.roles, err
}

func (s grants) Roles(ctx context.Context, userIDs []int64) ([]account.HeldRole, error) {
	return view(ctx, s.conn, func(st *state) ([]account.HeldRole, error) {
		var held []account.HeldRole
		for _, g := range st.grantsOf(func(at membership) bool { return slices.Contains(userIDs, at.userID) }) {
			held = append(held, account.HeldRole{Grant: g, Place: st.placeName(g)})
		}
		for at := range st.holdings.rows {
			role, _ := st.customRoles.get(at.roleID)
			if slices.Contains(userIDs, at.userID) {
				g := core.Grant{UserID: at.userID, TenantID: role.TenantID, DepartmentID: role.DepartmentID}
				held = append(held, account.HeldRole{Grant: g, CustomRole: core.CustomRole{ID: role.ID, Name: role.Name}, Place: st.placeName(g)})
			}
		}
		slices.SortFunc(held, func(a, b account.HeldRole) int {
			return cmp.Or(cmp.Compare(a.UserID, b.UserID), slices.Compare(heldAt(a), heldAt(b)))
		})
		return held, nil
	})
}

// heldAt returns the position of a role among those of its user: whether it is a custom role, in a
// Project, or in a Department, and its id there.
func heldAt(r account.HeldRole) []int64 {
	switch {
	case r.CustomRole.ID != 0:
		return []int64{3, r.CustomRole.ID}
	case r.ProjectID != 0:
		return []int64{2, r.ProjectID}
	case r.DepartmentID != 0:
		return []int64{1, r.DepartmentID}
	default:
		return []int64{0, r.TenantID}
	}
}

// placeName returns the name of the Project of g, else of its Department, else of its Tenant.
func (st *state) placeName(g core.Grant) string {
	if p, ok := st.projects.get(g.ProjectID); ok {
		return p.Name
	}
	if d, ok := st.departments.get(g.DepartmentID); ok {
		return d.Name
	}
	tenant, _ := st.tenants.get(g.TenantID)
	return tenant.Name
}

func (s grants) TenantMembers(ctx context.Context, tenantID int64) ([]core.Grant, error) {
	return s.members(ctx, scope{tenantID: tenantID})
}

func (s grants) DepartmentMembers(ctx context.Context, departmentID int64) ([]core.Grant, error) {
	return s.members(ctx, scope{departmentID: departmentID})
}

func (s grants) ProjectMembers(ctx context.Context, projectID int64) ([]core.Grant, error) {
	return s.members(ctx, scope{projectID: projectID})
}

func (s grants) members(ctx context.Context, place scope) ([]core.Grant, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Grant, error) {
		return st.grantsOf(func(s membership) bool { return s.scope == place }), nil
	})
}

func (s grants) Set(ctx context.Context, g core.Grant) error {
	return s.change(ctx, func(st *state) error {
		place := scope{projectID: g.ProjectID}
		switch g.Role {
		case core.RoleTenantAdmin:
			place = scope{tenantID: g.TenantID}
		case core.RoleDepartmentAdmin:
			place = scope{departmentID: g.DepartmentID}
		}
		if err := st.scopeExists(place); err != nil {
			return err
		}
		if _, err := st.user(g.UserID); err != nil {
			return err
		}
		if role, granted := st.grants.get(membership{g.UserID, place}); granted && role == g.Role {
			return nil
		}
		st.grants.put(membership{g.UserID, place}, g.Role)
		st.recordMember(event.MemberUpdated, membership{g.UserID, place}, g.Role)
		return nil
	})
}

func (s grants) Remove(ctx context.Context, g core.Grant) error {
	return s.change(ctx, func(st *state) error {
		place := scope{tenantID: g.TenantID}
		switch {
		case g.ProjectID != 0:
			place = scope{projectID: g.ProjectID}
		case g.DepartmentID != 0:
			place = scope{departmentID: g.DepartmentID}
		}
		at := membership{g.UserID, place}
		role, granted := st.grants.get(at)
		if !granted {
			return core.NotFound("member")
		}
		st.grants.remove(at)
		st.recordMember(event.MemberRemoved, at, role)
		return nil
	})
}

// grantsOf returns the matching grants with the ids of the enclosing scopes, ordered by user
// and then by scope, the widest first.
func (st *state) grantsOf(match func(membership) bool) []core.Grant {
	var list []core.Grant
	for at, role := range st.grants.rows {
		if match(at) {
			list = append(list, st.grant(at, role))
		}
	}
	slices.SortFunc(list, func(a, b core.Grant) int {
		return cmp.Or(cmp.Compare(a.UserID, b.UserID), cmp.Compare(a.ProjectID, b.ProjectID),
			cmp.Compare(a.DepartmentID, b.DepartmentID), cmp.Compare(a.TenantID, b.TenantID))
	})
	return list
}

func (st *state) grant(at membership, role core.Role) core.Grant {
	g := core.Grant{
		UserID: at.userID, Role: role,
		TenantID: at.scope.tenantID, DepartmentID: at.scope.departmentID, ProjectID: at.scope.projectID,
	}
	if p, ok := st.projects.get(g.ProjectID); ok {
		g.DepartmentID, g.TenantID = p.DepartmentID, p.TenantID
	} else if d, ok := st.departments.get(g.DepartmentID); ok {
		g.TenantID = d.TenantID
	}
	return g
}

func (st *state) recordMember(kind event.Type, at membership, role core.Role) {
	g := st.grant(at, role)
	st.record(event.Event{Type: kind, TenantID: g.TenantID, ProjectID: at.scope.projectID, SubjectID: at.userID, Role: string(role), Place: st.placeName(g)})
}

func (st *state) scopeExists(place scope) (err error) {
	switch {
	case place.projectID != 0:
		_, err = st.project(place.projectID)
	case place.departmentID != 0:
		_, err = st.department(place.departmentID)
	default:
		_, err = st.tenant(place.tenantID)
	}
	return err
}

func (st *state) removeGrants(place scope) {
	st.grants.removeIf(func(at membership, _ core.Role) bool { return at.scope == place })
}

func (s grants) Reviewers(ctx context.Context, tenantID, departmentID, projectID int64) ([]review.Reviewer, error) {
	return view(ctx, s.conn, func(st *state) ([]review.Reviewer, error) {
		var found []review.Reviewer
		for _, u := range st.users.all(func(u core.User) bool { return u.Active }) {
			if u.SuperAdmin {
				found = append(found, review.Reviewer{UserID: u.ID, Role: core.RoleSuperAdmin})
			}
			for _, place := range []scope{{tenantID: tenantID}, {departmentID: departmentID}, {projectID: projectID}} {
				if role, granted := st.grants.get(membership{u.ID, place}); granted && role.Includes(core.RoleAdmin) {
					found = append(found, review.Reviewer{UserID: u.ID, Role: role})
				}
			}
			for _, r := range st.customRoles.all(func(r core.CustomRole) bool { return r.DepartmentID == departmentID }) {
				if st.holdings.has(holding{r.ID, u.ID}) {
					found = append(found, review.Reviewer{UserID: u.ID, CustomRoleID: r.ID})
				}
			}
		}
		return found, nil
	})
}
