package access

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Target identifies the place of an action by the id in the request. Authorize reads only the
// member of the action's scope. A Project is identified by its id or by its UUID.
type Target struct {
	TenantID     int64
	DepartmentID int64
	ProjectID    int64
	ProjectUUID  string
}

// Place is where an authorized action happens.
type Place struct {
	Tenant     core.Tenant     // zero in ScopePlatform; only its ID is set unless the scope is ScopeTenant
	Department core.Department // zero: none; only its ID is set in ScopeProject
	Project    *core.Project   // nil unless the scope is ScopeProject
}

// PlaceOf returns the place of the actions on a Project.
func PlaceOf(p *core.Project) Place {
	return Place{Tenant: core.Tenant{ID: p.TenantID}, Department: core.Department{ID: p.DepartmentID}, Project: p}
}

// PlaceIn returns the place of the actions on a department.
func PlaceIn(d core.Department) Place {
	return Place{Tenant: core.Tenant{ID: d.TenantID}, Department: d}
}

// scope returns the scope of p.
func (p Place) scope() Scope {
	switch {
	case p.Project != nil:
		return ScopeProject
	case p.Department.ID != 0:
		return ScopeDepartment
	case p.Tenant.ID != 0:
		return ScopeTenant
	default:
		return ScopePlatform
	}
}

// Authorizer decides whether a caller may perform an action. No other code makes this decision.
type Authorizer struct {
	schemas     ports.Schemas
	tenants     ports.TenantStore
	departments ports.DepartmentStore
}

// NewAuthorizer returns an Authorizer that finds places through these parts.
func NewAuthorizer(tenants ports.TenantStore, departments ports.DepartmentStore, schemas ports.Schemas) *Authorizer {
	return &Authorizer{tenants: tenants, departments: departments, schemas: schemas}
}

// Authorize returns the place of the action when actor may perform it there. Otherwise it returns
//   - core.KindUnauthenticated for an anonymous caller, for a token on a user's action and
//     for a user on a token's action;
//   - core.KindNotFound when the place does not exist or the actor may not see it, with the
//     same message; a token sees only its own Project;
//   - core.KindForbidden when the actor sees the place but may not perform the action there.
//
// An assistant is refused with core.KindUnauthenticated unless the action is for assistants. It sees only its Projects,
// and of those only the ones that its user sees.
//
// The system may perform every action. A token's action makes one call to ports.Schemas.
func (a *Authorizer) Authorize(ctx context.Context, actor core.Actor, action Action, target Target) (Place, error) {
	if !action.accepts(actor) {
		return Place{}, action.refusal(actor)
	}
	place, err := a.find(ctx, actor, action, target)
	if err != nil {
		return Place{}, err
	}
	if err := action.decide(actor, place); err != nil {
		return Place{}, err
	}
	return place, nil
}

// decide returns an error unless the actor may perform the action in p.
func (a Action) decide(actor core.Actor, p Place) error {
	switch {
	case !a.accepts(actor):
		return a.refusal(actor)
	case !a.shows(actor, p):
		return core.NotFound(a.In.String())
	case !a.allows(actor, p):
		return core.Forbidden("only allowed for: %s", a.AllowedCallers())
	default:
		return nil
	}
}

// refusal is the error for an actor of a kind that the action does not accept.
func (a Action) refusal(actor core.Actor) error {
	if actor.Preview != nil && a.Ability != "" {
		return PreviewOnly()
	}
	return core.Unauthenticated()
}

// PreviewOnly is the error for a preview that asks for more than lists, entries and searches.
func PreviewOnly() error {
	return &core.Error{
		Kind: core.KindForbidden, Code: "preview_only",
		Message: "a preview reads lists, entries and searches as they are now: no changes, no library, no past, and it writes nothing",
	}
}

