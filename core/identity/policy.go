package identity

import (
	"context"

	"imprimatur/core"
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
}
