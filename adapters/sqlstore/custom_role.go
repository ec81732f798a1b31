package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
)

// customRoleStore implements ports.CustomRoleStore.
type customRoleStore struct{ conn }

type customRoleRow struct {
	bun.BaseModel `bun:"table:custom_roles,alias:r"`

	ID           int64 `bun:",pk,autoincrement"`
	TenantID     int64
	DepartmentID int64
	Name         string
	CreatedAt    instant
}

func newCustomRoleRow(r core.CustomRole) *customRoleRow {
	return &customRoleRow{
		ID: r.ID, TenantID: r.TenantID, DepartmentID: r.DepartmentID, Name: r.Name, CreatedAt: instant(r.CreatedAt),
	}
}

func (r customRoleRow) core() core.CustomRole {
	return core.CustomRole{
		ID: r.ID, TenantID: r.TenantID, DepartmentID: r.DepartmentID, Name: r.Name, CreatedAt: time.Time(r.CreatedAt),
	}
}

type holderRow struct {
	bun.BaseModel `bun:"table:custom_role_holders,alias:h"`

	RoleID int64 `bun:",pk"`
	UserID int64 `bun:",pk"`
}

func (s customRoleStore) CustomRoles(ctx context.Context, departmentID int64) ([]core.CustomRole, error) {
	return all[customRoleRow](ctx, s.conn, "custom role", ordered("id", "department_id = ?", departmentID))
}

func (s customRoleStore) CustomRole(ctx context.Context, id int64) (core.CustomRole, error) {
	return one[customRoleRow](ctx, s.conn, "custom role", func(q *bun.SelectQuery) *bun.SelectQuery {
		return s.locked(q.Where("id = ?", id))
	})
}

func (s customRoleStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM custom_roles WHERE id = ?"+s.forUpdate(), id)
}

func (s customRoleStore) Insert(ctx context.Context, r *core.CustomRole) error {
	added := newCustomRoleRow(*r)
	return s.insert(ctx, newRow{added, &added.ID, &r.ID}, "custom role", func() event.Event {
		return event.Event{Type: event.RoleCreated, TenantID: added.TenantID, SubjectID: added.ID}
	})
}

func (s customRoleStore) Update(ctx context.Context, r core.CustomRole) error {
	return s.inTenant(ctx, event.RoleUpdated, r.ID, tenantOfRole, func(ctx context.Context, c conn, event event.Event) error {
		return c.update(ctx, newCustomRoleRow(r), "custom role", event, "name")
	})
}

func (s customRoleStore) Delete(ctx context.Context, id int64) error {
	return s.inTenant(ctx, event.RoleDeleted, id, tenantOfRole, func(ctx context.Context, c conn, event event.Event) error {
		return c.remove(ctx, (*customRoleRow)(nil), "custom role", event, "id = ?", id)
	})
}

func tenantOfRole(ctx context.Context, c conn, id int64) (tenantID int64, err error) {
	role, err := customRoleStore{c}.CustomRole(ctx, id)
	return role.TenantID, err
}

func (s customRoleStore) Holders(ctx context.Context, roleID int64) ([]core.User, error) {
	holders, err := all[userRow](ctx, s.conn, "user", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Join("JOIN custom_role_holders AS h ON h.user_id = u.id").Where("h.role_id = ?", roleID).Order("u.id")
	})
	if err != nil || len(holders) > 0 {
		return holders, err
	}
	_, err = s.CustomRole(ctx, roleID)
	return nil, err
}

func (s customRoleStore) Assign(ctx context.Context, roleID, userID int64) error {
	return s.about(ctx, event.RoleGiven, roleID, userID, func(ctx context.Context, c conn, event event.Event) error {
		result, err := c.write.NewInsert().Model(&holderRow{RoleID: roleID, UserID: userID}).On("CONFLICT DO NOTHING").Exec(ctx)
		if err != nil {
			return c.written(err, "holder")
		}
		if err := c.affected(result, "holder", event); err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		return nil // not found: the user has the role already
	})
}

func (s customRoleStore) Unassign(ctx context.Context, roleID, userID int64) error {
	return s.about(ctx, event.RoleTaken, roleID, userID, func(ctx context.Context, c conn, event event.Event) error {
		return c.remove(ctx, (*holderRow)(nil), "holder", event, "role_id = ? AND user_id = ?", roleID, userID)
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
