package identity

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/address"
	"imprimatur/core/event"
)

// userStore implements ports.UserStore.
type userStore struct{ sqldb.Conn }

// Users is the table of users.
var Users = sqldb.NewTableOf("users", "user", func(u *core.User) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &u.ID, Fixed: true},
		{Name: "email", Kind: "text", Of: &u.Email},
		{Name: "name", Kind: "text", Of: &u.Name},
		{Name: "tenant_id", Kind: "bigint", Of: sqldb.NullIfZero(&u.TenantID)},
		{Name: "password_hash", Kind: "text", Of: &u.PasswordHash},
		{Name: "super_admin", Kind: "boolean", Of: &u.SuperAdmin},
		{Name: "active", Kind: "boolean", Of: &u.Active},
		{Name: "must_change_password", Kind: "boolean", Of: &u.MustChangePassword},
		{Name: "language", Kind: "text", Of: &u.Settings.Language},
		{Name: "time_zone", Kind: "text", Of: &u.Settings.TimeZone},
		{Name: "theme", Kind: "text", Of: &u.Settings.Theme},
		{Name: "totp", Kind: "boolean", Of: &u.TOTP, Fixed: true},
		{Name: "passkeys", Kind: "bigint", Of: &u.Passkeys, Fixed: true},
		{Name: "last_sign_in_at", Kind: "bigint", Of: (*sqldb.Instant)(&u.LastSignInAt), Fixed: true},
		{Name: "mail", Kind: "bigint", Of: (*uint32)(&u.Settings.Mail)},
		{Name: "reach_above", Kind: "boolean", Of: &u.Settings.ReachAbove},
		{Name: "generation", Kind: "bigint", Of: &u.Generation, Fixed: true},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&u.CreatedAt), Fixed: true},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&u.UpdatedAt)},
	}
})

func (s userStore) User(ctx context.Context, id int64) (core.User, error) {
	return Users.One(ctx, s.Conn, " WHERE id = ?", id)
}

func (s userStore) UsersByIDs(ctx context.Context, ids []int64) ([]core.User, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return Users.All(ctx, s.Conn, " WHERE id ? ORDER BY id", sqldb.AmongIDs(ids))
}

func (s userStore) UserByEmail(ctx context.Context, email string) (core.User, error) {
	if !sqldb.Storable(email) {
		return core.User{}, core.NotFound("user")
	}
	return Users.One(ctx, s.Conn, " WHERE email = ?", address.Mailbox(email))
}

// Users locks the users in a transaction: callers use it to check that another super admin
// remains.
func (s userStore) Users(ctx context.Context, tenantID int64, offset, limit int64) ([]core.User, error) {
	end, args := "", []any{limit + 1, offset}
	if tenantID != 0 {
		end, args = " WHERE tenant_id = @tenant", append(args, sqldb.As("tenant", tenantID))
	}
	return Users.All(ctx, s.Conn, end+" ORDER BY id LIMIT ? OFFSET ?"+s.ForShare(), args...)
}

func (s userStore) Candidates(ctx context.Context, tenantID int64) ([]core.User, error) {
	return Users.All(ctx, s.Conn, " WHERE active AND (tenant_id = @tenant OR id IN ("+
		"SELECT user_id FROM tenant_members WHERE scope_id = @tenant"+
		" UNION ALL SELECT m.user_id FROM department_members m JOIN departments d ON d.id = m.scope_id WHERE d.tenant_id = @tenant"+
		" UNION ALL SELECT m.user_id FROM project_members m JOIN projects p ON p.id = m.scope_id WHERE p.tenant_id = @tenant)) ORDER BY id", tenantID)
}

func (s userStore) Lock(ctx context.Context, id int64) error {
	return s.LockBy(ctx, "SELECT 1 FROM users WHERE id = ?"+s.ForUpdate(), id)
}

func (s userStore) Insert(ctx context.Context, u *core.User) error {
	return Users.Add(ctx, s.Conn, u, &u.ID, func() event.Event {
		return event.Event{Type: event.UserCreated, TenantID: u.TenantID, SubjectID: u.ID}
	})
}

func (s userStore) Update(ctx context.Context, u core.User) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		before, err := userStore{c}.User(ctx, u.ID)
		if err != nil {
			return err
		}
		kinds := event.OfUser(before, u)
		if err := Users.Put(ctx, c, &u, event.Event{Type: kinds[0], TenantID: u.TenantID, SubjectID: u.ID}, "id = ?", u.ID); err != nil {
			return err
		}
		for _, kind := range kinds[1:] {
			c.Record(event.Event{Type: kind, TenantID: u.TenantID, SubjectID: u.ID})
		}
		return nil
	})
}