// Anywhere returns an error unless the actor may perform the action in some place, by a role there or above it.
// It is for requests whose body names the place.
func (a Action) Anywhere(actor core.Actor) error {
	switch {
	case !a.accepts(actor):
		return core.Unauthenticated()
	case actor.User != nil && actor.User.SuperAdmin, slices.ContainsFunc(actor.Grants, func(g core.Grant) bool { return g.Role.Includes(a.Role) }):
		return nil
	default:
		return core.Forbidden("only allowed for: %s", a.AllowedCallers())
	}
}

// find returns the place that target names. A token finds only its own Project.
func (a *Authorizer) find(ctx context.Context, actor core.Actor, action Action, target Target) (Place, error) {
	if action.orPlatform && target.TenantID == 0 {
		return Place{}, nil
	}
	switch action.In {
	case ScopeTenant:
		tenant, err := a.tenants.Tenant(ctx, target.TenantID)
		return Place{Tenant: tenant}, notFoundIn(err, ScopeTenant)
	case ScopeDepartment:
		department, err := a.departments.Department(ctx, target.DepartmentID)
		return PlaceIn(department), notFoundIn(err, ScopeDepartment)
	case ScopeProject:
		project, err := a.project(ctx, actor, target)
		if err != nil {
			return Place{}, notFoundIn(err, ScopeProject)
		}
		return PlaceOf(project), nil
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
	// A token sees only its own Project, so no other Project is read.
	own, err := a.schemas.Project(ctx, actor.Token.ProjectID)
	if err == nil && own.UUID != target.ProjectUUID {
		return nil, core.NotFound(ScopeProject.String())
	}
	return own, err
}

// notFoundIn replaces a store's not-found error by the error for an invisible place, so that
// clients cannot distinguish the two.
func notFoundIn(err error, scope Scope) error {
	if core.KindOf(err) == core.KindNotFound {
		return core.NotFound(scope.String())
	}
	return err
}

// accepts reports whether the action is for the actor's kind of caller.
func (a Action) accepts(actor core.Actor) bool {
	switch {
	case actor.System:
		return true
	case actor.Assistant != nil:
		return a.Assistants != NoAssistants && actor.User.Active
	case actor.Preview != nil:
		return a.Previews && actor.User.Active
	case a.Ability != "":
		return actor.Token != nil
	default:
		return actor.User != nil && actor.User.Active
	}
}

// shows reports whether the actor may see p.
func (a Action) shows(actor core.Actor, p Place) bool {
	if actor.Token != nil {
		return p.Project != nil && p.Project.ID == actor.Token.ProjectID
	}
	if actor.Preview != nil && (p.Project == nil || p.Project.ID != actor.Preview.ProjectID) {
		return false
	}
	return a.In == ScopePlatform || a.orPlatform && p.Tenant.ID == 0 || a.orApprovers && Approves(actor, p) || Sees(actor, p)
}

// allows reports whether the actor, which may see p, may perform the action there.
func (a Action) allows(actor core.Actor, p Place) bool {
	if actor.Token != nil {
		return actor.Token.Can(a.Ability) && (!a.schema || actor.Token.AllowSchema != core.SchemaNone)
	}
	if actor.Preview != nil {
		return RoleIn(actor, p).Includes(ReadDrafts.Role)
	}
	if actor.Assistant != nil {
		return (a.Assistants == AssistantsRead || actor.Assistant.Drafts) && RoleIn(actor, p).Includes(a.Role)
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

// Approves reports whether a user holds a custom role of p's Department, and so may be a
// reviewer in its Projects.
func Approves(actor core.Actor, p Place) bool {
	return p.Department.ID != 0 && slices.ContainsFunc(actor.CustomRoles, func(r core.CustomRole) bool {
		return r.DepartmentID == p.Department.ID
	})
}

// Sees reports whether a user may see p. The user needs a role in p, above it or below it, so a
// user with a role in a Project also sees its Department and Tenant. A custom role alone gives
// access only to approval (see Approves).
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
