package identity

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// Policy decides what callers may do with the accounts of others. Implementation:
// access.Standing.
type Policy interface {
	// SeenUser returns an account that the actor may see; any other is core.KindNotFound.
	SeenUser(ctx context.Context, users ports.UserStore, actor core.Actor, id int64) (core.User, error)
	// MustManage returns core.KindForbidden unless the actor may change the account's e-mail,
	// password and state: an admin of its tenant with every permission of the account.
	MustManage(ctx context.Context, grants ports.GrantStore, actor core.Actor, user core.User) error
	// MayGive returns the roles with the names of their places if the actor may give each of them.
	// Each grant has the id of its place only. The error is core.KindNotFound or core.KindForbidden.
	MayGive(ctx context.Context, stores ports.Stores, actor core.Actor, grants []core.Grant, customRoles []int64) ([]account.HeldRole, error)
	// Offered returns roles with the names of their places, "" for a place that no longer exists.
	Offered(ctx context.Context, stores ports.Stores, grants []core.Grant, customRoles []int64) ([]account.HeldRole, error)
}
