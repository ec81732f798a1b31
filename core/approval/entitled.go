package approval

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// entitled reports whether the actor has the role of the step, in the Project's current Department
// and Tenant. A custom role replaces the role kind: only its holders are entitled.
func entitled(actor core.Actor, p *core.Project, step *core.Step) bool {
	if step.CustomRoleID == 0 {
		return actor.RoleInProject(p).Includes(step.RoleKind)
	}
	return slices.ContainsFunc(actor.CustomRoles, func(r core.CustomRole) bool {
		return r.ID == step.CustomRoleID && r.DepartmentID == p.DepartmentID
	})
}

// sees reports whether the actor may see r: through any role in its Project, or through a
// custom role that one of the steps names.
func sees(actor core.Actor, p *core.Project, r *core.Request) bool {
	return actor.RoleInProject(p) != "" || slices.ContainsFunc(r.Steps, func(step core.Step) bool {
		return step.CustomRoleID != 0 && entitled(actor, p, &step)
	})
}

// reviews reports whether the actor is entitled to any step of r.
func reviews(actor core.Actor, p *core.Project, r *core.Request) bool {
	return slices.ContainsFunc(r.Steps, func(step core.Step) bool { return entitled(actor, p, &step) })
}

// releases reports whether the actor may decide when an approved request is published.
// Admins of the Project and reviewers of the last step may.
func releases(actor core.Actor, p *core.Project, r *core.Request) bool {
	return actor.RoleInProject(p).Includes(core.RoleAdmin) || entitled(actor, p, &r.Steps[len(r.Steps)-1])
}

// submittedBy reports whether the actor opened r.
func submittedBy(actor core.Actor, r *core.Request) bool {
	return actor.User != nil && r.SubmittedBy.Kind == "user" && r.SubmittedBy.ID == actor.User.ID
}

// barred reports whether the actor may not approve r, as its submitter or an earlier approver.
func barred(actor core.Actor, r *core.Request) bool {
	return slices.Contains(r.Barred(), actor.UserID())
}

// canApprove reports whether the actor may approve the current step of r.
func canApprove(actor core.Actor, p *core.Project, r *core.Request) bool {
	step := r.CurrentStep()
	return step != nil && actor.User != nil && entitled(actor, p, step) && !barred(actor, r)
}

// present returns the actor with the current roles of its user, so that a role that was removed
// since the session was read has no effect.
func present(ctx context.Context, grantStore ports.GrantStore, users ports.UserStore, actor core.Actor) (core.Actor, error) {
	if actor.User == nil {
		return core.Actor{}, core.Unauthenticated()
	}
	user, err := users.User(ctx, actor.User.ID)
	if errors.Is(err, core.ErrNotFound) || err == nil && !user.Active {
		return core.Actor{}, core.Unauthenticated()
	}
	if err != nil {
		return core.Actor{}, err
	}
	grants, roles, err := grantStore.UserGrants(ctx, user.ID)
	return core.Actor{User: &user, Grants: grants, CustomRoles: roles}, err
}

// reviewersOf names the reviewers of the step, for an error message.
func reviewersOf(step *core.Step) string {
	if step.CustomRoleID != 0 {
		return "the holders of its custom role"
	}
	return map[core.Role]string{
		core.RoleAdmin: "admins of the project", core.RoleDepartmentAdmin: "department admins", core.RoleTenantAdmin: "tenant admins",
	}[step.RoleKind] + " and roles above them"
}

// unreachable reports for each step, by its order, whether no reviewer could approve it now:
// no active user has the role, or all users with the role are barred.
func unreachable(steps []core.Step, reviewers []core.Reviewer, barred []int64) map[int]bool {
	orders := map[int]bool{}
	for _, step := range steps {
		orders[step.Order] = !slices.ContainsFunc(reviewers, func(v core.Reviewer) bool {
			return v.MayActOn(step) && !slices.Contains(barred, v.UserID)
		})
	}
	return orders
}

// unreachableOf is unreachable for the current and the later steps of a pending request.
func unreachableOf(r *core.Request, reviewers []core.Reviewer) map[int]bool {
	if r.CurrentStep() == nil {
		return nil
	}
	return unreachable(r.Steps[r.Current:], reviewers, r.Barred())
}
