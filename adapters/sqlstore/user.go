package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/address"
	"imprimatur/core/event"
)

// userStore implements ports.UserStore.
type userStore struct{ conn }

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`

	ID           int64 `bun:",pk,autoincrement"`
	Email        string
	Name         string
	TenantID     int64 `bun:",nullzero"`
	PasswordHash string
	SuperAdmin   bool
	Active       bool

	MustChangePassword bool

	Language     string
	TimeZone     string
	Theme        string
	Mail         int64
	ReachAbove   bool
	Generation   int64
	TOTP         bool `bun:"totp"`
	Passkeys     int
	LastSignInAt instant
	CreatedAt    instant
	UpdatedAt    instant
}

func newUserRow(u core.User) *userRow {
	return &userRow{
		ID: u.ID, Email: u.Email, Name: u.Name, TenantID: u.TenantID, PasswordHash: u.PasswordHash,
		SuperAdmin: u.SuperAdmin, Active: u.Active, MustChangePassword: u.MustChangePassword, Language: u.Settings.Language, TimeZone: u.Settings.TimeZone, Theme: u.Settings.Theme,
		Mail: int64(u.Settings.Mail), ReachAbove: u.Settings.ReachAbove, Generation: u.Generation, TOTP: u.TOTP, Passkeys: u.Passkeys,
		LastSignInAt: instant(u.LastSignInAt), CreatedAt: instant(u.CreatedAt), UpdatedAt: instant(u.UpdatedAt),
	}
}

func (r userRow) core() core.User {
	return core.User{
		ID: r.ID, Email: r.Email, Name: r.Name, TenantID: r.TenantID, PasswordHash: r.PasswordHash,
		SuperAdmin: r.SuperAdmin, Active: r.Active, MustChangePassword: r.MustChangePassword, TOTP: r.TOTP, Passkeys: r.Passkeys,
		Settings: core.Settings{
			Language: r.Language, TimeZone: r.TimeZone, Theme: r.Theme, Mail: core.NoticeSet(r.Mail), ReachAbove: r.ReachAbove, //nolint:gosec // it was stored from one
		},
		Generation: r.Generation, LastSignInAt: time.Time(r.LastSignInAt), CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

func (s userStore) User(ctx context.Context, id int64) (core.User, error) {
	return one[userRow](ctx, s.conn, "user", where("id = ?", id))
}

func (s userStore) UsersByIDs(ctx context.Context, ids []int64) ([]core.User, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return all[userRow](ctx, s.conn, "user", ordered("id", "id IN (?)", bun.List(ids)))
}

func (s userStore) UserByEmail(ctx context.Context, email string) (core.User, error) {
	if !storable(email) {
		return core.User{}, core.NotFound("user")
	}
	return one[userRow](ctx, s.conn, "user", where("email = ?", address.Mailbox(email)))
}

// Users locks the users in a transaction: callers use it to check that another super admin
// remains.
func (s userStore) Users(ctx context.Context, tenantID int64, offset, limit int64) ([]core.User, error) {
	return all[userRow](ctx, s.conn, "user", func(q *bun.SelectQuery) *bun.SelectQuery {
		if tenantID != 0 {
			q = q.Where("tenant_id = ?", tenantID)
		}
		return s.locked(q.Order("id").Offset(offset).Limit(limit + 1))
	})
}

func (s userStore) Candidates(ctx context.Context, tenantID int64) ([]core.User, error) {
	return all[userRow](ctx, s.conn, "user", ordered("id", "u.active AND (u.tenant_id = ?0 OR u.id IN ("+
		"SELECT user_id FROM tenant_members WHERE scope_id = ?0"+
		" UNION ALL SELECT m.user_id FROM department_members m JOIN departments d ON d.id = m.scope_id WHERE d.tenant_id = ?0"+
		" UNION ALL SELECT m.user_id FROM project_members m JOIN projects p ON p.id = m.scope_id WHERE p.tenant_id = ?0))", tenantID))
}

func (s userStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, "SELECT 1 FROM users WHERE id = ?"+s.forUpdate(), id)
}

func (s userStore) Insert(ctx context.Context, u *core.User) error {
	r := newUserRow(*u)
	return s.insert(ctx, newRow{r, &r.ID, &u.ID}, "user", func() event.Event {
		return event.Event{Type: event.UserCreated, TenantID: r.TenantID, SubjectID: r.ID}
	})
}

func (s userStore) Update(ctx context.Context, u core.User) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		before, err := userStore{c}.User(ctx, u.ID)
		if err != nil {
			return err
		}
		kinds := event.OfUser(before, u)
		if err := c.update(ctx, newUserRow(u), "user", event.Event{Type: kinds[0], TenantID: u.TenantID, SubjectID: u.ID}, updatedOfUser...); err != nil {
			return err
		}
		for _, kind := range kinds[1:] {
			c.record(event.Event{Type: kind, TenantID: u.TenantID, SubjectID: u.ID})
		}
		return nil
	})
}

// updatedOfUser are the columns that Update replaces.
var updatedOfUser = []string{
	"email", "name", "tenant_id", "password_hash", "super_admin", "active", "must_change_password", "language", "time_zone", "theme", "mail", "reach_above", "updated_at",
}
