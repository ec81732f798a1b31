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
func (s tenants) Insert(ctx context.Context, t *core.Tenant) error { return s.insert(ctx, t) }

func (s tenants) Update(ctx context.Context, t core.Tenant) error {
	return update(ctx, s.store, t.ID, event.TenantUpdated, func(old *core.Tenant) {
		t.CreatedAt = old.CreatedAt
		*old = t
	})
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

func (s departments) Insert(ctx context.Context, d *core.Department) error { return s.insert(ctx, d) }

func (s departments) Update(ctx context.Context, d core.Department) error {
	return update(ctx, s.store, d.ID, event.DepartmentUpdated, func(old *core.Department) { old.Name, old.UpdatedAt = d.Name, d.UpdatedAt })
}

type customRoles struct{ numbered }

func (s customRoles) CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error) {
	return rowsOf[core.CustomRole](ctx, s.store, departmentID)
}

func (s customRoles) CustomRole(ctx context.Context, id int64) (core.CustomRole, error) {
	return get[core.CustomRole](ctx, s.store, id)
}
func (s customRoles) Insert(ctx context.Context, r *core.CustomRole) error { return s.insert(ctx, r) }

func (s customRoles) Update(ctx context.Context, r core.CustomRole) error {
	return update(ctx, s.store, r.ID, event.RoleUpdated, func(old *core.CustomRole) { old.Name = r.Name })
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

func (s projects) Insert(ctx context.Context, p *core.Project) error { return s.insert(ctx, &p) }

func (s projects) Update(ctx context.Context, p *core.Project) error {
	return update(ctx, s.store, p.ID, event.ProjectUpdated, func(old **core.Project) {
		next := *p
		next.UUID, next.TenantID, next.CreatedAt = (*old).UUID, (*old).TenantID, (*old).CreatedAt
		*old = &next
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
	return set(ctx, s.store, p.ID, func(old **core.Project) { (*old).Index = p.Index })
}

// deletions implements ports.DeletionStore. Nothing is left of what this store deletes.
type deletions struct{}

func (deletions) Deletions(context.Context) ([]core.Deletion, error) { return nil, nil }
func (deletions) DeleteSome(context.Context, core.Deletion, int) (done, taken bool, err error) {
	return true, false, nil
}
