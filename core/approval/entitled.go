package approval

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// entitled reports whether actor is who the step asks for, in the Project's present
// Department and Tenant. A custom role takes the place of the role kind: then its
// holders are, and nobody else.
func entitled(actor core.Actor, p *core.Project, step *core.Step) bool {
	if step.CustomRoleID == 0 {
		return actor.RoleInProject(p).Includes(step.RoleKind)
	}
	return slices.ContainsFunc(actor.CustomRoles, func(r core.CustomRole) bool {
		return r.ID == step.CustomRoleID && r.DepartmentID == p.DepartmentID
	})
}

// sees reports whether actor may see r: with any role in its Project, or with a
// custom role that one of the steps names.
func sees(actor core.Actor, p *core.Project, r *core.Request) bool {
	return actor.RoleInProject(p) != "" || slices.ContainsFunc(r.Steps, func(step core.Step) bool {
		return step.CustomRoleID != 0 && entitled(actor, p, &step)
	})
}

// reviews reports whether a step of r is, was or may come to be actor's to decide.
func reviews(actor core.Actor, p *core.Project, r *core.Request) bool {
	return slices.ContainsFunc(r.Steps, func(step core.Step) bool { return entitled(actor, p, &step) })
}

// releases reports whether actor may say when an approved request is published: an
// admin of the Project, and who is asked for by the last step.
func releases(actor core.Actor, p *core.Project, r *core.Request) bool {
	return actor.RoleInProject(p).Includes(core.RoleAdmin) || entitled(actor, p, &r.Steps[len(r.Steps)-1])
}

// submittedBy reports whether the actor opened r.
func submittedBy(actor core.Actor, r *core.Request) bool {
	return actor.User != nil && r.SubmittedBy.Kind == "user" && r.SubmittedBy.ID == actor.User.ID
}

// barred reports whether the actor may not approve r for having had a part in it.
func barred(actor core.Actor, r *core.Request) bool {
	return slices.Contains(r.Barred(), actor.UserID())
}

// canApprove reports whether r waits for the actor.
func canApprove(actor core.Actor, p *core.Project, r *core.Request) bool {
	step := r.CurrentStep()
	return step != nil && actor.User != nil && entitled(actor, p, step) && !barred(actor, r)
}

// present returns the user with the rights that they have at this moment: one taken
// away since the session was looked up must not decide.
func present(ctx context.Context, stores ports.Stores, actor core.Actor) (core.Actor, error) {
	if actor.User == nil {
		return core.Actor{}, core.Unauthenticated()
	}
	user, err := stores.Users.User(ctx, actor.User.ID)
	if errors.Is(err, core.ErrNotFound) || err == nil && !user.Active {
		return core.Actor{}, core.Unauthenticated()
	}
	if err != nil {
		return core.Actor{}, err
	}
	grants, roles, err := stores.Grants.UserGrants(ctx, user.ID)
	return core.Actor{User: &user, Grants: grants, CustomRoles: roles}, err
}

// who says in words for whom the step is.
func who(step *core.Step) string {
	if step.CustomRoleID != 0 {
		return "the holders of its custom role"
	}
	return map[core.Role]string{
		core.RoleAdmin: "admins of the project", core.RoleDepartmentAdmin: "department admins", core.RoleTenantAdmin: "tenant admins",
	}[step.RoleKind] + " and roles above them"
}
