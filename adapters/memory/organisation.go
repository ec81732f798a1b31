package memory

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/event"
)

type tenants struct{ numbered }

func (s tenants) Tenants(ctx context.Context) ([]core.Tenant, error) {
	return where(ctx, s.store, func(core.Tenant) bool { return true })
}

func (s tenants) Tenant(ctx context.Context, id int64) (core.Tenant, error) {
	return get[core.Tenant](ctx, s.store, id)
}

func (s tenants) Insert(ctx context.Context, t *core.Tenant) error {
	return insert(ctx, s.store, &t.ID, t, func() event.Event { return event.Event{Type: event.TenantCreated, TenantID: t.ID} })
}

func (s tenants) Update(ctx context.Context, t core.Tenant) error {
	return edit(ctx, s.store, t.ID, func(st *state, old *core.Tenant) error {
		t.CreatedAt = old.CreatedAt
		*old = t
		st.record(event.Event{Type: event.TenantUpdated, TenantID: t.ID})
		return nil
	})
}

func (s tenants) Delete(ctx context.Context, id int64) error {
	return take(ctx, s.store, id, func(core.Tenant) event.Event { return event.Event{Type: event.TenantDeleted, TenantID: id} })
}

type departments struct{ numbered }

func (s departments) Departments(ctx context.Context, tenantID int64) ([]core.Department, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Department, error) {
		rows := st.departments.of(tenantID)
		for i := range rows {
			rows[i].HasWorkflow = st.workflows.has(scope{departmentID: rows[i].ID})
		}
		return rows, nil
	})
}

func (s departments) Department(ctx context.Context, id int64) (core.Department, error) {
	return view(ctx, s.conn, func(st *state) (core.Department, error) {
		d, err := st.departments.one(id)
		d.HasWorkflow = st.workflows.has(scope{departmentID: id})
		return d, err
	})
}

func (s departments) Insert(ctx context.Context, d *core.Department) error {
	return insert(ctx, s.store, &d.ID, d, func() event.Event { return departmentEvent(event.DepartmentCreated, *d) })
}

func (s departments) Update(ctx context.Context, d core.Department) error {
	return edit(ctx, s.store, d.ID, func(st *state, old *core.Department) error {
		old.Name, old.UpdatedAt = d.Name, d.UpdatedAt
		st.record(departmentEvent(event.DepartmentUpdated, *old))
		return nil
	})
}

func (s departments) Delete(ctx context.Context, id int64) error {
	return take(ctx, s.store, id, func(d core.Department) event.Event { return departmentEvent(event.DepartmentDeleted, d) })
}

func departmentEvent(kind event.Type, d core.Department) event.Event {
	return event.Event{Type: kind, TenantID: d.TenantID, SubjectID: d.ID}
}

type customRoles struct{ numbered }

func (s customRoles) CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error) {
	return rowsOf[core.CustomRole](ctx, s.store, departmentID)
}

func (s customRoles) CustomRole(ctx context.Context, id int64) (core.CustomRole, error) {
	return get[core.CustomRole](ctx, s.store, id)
}

func (s customRoles) Insert(ctx context.Context, r *core.CustomRole) error {
	return insert(ctx, s.store, &r.ID, r, func() event.Event { return roleEvent(event.RoleCreated, *r) })
}

func (s customRoles) Update(ctx context.Context, r core.CustomRole) error {
	return edit(ctx, s.store, r.ID, func(st *state, old *core.CustomRole) error {
		old.Name = r.Name
		st.record(roleEvent(event.RoleUpdated, *old))
		return nil
	})
}

func (s customRoles) Delete(ctx context.Context, id int64) error {
	return take(ctx, s.store, id, func(r core.CustomRole) event.Event { return roleEvent(event.RoleDeleted, r) })
}

func roleEvent(kind event.Type, r core.CustomRole) event.Event {
	return event.Event{Type: kind, TenantID: r.TenantID, SubjectID: r.ID}
}

func (s customRoles) Holders(ctx context.Context, roleID int64) ([]core.User, error) {
	return view(ctx, s.conn, func(st *state) ([]core.User, error) {
		_, err := st.customRoles.one(roleID)
		return st.users.where(func(u core.User) bool { return err == nil && st.holdings.has(holding{roleID, u.ID}) }), err
	})
}

func (s customRoles) Assign(ctx context.Context, roleID, userID int64) error {
	return s.change(ctx, func(st *state) error {
		role, err := st.customRoles.one(roleID)
		if err != nil || st.holdings.has(holding{roleID, userID}) {
			return err
		}
		st.holdings.put(holding{roleID, userID}, struct{}{})
		st.recordHolder(event.RoleGiven, role, userID)
		return nil
	})
}

