package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/identity"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// grantStore implements ports.GrantStore. Each kind of scope has its own table; all have the
// same columns.
type grantStore struct{ sqldb.Conn }

// scopeTable is a member table with the SQL for the ids of the enclosing scopes.
type scopeTable struct {
	name string
	ids  string // tenant_id, department_id, project_id
	join string
}

var (
	tenantMembers = scopeTable{
		name: "tenant_members",
		ids:  "m.scope_id AS tenant_id, 0 AS department_id, 0 AS project_id",
	}
	departmentMembers = scopeTable{
		name: "department_members",
		ids:  "d.tenant_id, d.id AS department_id, 0 AS project_id",
		join: " JOIN departments AS d ON d.id = m.scope_id",
	}
	projectMembers = scopeTable{
		name: "project_members",
		ids:  "p.tenant_id, COALESCE(p.department_id, 0) AS department_id, p.id AS project_id",
		join: " JOIN projects AS p ON p.id = m.scope_id AND p.tenant_id IS NOT NULL",
	}
)

func (s grantStore) UserGrants(ctx context.Context, userID int64) ([]core.Grant, []core.CustomRole, error) {
	const ofUser = " WHERE m.user_id = @user"
	grants, err := sqldb.Collect(ctx, s.Conn, scanGrant, tenantMembers.grants()+ofUser+
		" UNION ALL "+departmentMembers.grants()+ofUser+" UNION ALL "+projectMembers.grants()+ofUser, userID)
	if err != nil {
		return nil, nil, err
	}
	roles, err := identity.CustomRoles.All(ctx, s.Conn, " WHERE id IN (SELECT role_id FROM custom_role_holders WHERE user_id = ?) ORDER BY id", userID)
	return grants, roles, err
}

// heldRoles selects the roles of the users that the condition "column is one of ids" selects.
const heldRoles = "SELECT user_id, role, tenant_id, department_id, project_id, role_id, role_name, place FROM (" +
	"SELECT 0 AS tier, m.scope_id AS at, m.user_id, m.role, t.id AS tenant_id, 0 AS department_id, 0 AS project_id, 0 AS role_id, '' AS role_name, t.name AS place" +
	" FROM tenant_members m JOIN tenants t ON t.id = m.scope_id WHERE m.user_id @users" +
	" UNION ALL SELECT 1, m.scope_id, m.user_id, m.role, d.tenant_id, d.id, 0, 0, '', d.name FROM department_members m JOIN departments d ON d.id = m.scope_id WHERE m.user_id @users" +
	" UNION ALL SELECT 2, m.scope_id, m.user_id, m.role, p.tenant_id, COALESCE(p.department_id, 0), p.id, 0, '', p.name" +
	" FROM project_members m JOIN projects p ON p.id = m.scope_id AND p.tenant_id IS NOT NULL WHERE m.user_id @users" +
	" UNION ALL SELECT 3, r.id, h.user_id, '', r.tenant_id, r.department_id, 0, r.id, r.name, d.name" +
	" FROM custom_role_holders h JOIN custom_roles r ON r.id = h.role_id JOIN departments d ON d.id = r.department_id WHERE h.user_id @users" +
	") held ORDER BY user_id, tier, at"

func (s grantStore) Roles(ctx context.Context, userIDs []int64) ([]account.HeldRole, error) {
	if len(userIDs) == 0 {
		return nil, nil
	}
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(h *account.HeldRole) []any {
		return []any{&h.UserID, &h.Role, &h.TenantID, &h.DepartmentID, &h.ProjectID, &h.CustomRole.ID, &h.CustomRole.Name, &h.Place}
	}), heldRoles, sqldb.AmongIDs(userIDs))
}

func (s grantStore) TenantMembers(ctx context.Context, tenantID int64) ([]core.Grant, error) {
	return s.in(ctx, tenantMembers, tenantID)
}

func (s grantStore) DepartmentMembers(ctx context.Context, departmentID int64) ([]core.Grant, error) {
	return s.in(ctx, departmentMembers, departmentID)
}

func (s grantStore) ProjectMembers(ctx context.Context, projectID int64) ([]core.Grant, error) {
	return s.in(ctx, projectMembers, projectID)
}

