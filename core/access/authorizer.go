package access

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Target names the place of an action by the id that the caller gave. Only the
// member that belongs to the action's scope is looked at; a Project is named by
// its id or by its UUID.
type Target struct {
	TenantID     int64
	DepartmentID int64
	ProjectID    int64
	ProjectUUID  string
}

// Place is where an authorized action happens.
type Place struct {
	Tenant     core.Tenant     // zero in ScopePlatform; in ScopeProject its ID alone
	Department core.Department // zero: none; in ScopeProject its ID alone
	Project    *core.Project   // nil unless the scope is ScopeProject
}

// Authorizer decides who may do what. It is the only one to do so.
type Authorizer struct {
	schemas ports.Schemas
	stores  ports.Stores
}

// NewAuthorizer returns an Authorizer that finds Projects through schemas, and
// tenants and departments in stores.
func NewAuthorizer(schemas ports.Schemas, stores ports.Stores) *Authorizer {
	return &Authorizer{schemas: schemas, stores: stores}
}

// Authorize returns the place of the action when actor may do it there. Otherwise
// the error is of the kind
//   - core.KindUnauthenticated for nobody, for a token on a user's action and for a
//     user on a token's action;
//   - core.KindNotFound when the place does not exist or actor may not see it, in the
//     same words; a token sees its own Project and nothing else;
//   - core.KindForbidden when actor sees the place but may not do this there.
//
// The system may do everything. A token's action costs one call of ports.Schemas.
func (a *Authorizer) Authorize(ctx context.Context, actor core.Actor, action Action, target Target) (Place, error) {
	return Place{}, core.Unauthenticated()
}

// RoleIn returns the highest role that actor has in p, or "" for none. Roles apply
// downwards: a tenant admin is one in every Department and Project of the Tenant.
// A token has no role.
func RoleIn(actor core.Actor, p Place) core.Role { return "" }
