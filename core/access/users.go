package access

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Users manages accounts.
type Users struct {
	stores  ports.Stores
	tx      ports.Tx
	hasher  ports.PasswordHasher
	clock   ports.Clock
	changes ports.Changes
}

// NewUsers returns Users.
func NewUsers(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, clock ports.Clock, changes ports.Changes) *Users {
	return &Users{stores: stores, tx: tx, hasher: hasher, clock: clock, changes: changes}
}

// UserInput describes a new account.
type UserInput struct {
	Email      string // kept lower-case
	Name       string
	Password   string // 8 code points to 1024 bytes
	SuperAdmin bool   // only a super admin may
}

// UserChange changes the members of an account that are not nil. Users may change
// their own name; the rest is for those who look after the account, and SuperAdmin
// for super admins.
type UserChange struct {
	Email      *string
	Name       *string
	Active     *bool
	SuperAdmin *bool
}

// PasswordChange sets a password. Current is asked of users who change their own.
type PasswordChange struct {
	Current string
	New     string
}

// List returns a page of the accounts that the tenant looks after, or of all of
// them when tenantID is 0, ordered by id, and whether there are more.
func (u *Users) List(ctx context.Context, tenantID, offset, limit int64) (page []core.User, more bool, err error) {
	return nil, false, nil
}

// Create adds an active account that the tenant looks after; tenantID 0 is the
// platform. core.KindConflict when the e-mail is taken.
func (u *Users) Create(ctx context.Context, actor core.Actor, tenantID int64, in UserInput) (core.User, error) {
	return core.User{}, nil
}

// User returns an account that actor may see: the own one, those of a tenant that
// actor is admin of, and for a super admin every one.
func (u *Users) User(ctx context.Context, actor core.Actor, id int64) (core.User, error) {
	return core.User{}, nil
}

// Update changes an account. Deactivation ends its sessions. The last active super
// admin stays one: core.KindConflict.
func (u *Users) Update(ctx context.Context, actor core.Actor, id int64, change UserChange) (core.User, error) {
	return core.User{}, nil
}

// SetPassword changes a password and ends all sessions of the account.
func (u *Users) SetPassword(ctx context.Context, actor core.Actor, id int64, change PasswordChange) error {
	return nil
}
