package memory

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
)

type tenants struct{ conn }

func (s tenants) Tenants(ctx context.Context) ([]core.Tenant, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Tenant, error) {
		return byID(&st.tenants, func(core.Tenant) bool { return true }, unshared), nil
	})
}

func (s tenants) Tenant(ctx context.Context, id int64) (core.Tenant, error) {
	return view(ctx, s.conn, func(st *state) (core.Tenant, error) { return st.tenant(id) })
}

func (s tenants) Insert(ctx context.Context, t *core.Tenant) error {
	return s.apply(ctx, func(st *state) {
		t.ID = st.tenants.next()
		st.tenants.put(t.ID, *t)
		st.record(event.Event{Type: event.TenantCreated, TenantID: t.ID})
	})
}

func (s tenants) Update(ctx context.Context, t core.Tenant) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.tenant(t.ID)
		if err != nil {
			return err
		}
		t.CreatedAt = old.CreatedAt
		st.tenants.put(t.ID, t)
		st.record(event.Event{Type: event.TenantUpdated, TenantID: t.ID})
		return nil
	})
}

func (s tenants) Delete(ctx context.Context, id int64) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.tenant(id); err != nil {
			return err
		}
		if st.departments.any(func(d core.Department) bool { return d.TenantID == id }) ||
			st.projects.any(func(p *core.Project) bool { return p.TenantID == id }) ||
			st.users.any(func(u core.User) bool { return u.TenantID == id }) {
			return core.Conflict("not_empty", "the tenant still has departments, projects or users")
		}
		st.removeGrants(scope{tenantID: id})
		st.numbers.removeIf(func(y releaseYear, _ int64) bool { return y.tenantID == id })
		st.invitations.removeIf(func(_ int64, i account.Invitation) bool { return i.TenantID == id })
		st.providers.removeIf(func(_ int64, p account.IdentityProvider) bool { return p.TenantID == id })
		st.domains.removeIf(func(_ string, c account.DomainClaim) bool { return c.TenantID == id })
		st.identities.removeIf(func(_ personKey, i account.UserIdentity) bool { return i.TenantID == id })
		st.tenants.remove(id)
		st.record(event.Event{Type: event.TenantDeleted, TenantID: id})
		return nil
	})
}

func (st *state) tenant(id int64) (core.Tenant, error) {
	t, ok := st.tenants.get(id)
	return found(t, ok, "tenant")
}

type departments struct{ conn }

func (s departments) Departments(ctx context.Context, tenantID int64) ([]core.Department, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Department, error) {
		return byID(&st.departments, func(d core.Department) bool { return d.TenantID == tenantID }, st.withWorkflow), nil
	})
}

func (s departments) Department(ctx context.Context, id int64) (core.Department, error) {
	return view(ctx, s.conn, func(st *state) (core.Department, error) { return st.department(id) })
}

func (s departments) Insert(ctx context.Context, d *core.Department) error {
	return s.apply(ctx, func(st *state) {
		d.ID = st.departments.next()
		st.departments.put(d.ID, *d)
		st.record(event.Event{Type: event.DepartmentCreated, TenantID: d.TenantID, SubjectID: d.ID})
	})
}

func (s departments) Update(ctx context.Context, d core.Department) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.department(d.ID)
		if err != nil {
			return err
		}
		old.Name, old.UpdatedAt = d.Name, d.UpdatedAt
		st.departments.put(old.ID, old)
		st.record(event.Event{Type: event.DepartmentUpdated, TenantID: old.TenantID, SubjectID: old.ID})
		return nil
	})
}

func (s departments) Delete(ctx context.Context, id int64) error {
	return s.change(ctx, func(st *state) error {
		d, err := st.department(id)
		if err != nil {
			return err
		}
		if st.projects.any(func(p *core.Project) bool { return p.DepartmentID == id }) {
			return core.Conflict("not_empty", "the department still has projects")
		}
		for _, role := range st.customRoles.all(func(r core.CustomRole) bool { return r.DepartmentID == id }) {
			st.removeCustomRole(role.ID)
		}
		st.removeGrants(scope{departmentID: id})
		st.workflows.remove(scope{departmentID: id})
		st.departments.remove(id)
		st.record(event.Event{Type: event.DepartmentDeleted, TenantID: d.TenantID, SubjectID: id})
		return nil
	})
}