// reviewers selects the active users who may decide requests of a Project: super admins, admins
// of its scopes, and holders of custom roles of its department.
const reviewers = "SELECT u.id, 'super_admin', 0 FROM users u WHERE u.super_admin AND u.active" +
	" UNION ALL SELECT m.user_id, m.role, 0 FROM tenant_members m JOIN users u ON u.id = m.user_id AND u.active WHERE m.scope_id = ?" +
	" UNION ALL SELECT m.user_id, m.role, 0 FROM department_members m JOIN users u ON u.id = m.user_id AND u.active WHERE m.scope_id = @department" +
	" UNION ALL SELECT m.user_id, m.role, 0 FROM project_members m JOIN users u ON u.id = m.user_id AND u.active" +
	" WHERE m.scope_id = ? AND m.role = 'admin'" +
	" UNION ALL SELECT h.user_id, '', r.id FROM custom_roles r JOIN custom_role_holders h ON h.role_id = r.id" +
	" JOIN users u ON u.id = h.user_id AND u.active WHERE r.department_id = @department"

func (s grantStore) Reviewers(ctx context.Context, tenantID, departmentID, projectID int64) ([]review.Reviewer, error) {
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(v *review.Reviewer) []any { return []any{&v.UserID, &v.Role, &v.CustomRoleID} }),
		reviewers, tenantID, departmentID, projectID)
}

func (s grantStore) Set(ctx context.Context, g core.Grant) error {
	table, id := tenantMembers, g.TenantID
	switch g.Role {
	case core.RoleTenantAdmin:
	case core.RoleDepartmentAdmin:
		table, id = departmentMembers, g.DepartmentID
	default:
		table, id = projectMembers, g.ProjectID
	}
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		n, err := c.Do(ctx, "member", "INSERT INTO "+table.name+" (scope_id, user_id, role) VALUES (?, ?, ?)"+
			" ON CONFLICT (scope_id, user_id) DO UPDATE SET role = EXCLUDED.role WHERE "+table.name+".role <> EXCLUDED.role", id, g.UserID, g.Role)
		if err != nil || n == 0 { // the user has the role already
			return err
		}
		event, err := grantStore{c}.event(ctx, event.MemberUpdated, table, id, g)
		if err == nil {
			c.Record(event)
		}
		return err
	})
}

// event returns an event about the role of a member of the scope.
func (s grantStore) event(ctx context.Context, kind event.Type, t scopeTable, scopeID int64, g core.Grant) (event.Event, error) {
	event := event.Event{Type: kind, SubjectID: g.UserID, Role: string(g.Role)}
	stores := storesOf(s.Conn)
	switch t.name {
	case projectMembers.name:
		project, err := stores.Projects.Project(ctx, scopeID)
		if err != nil {
			return event, err
		}
		event.ProjectID, event.Place = scopeID, project.Name
	case departmentMembers.name:
		department, err := stores.Departments.Department(ctx, scopeID)
		if err != nil {
			return event, err
		}
		event.TenantID, event.Place = department.TenantID, department.Name
	default:
		tenant, err := stores.Tenants.Tenant(ctx, scopeID)
		if err != nil {
			return event, err
		}
		event.TenantID, event.Place = scopeID, tenant.Name
	}
	return event, nil
}

func (s grantStore) Remove(ctx context.Context, g core.Grant) error {
	table, id := tenantMembers, g.TenantID
	switch {
	case g.ProjectID != 0:
		table, id = projectMembers, g.ProjectID
	case g.DepartmentID != 0:
		table, id = departmentMembers, g.DepartmentID
	}
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		removed, err := sqldb.Returned(ctx, c, "member", sqldb.ScanValue[core.Role], "DELETE FROM "+table.name+" WHERE scope_id = ? AND user_id = ? RETURNING role", id, g.UserID)
		if err != nil {
			return err
		}
		if len(removed) == 0 {
			return core.NotFound("member")
		}
		event, err := grantStore{c}.event(ctx, event.MemberRemoved, table, id, core.Grant{UserID: g.UserID, Role: removed[0]})
		if err != nil {
			return err
		}
		c.Record(event)
		return nil
	})
}

// grants selects grants in the form of scanGrant. A condition follows.
func (t scopeTable) grants() string {
	return "SELECT m.user_id, m.role, " + t.ids + " FROM " + t.name + " AS m" + t.join
}

var scanGrant = sqldb.Into(func(g *core.Grant) []any {
	return []any{&g.UserID, &g.Role, &g.TenantID, &g.DepartmentID, &g.ProjectID}
})

func (s grantStore) in(ctx context.Context, t scopeTable, id int64) ([]core.Grant, error) {
	return sqldb.Collect(ctx, s.Conn, scanGrant, t.grants()+" WHERE m.scope_id = ? ORDER BY m.user_id", id)
}