func (s customRoles) Unassign(ctx context.Context, roleID, userID int64) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.holdings.one(holding{roleID, userID}); err != nil {
			return err
		}
		st.holdings.remove(holding{roleID, userID})
		role, _ := st.customRoles.get(roleID)
		st.recordHolder(event.RoleTaken, role, userID)
		return nil
	})
}

func (st *state) recordHolder(kind event.Type, role core.CustomRole, userID int64) {
	place := st.placeName(core.Grant{DepartmentID: role.DepartmentID})
	st.record(event.Event{Type: kind, TenantID: role.TenantID, SubjectID: userID, Role: role.Name, Place: place})
}

type projects struct{ numbered }

func projectsOf(c conn) projects { return projects{numbered{store{c, "project"}}} }

func (s projects) Projects(ctx context.Context, tenantID int64) ([]*core.Project, error) {
	return rowsOf[*core.Project](ctx, s.store, tenantID)
}

func (s projects) ProjectsByIDs(ctx context.Context, ids []int64) ([]*core.Project, error) {
	return where(ctx, s.store, func(p *core.Project) bool { return slices.Contains(ids, p.ID) })
}

func (s projects) Project(ctx context.Context, id int64) (*core.Project, error) {
	return get[*core.Project](ctx, s.store, id)
}

func (s projects) ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error) {
	return find(ctx, s.store, func(p *core.Project) bool { return p.UUID == uuid })
}

func (s projects) Hold(ctx context.Context, id int64) (*core.Project, error) {
	p, err := get[*core.Project](ctx, s.store, id)
	if err == nil {
		err = s.hold(ctx, held, id)
	}
	return p, err
}

// held is the shared lock of a Project.
const held = "definitions of project"

// TryHold always succeeds for an existing Project.
func (s projects) TryHold(ctx context.Context, id int64) (*core.Project, bool, error) {
	p, err := s.Hold(ctx, id)
	return p, err == nil, err
}

// Lock holds the Project, too.
func (s projects) Lock(ctx context.Context, id int64) error {
	if err := s.hold(ctx, held, id); err != nil {
		return err
	}
	return s.hold(ctx, s.thing, id)
}

func (s projects) Insert(ctx context.Context, p *core.Project) error {
	return insert(ctx, s.store, &p.ID, &p, func() event.Event { return event.Event{Type: event.ProjectCreated, ProjectID: p.ID} })
}

func (s projects) Update(ctx context.Context, p *core.Project) error {
	return edit(ctx, s.store, p.ID, func(st *state, old **core.Project) error {
		next := *p
		next.UUID, next.TenantID, next.CreatedAt = (*old).UUID, (*old).TenantID, (*old).CreatedAt
		*old = &next
		st.record(event.Event{Type: event.ProjectUpdated, ProjectID: p.ID})
		return nil
	})
}

func (s projects) Delete(ctx context.Context, id int64) error {
	return s.change(ctx, func(st *state) error {
		p, err := st.projects.one(id)
		if err != nil {
			return err
		}
		st.releaseBlobs(id)
		st.projects.remove(id)
		st.record(event.Event{Type: event.ProjectDeleted, TenantID: p.TenantID, ProjectID: id})
		return nil
	})
}

// localeFills implements ports.LocaleFillStore. It keeps no positions, because Serve has nothing to do.
type localeFills struct{ projects }

func (s localeFills) Unsettled(ctx context.Context) (ids []int64, err error) {
	unsettled, err := where(ctx, s.store, func(p *core.Project) bool { return !p.Settled() })
	for _, p := range unsettled {
		ids = append(ids, p.ID)
	}
	return ids, err
}

func (s localeFills) Take(ctx context.Context, p *core.Project) (after int64, taken bool, err error) {
	_, err = view(ctx, s.conn, func(st *state) (none struct{}, _ error) {
		st.needLock(held, p.ID)
		return none, st.refused
	})
	return 0, err == nil, err
}

func (localeFills) Reach(context.Context, *core.Project, int64) error { return nil }

func (s localeFills) Save(ctx context.Context, p *core.Project) error {
	return edit(ctx, s.store, p.ID, func(_ *state, old **core.Project) error {
		(*old).Index = p.Index
		return nil
	})
}

// deletions implements ports.DeletionStore. Nothing is left of what this store deletes.
type deletions struct{}

func (deletions) Deletions(context.Context) ([]core.Deletion, error) { return nil, nil }

func (deletions) DeleteSome(context.Context, core.Deletion, int) (done, taken bool, err error) {
	return true, false, nil
}
