package identity

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// customRoleStore implements ports.CustomRoleStore.
type customRoleStore struct{ sqldb.Conn }

// CustomRoles is the table of custom roles.
var CustomRoles = sqldb.NewTableOf("custom_roles", "custom role", func(r *core.CustomRole) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &r.ID, Fixed: true},
		{Name: "tenant_id", Kind: "bigint", Of: &r.TenantID, Fixed: true},
		{Name: "department_id", Kind: "bigint", Of: &r.DepartmentID, Fixed: true},
		{Name: "name", Kind: "text", Of: &r.Name},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&r.CreatedAt), Fixed: true},
	}
})

func (s customRoleStore) CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error) {
	return CustomRoles.All(ctx, s.Conn, " WHERE department_id = ? ORDER BY id", departmentID)
}

func (s customRoleStore) CustomRole(ctx context.Context, id int64) (core.CustomRole, error) {
	return CustomRoles.One(ctx, s.Conn, " WHERE id = ?"+s.ForShare(), id)
}

func (s customRoleStore) Lock(ctx context.Context, id int64) error {
	return s.LockBy(ctx, "SELECT 1 FROM custom_roles WHERE id = ?"+s.ForUpdate(), id)
}

func (s customRoleStore) Insert(ctx context.Context, r *core.CustomRole) error {
	return CustomRoles.Add(ctx, s.Conn, r, &r.ID, func() event.Event {
		return event.Event{Type: event.RoleCreated, TenantID: r.TenantID, SubjectID: r.ID}
	})
}

func (s customRoleStore) Update(ctx context.Context, r core.CustomRole) error {
	return s.InTenant(ctx, event.RoleUpdated, r.ID, tenantOfRole, func(ctx context.Context, c sqldb.Conn, event event.Event) error {
		return CustomRoles.Put(ctx, c, &r, event, "id = ?", r.ID)
	})
}

func (s customRoleStore) Delete(ctx context.Context, id int64) error {
	return s.InTenant(ctx, event.RoleDeleted, id, tenantOfRole, func(ctx context.Context, c sqldb.Conn, event event.Event) error {
		return CustomRoles.Drop(ctx, c, event, "id = ?", id)
	})
}

func tenantOfRole(ctx context.Context, c sqldb.Conn, id int64) (tenantID int64, err error) {
	role, err := customRoleStore{c}.CustomRole(ctx, id)
	return role.TenantID, err
}

func (s customRoleStore) Holders(ctx context.Context, roleID int64) ([]core.User, error) {
	holders, err := Users.All(ctx, s.Conn, " WHERE id IN (SELECT user_id FROM custom_role_holders WHERE role_id = ?) ORDER BY id", roleID)
	if err != nil || len(holders) > 0 {
		return holders, err
	}
	_, err = s.CustomRole(ctx, roleID)
	return nil, err
}

func (s customRoleStore) Assign(ctx context.Context, roleID, userID int64) error {
	return s.about(ctx, event.RoleGiven, roleID, userID, func(ctx context.Context, c sqldb.Conn, event event.Event) error {
		added, err := c.Do(ctx, "holder", "INSERT INTO custom_role_holders (role_id, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING", roleID, userID)
		if added > 0 { // otherwise the user has the role already
			c.Record(event)
		}
		return err
	})
}

func (s customRoleStore) Unassign(ctx context.Context, roleID, userID int64) error {
	return s.about(ctx, event.RoleTaken, roleID, userID, func(ctx context.Context, c sqldb.Conn, event event.Event) error {
		return c.Note(ctx, "holder", event, "DELETE FROM custom_role_holders WHERE role_id = ? AND user_id = ?", roleID, userID)
	})
}

// about runs do in a transaction, with an event of kind about the role of a user.
func (s customRoleStore) about(ctx context.Context, kind event.Type, roleID, userID int64, do func(context.Context, sqldb.Conn, event.Event) error) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
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
