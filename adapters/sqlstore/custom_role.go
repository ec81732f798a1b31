package sqlstore

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/event"
)

// customRoleStore implements ports.CustomRoleStore.
type customRoleStore struct{ conn }

var customRoles = rowsOf("custom_roles", "custom role", func(r *core.CustomRole) []member {
	return []member{
		{name: "id", kind: "bigint", of: &r.ID, fixed: true},
		{name: "tenant_id", kind: "bigint", of: &r.TenantID, fixed: true},
		{name: "department_id", kind: "bigint", of: &r.DepartmentID, fixed: true},
		{name: "name", kind: "text", of: &r.Name},
		{name: "created_at", kind: "bigint", of: (*instant)(&r.CreatedAt), fixed: true},
	}
})

func (s customRoleStore) CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error) {
	return customRoles.all(ctx, s.conn, " WHERE department_id = ? ORDER BY id", departmentID)
}

func (s customRoleStore) CustomRole(ctx context.Context, id int64) (core.CustomRole, error) {
	return customRoles.one(ctx, s.conn, " WHERE id = ?"+s.forShare(), id)
}

func (s customRoleStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM custom_roles WHERE id = ?"+s.forUpdate(), id)
}

func (s customRoleStore) Insert(ctx context.Context, r *core.CustomRole) error {
	return customRoles.add(ctx, s.conn, r, &r.ID, func() event.Event {
		return event.Event{Type: event.RoleCreated, TenantID: r.TenantID, SubjectID: r.ID}
	})
}

func (s customRoleStore) Update(ctx context.Context, r core.CustomRole) error {
	return s.inTenant(ctx, event.RoleUpdated, r.ID, tenantOfRole, func(ctx context.Context, c conn, event event.Event) error {
		return customRoles.put(ctx, c, &r, event, "id = ?", r.ID)
	})
}

func (s customRoleStore) Delete(ctx context.Context, id int64) error {
	return s.inTenant(ctx, event.RoleDeleted, id, tenantOfRole, func(ctx context.Context, c conn, event event.Event) error {
		return customRoles.drop(ctx, c, event, "id = ?", id)
	})
}

func tenantOfRole(ctx context.Context, c conn, id int64) (tenantID int64, err error) {
	role, err := customRoleStore{c}.CustomRole(ctx, id)
	return role.TenantID, err
}

func (s customRoleStore) Holders(ctx context.Context, roleID int64) ([]core.User, error) {
	holders, err := users.all(ctx, s.conn, " WHERE id IN (SELECT user_id FROM custom_role_holders WHERE role_id = ?) ORDER BY id", roleID)
	if err != nil || len(holders) > 0 {
		return holders, err
	}
	_, err = s.CustomRole(ctx, roleID)
	return nil, err
}

func (s customRoleStore) Assign(ctx context.Context, roleID, userID int64) error {
	return s.about(ctx, event.RoleGiven, roleID, userID, func(ctx context.Context, c conn, event event.Event) error {
		added, err := c.do(ctx, "holder", "INSERT INTO custom_role_holders (role_id, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING", roleID, userID)
		if added > 0 { // otherwise the user has the role already
			c.record(event)
		}
		return err
	})
}

func (s customRoleStore) Unassign(ctx context.Context, roleID, userID int64) error {
	return s.about(ctx, event.RoleTaken, roleID, userID, func(ctx context.Context, c conn, event event.Event) error {
		return c.note(ctx, "holder", event, "DELETE FROM custom_role_holders WHERE role_id = ? AND user_id = ?", roleID, userID)
	})
}

// about runs do in a transaction, with an event of kind about the role of a user.
func (s customRoleStore) about(ctx context.Context, kind event.Type, roleID, userID int64, do func(context.Context, conn, event.Event) error) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		role, err := customRoleStore{c}.CustomRole(ctx, roleID)
		if err != nil {
			return err
		}
		department, err := departmentStore{c}.Department(ctx, role.DepartmentID)
		if err != nil {
			return err
		}
		return do(ctx, c, event.Event{Type: kind, TenantID: role.TenantID, SubjectID: userID, Role: role.Name, Place: department.Name})
	})
}
