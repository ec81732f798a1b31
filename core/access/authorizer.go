package access

import (
	"context"
	"slices"

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
	Tenant     core.Tenant     // zero in ScopePlatform; its ID alone unless the scope is ScopeTenant
	Department core.Department // zero: none; its ID alone in ScopeProject
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
	if !action.takes(actor) {
		return Place{}, core.Unauthenticated()
	}
	place, err := a.find(ctx, actor, action, target)
	if err != nil {
		return Place{}, err
	}
	if !action.shows(actor, place) {
		return Place{}, core.NotFound(action.In.String())
	}
	if !action.allows(actor, place) {
		return Place{}, core.Forbidden("this is for: %s", action.AllowedCallers())
	}
	return place, nil
}

// find returns the place that target names; a token finds its own Project alone.
func (a *Authorizer) find(ctx context.Context, actor core.Actor, action Action, target Target) (Place, error) {
	if action.orPlatform && target.TenantID == 0 {
		return Place{}, nil
	}
	switch action.In {
	case ScopeTenant:
		tenant, err := a.stores.Tenants.Tenant(ctx, target.TenantID)
		return Place{Tenant: tenant}, sameWords(err, ScopeTenant)
	case ScopeDepartment:
		department, err := a.stores.Departments.Department(ctx, target.DepartmentID)
		return Place{Tenant: core.Tenant{ID: department.TenantID}, Department: department}, sameWords(err, ScopeDepartment)
	case ScopeProject:
		project, err := a.project(ctx, actor, target)
		if err != nil {
			return Place{}, sameWords(err, ScopeProject)
		}
		return placeOf(project), nil
	default:
		return Place{}, nil
	}
}

func (a *Authorizer) project(ctx context.Context, actor core.Actor, target Target) (*core.Project, error) {
	switch {
	case target.ProjectUUID == "":
		return a.schemas.Project(ctx, target.ProjectID)
	case actor.Token == nil:
		return a.schemas.ProjectByUUID(ctx, target.ProjectUUID)
	}
	// Whatever else there is, a token sees nothing of it: it need not be looked for.
	own, err := a.schemas.Project(ctx, actor.Token.ProjectID)
	if err == nil && own.UUID != target.ProjectUUID {
		return nil, core.NotFound(ScopeProject.String())
	}
	return own, err
}

func placeOf(p *core.Project) Place {
	return Place{Tenant: core.Tenant{ID: p.TenantID}, Department: core.Department{ID: p.DepartmentID}, Project: p}
}

// sameWords makes a store's word that nothing is there the one that is also given
// to those who may not see it.
func sameWords(err error, scope Scope) error {
	if core.KindOf(err) == core.KindNotFound {
		return core.NotFound(scope.String())
	}
	return err
}

// takes reports whether the action is meant for the kind of caller that actor is.
func (a Action) takes(actor core.Actor) bool {
	switch {
	case actor.System:
		return true
	case a.Ability != "":
		return actor.Token != nil
	default:
		return actor.User != nil && actor.User.Active
	}
}

// shows reports whether actor may know of p.
func (a Action) shows(actor core.Actor, p Place) bool {
	if actor.Token != nil {
		return p.Project != nil && p.Project.ID == actor.Token.ProjectID
	}
	return a.In == ScopePlatform || a.orPlatform && p.Tenant.ID == 0 || a.orApprovers && Approves(actor, p) || Sees(actor, p)
}

// allows reports whether actor, who may know of p, may do the action there.
func (a Action) allows(actor core.Actor, p Place) bool {
	if actor.Token != nil {
		return actor.Token.Can(a.Ability)
	}
	if a.orApprovers && Approves(actor, p) {
		return true
	}
	lowest := a.Role
	if a.unattached != "" && p.Department.ID == 0 {
		lowest = a.unattached
	}
	return lowest == "" || RoleIn(actor, p).Includes(lowest)
}

// Approves reports whether a user holds a custom role of p's Department, whose
// Projects may wait for their decision.
func Approves(actor core.Actor, p Place) bool {
	return p.Department.ID != 0 && slices.ContainsFunc(actor.CustomRoles, func(r core.CustomRole) bool {
		return r.DepartmentID == p.Department.ID
	})
}

// Sees reports whether a user may know that p exists: with a role in it, above it
// or below it, so that whoever works in a Project sees its Department and Tenant.
// A custom role alone opens nothing but the approval desk (see Approves).
func Sees(actor core.Actor, p Place) bool {
	if RoleIn(actor, p) != "" {
		return true
	}
	if p.Project != nil {
		return false
	}
	for _, g := range actor.Grants {
		if p.Department.ID != 0 && g.DepartmentID == p.Department.ID {
			return true
		}
		if p.Department.ID == 0 && p.Tenant.ID != 0 && g.TenantID == p.Tenant.ID {
			return true
		}
	}
	return false
}

// RoleIn returns the highest role that actor has in p, or "" for none; see
// core.Actor.RoleIn.
func RoleIn(actor core.Actor, p Place) core.Role {
	if p.Project != nil {
		return actor.RoleIn(p.Tenant.ID, p.Department.ID, p.Project.ID)
	}
	return actor.RoleIn(p.Tenant.ID, p.Department.ID, 0)
}