func (st *state) department(id int64) (core.Department, error) {
	d, ok := st.departments.get(id)
	return found(st.withWorkflow(d), ok, "department")
}

func (st *state) withWorkflow(d core.Department) core.Department {
	d.HasWorkflow = st.workflows.has(scope{departmentID: d.ID})
	return d
}

type customRoles struct{ conn }

func (s customRoles) CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error) {
	return view(ctx, s.conn, func(st *state) ([]core.CustomRole, error) {
		return byID(&st.customRoles, func(r core.CustomRole) bool { return r.DepartmentID == departmentID }, unshared), nil
	})
}

func (s customRoles) CustomRole(ctx context.Context, id int64) (core.CustomRole, error) {
	return view(ctx, s.conn, func(st *state) (core.CustomRole, error) { return st.customRole(id) })
}

// Lock does nothing: transactions run one after another.
func (s customRoles) Lock(context.Context, int64) error { return nil }

func (s customRoles) Insert(ctx context.Context, r *core.CustomRole) error {
	return s.change(ctx, func(st *state) error {
		if err := st.roleNameFree(*r); err != nil {
			return err
		}
		r.ID = st.customRoles.next()
		st.customRoles.put(r.ID, *r)
		st.record(event.Event{Type: event.RoleCreated, TenantID: r.TenantID, SubjectID: r.ID})
		return nil
	})
}

func (s customRoles) Update(ctx context.Context, r core.CustomRole) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.customRole(r.ID)
		if err != nil {
			return err
		}
		old.Name = r.Name
		if err := st.roleNameFree(old); err != nil {
			return err
		}
		st.customRoles.put(old.ID, old)
		st.record(event.Event{Type: event.RoleUpdated, TenantID: old.TenantID, SubjectID: old.ID})
		return nil
	})
}

func (s customRoles) Delete(ctx context.Context, id int64) error {
	return s.change(ctx, func(st *state) error {
		role, err := st.customRole(id)
		if err != nil {
			return err
		}
		st.removeCustomRole(id)
		st.record(event.Event{Type: event.RoleDeleted, TenantID: role.TenantID, SubjectID: id})
		return nil
	})
}

func (s customRoles) Holders(ctx context.Context, roleID int64) ([]core.User, error) {
	return view(ctx, s.conn, func(st *state) ([]core.User, error) {
		if _, err := st.customRole(roleID); err != nil {
			return nil, err
		}
		return byID(&st.users, func(u core.User) bool { return st.holdings.has(holding{roleID, u.ID}) }, unshared), nil
	})
}

func (s customRoles) Assign(ctx context.Context, roleID, userID int64) error {
	return s.change(ctx, func(st *state) error {
		role, err := st.customRole(roleID)
		if err != nil {
			return err
		}
		if _, err := st.user(userID); err != nil {
			return err
		}
		held := holding{roleID, userID}
		if st.holdings.has(held) {
			return nil
		}
		st.holdings.put(held, struct{}{})
		st.record(event.Event{Type: event.RoleGiven, TenantID: role.TenantID, SubjectID: userID, Role: role.Name, Place: st.placeName(core.Grant{DepartmentID: role.DepartmentID})})
		return nil
	})
}

func (s customRoles) Unassign(ctx context.Context, roleID, userID int64) error {
	return s.change(ctx, func(st *state) error {
		held := holding{roleID, userID}
		if !st.holdings.has(held) {
			return core.NotFound("holder")
		}
		st.holdings.remove(held)
		role, _ := st.customRoles.get(roleID)
		st.record(event.Event{Type: event.RoleTaken, TenantID: role.TenantID, SubjectID: userID, Role: role.Name, Place: st.placeName(core.Grant{DepartmentID: role.DepartmentID})})
		return nil
	})
}

func (st *state) customRole(id int64) (core.CustomRole, error) {
	r, ok := st.customRoles.get(id)
	return found(r, ok, "custom role")
}

func (st *state) roleNameFree(r core.CustomRole) error {
	if st.customRoles.any(func(o core.CustomRole) bool {
		return o.DepartmentID == r.DepartmentID && o.Name == r.Name && o.ID != r.ID
	}) {
		return core.Conflict("name_taken", "the department has a role of that name")
	}
	return nil
}

func (st *state) removeCustomRole(id int64) {
	st.holdings.removeIf(func(h holding, _ struct{}) bool { return h.roleID == id })
	st.customRoles.remove(id)
}
