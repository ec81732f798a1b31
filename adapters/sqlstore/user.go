package sqlstore

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/address"
	"imprimatur/core/event"
)

// userStore implements ports.UserStore.
type userStore struct{ conn }

var users = rowsOf("users", "user", func(u *core.User) []member {
	return []member{
		{name: "id", kind: "bigint", of: &u.ID, fixed: true},
		{name: "email", kind: "text", of: &u.Email},
		{name: "name", kind: "text", of: &u.Name},
		{name: "tenant_id", kind: "bigint", of: nullIfZero[int64]{&u.TenantID}},
		{name: "password_hash", kind: "text", of: &u.PasswordHash},
		{name: "super_admin", kind: "boolean", of: &u.SuperAdmin},
		{name: "active", kind: "boolean", of: &u.Active},
		{name: "must_change_password", kind: "boolean", of: &u.MustChangePassword},
		{name: "language", kind: "text", of: &u.Settings.Language},
		{name: "time_zone", kind: "text", of: &u.Settings.TimeZone},
		{name: "theme", kind: "text", of: &u.Settings.Theme},
		{name: "totp", kind: "boolean", of: &u.TOTP, fixed: true},
		{name: "passkeys", kind: "bigint", of: &u.Passkeys, fixed: true},
		{name: "last_sign_in_at", kind: "bigint", of: (*instant)(&u.LastSignInAt), fixed: true},
		{name: "mail", kind: "bigint", of: (*uint32)(&u.Settings.Mail)},
		{name: "reach_above", kind: "boolean", of: &u.Settings.ReachAbove},
		{name: "generation", kind: "bigint", of: &u.Generation, fixed: true},
		{name: "created_at", kind: "bigint", of: (*instant)(&u.CreatedAt), fixed: true},
		{name: "updated_at", kind: "bigint", of: (*instant)(&u.UpdatedAt)},
	}
})

func (s userStore) User(ctx context.Context, id int64) (core.User, error) {
	return users.one(ctx, s.conn, " WHERE id = ?", id)
}

func (s userStore) UsersByIDs(ctx context.Context, ids []int64) ([]core.User, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return users.all(ctx, s.conn, " WHERE id ? ORDER BY id", amongIDs(ids))
}

func (s userStore) UserByEmail(ctx context.Context, email string) (core.User, error) {
	if !storable(email) {
		return core.User{}, core.NotFound("user")
	}
	return users.one(ctx, s.conn, " WHERE email = ?", address.Mailbox(email))
}

// Users locks the users in a transaction: callers use it to check that another super admin
// remains.
func (s userStore) Users(ctx context.Context, tenantID int64, offset, limit int64) ([]core.User, error) {
	end, args := "", []any{limit + 1, offset}
	if tenantID != 0 {
		end, args = " WHERE tenant_id = @tenant", append(args, as{"tenant", tenantID})
	}
	return users.all(ctx, s.conn, end+" ORDER BY id LIMIT ? OFFSET ?"+s.forShare(), args...)
}

func (s userStore) Candidates(ctx context.Context, tenantID int64) ([]core.User, error) {
	return users.all(ctx, s.conn, " WHERE active AND (tenant_id = @tenant OR id IN ("+
		"SELECT user_id FROM tenant_members WHERE scope_id = @tenant"+
		" UNION ALL SELECT m.user_id FROM department_members m JOIN departments d ON d.id = m.scope_id WHERE d.tenant_id = @tenant"+
		" UNION ALL SELECT m.user_id FROM project_members m JOIN projects p ON p.id = m.scope_id WHERE p.tenant_id = @tenant)) ORDER BY id", tenantID)
}

func (s userStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM users WHERE id = ?"+s.forUpdate(), id)
}

func (s userStore) Insert(ctx context.Context, u *core.User) error {
	return users.add(ctx, s.conn, u, &u.ID, func() event.Event {
		return event.Event{Type: event.UserCreated, TenantID: u.TenantID, SubjectID: u.ID}
	})
}

func (s userStore) Update(ctx context.Context, u core.User) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		before, err := userStore{c}.User(ctx, u.ID)
		if err != nil {
			return err
		}
		kinds := event.OfUser(before, u)
		if err := users.put(ctx, c, &u, event.Event{Type: kinds[0], TenantID: u.TenantID, SubjectID: u.ID}, "id = ?", u.ID); err != nil {
			return err
		}
		for _, kind := range kinds[1:] {
			c.record(event.Event{Type: kind, TenantID: u.TenantID, SubjectID: u.ID})
		}
		return nil
	})
}
