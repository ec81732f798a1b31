package access

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Member is a user with the role given in one place.
type Member struct {
	User core.User
	Role core.Role
}

// Members manages who has which role in a tenant, a department or a Project.
type Members struct {
	stores  ports.Stores
	tx      ports.Tx
	changes ports.Changes
}

// NewMembers returns Members.
func NewMembers(stores ports.Stores, tx ports.Tx, changes ports.Changes) *Members {
	return &Members{stores: stores, tx: tx, changes: changes}
}

// List returns who was given a role in exactly that place, ordered by user id;
// scope says whether the place is the tenant, the department or the Project.
func (m *Members) List(ctx context.Context, place Place, scope Scope) ([]Member, error) {
	return nil, nil
}

// Set gives the user a role in exactly that place, instead of the one the user had
// there: tenant_admin in a tenant, department_admin in a department; admin, editor
// or viewer in a Project. It is core.KindForbidden to give a role above one's own,
// and core.KindNotFound to give one to a user whom actor may not know of.
func (m *Members) Set(ctx context.Context, actor core.Actor, scope Scope, place Place, userID int64, role core.Role) (Member, error) {
	return Member{}, nil
}

// Remove takes the user's role in exactly that place; core.KindNotFound when there
// is none, core.KindForbidden when it is above actor's own.
func (m *Members) Remove(ctx context.Context, actor core.Actor, scope Scope, place Place, userID int64) error {
	return nil
}
