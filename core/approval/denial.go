package approval

import (
	"context"
	"errors"
	"fmt"
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

// reviewsLast reports whether the actor is a user with the role of the last step of r.
func reviewsLast(actor core.Actor, p *core.Project, r *core.Request) bool {
	last := len(r.Steps) - 1 // negative only in a damaged row
	return actor.User != nil && last >= 0 && entitled(actor, p, &r.Steps[last])
}

// isSubmitter reports whether the actor opened r, or the same person did by a token.
func isSubmitter(actor core.Actor, r *core.Request) bool {
	by := actor.Ref()
	return !actor.System && (by.Same(r.SubmittedBy) || by.Person() != 0 && by.Person() == r.SubmittedBy.Person())
}

// denial returns the reason why the actor may not act on the current step of r, as one sentence in
// lower case, or "" if the actor may.
func denial(actor core.Actor, p *core.Project, r *core.Request) string {
	step := r.CurrentStep()
	switch {
	case step == nil && r.Status.Open():
		return "the request is approved and waits for its publication time"
	case step == nil:
		return "the request has ended: it is " + statusText(r.Status)
	case actor.User == nil || !entitled(actor, p, step):
		return fmt.Sprintf("step %d is for: %s", step.Order, reviewersOf(step))
	default:
		return barred(actor, r)
	}
}

// barred returns the reason why allowSelfApproval keeps the actor from acting on r, as one sentence
// in lower case, or "" if it does not. See core.Request.Barred.
func barred(actor core.Actor, r *core.Request) string {
	id := actor.UserID()
	if !slices.Contains(r.Barred(), id) {
		return ""
	}
	reason := "you approved an earlier step"
	changed := slices.IndexFunc(r.Contributors, func(by core.ActorRef) bool { return by.Person() == id })
	switch {
	case r.SubmittedBy.Person() == id && r.SubmittedBy.Kind == "user":
		reason = "you submitted this request"
	case r.SubmittedBy.Person() == id:
		reason = "a token that you created submitted this request"
	case changed >= 0 && r.Contributors[changed].Kind == "user":
		reason = "you changed the entry since its last publication"
	case changed >= 0:
		reason = "a token that you created changed the entry since its last publication"
	}
	return reason + ", and the workflow does not allow self-approval"
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

// Deciders are the users that could decide steps, by the order of the step.
type Deciders struct {
	// Users has the ids of the active users that have the role of the step and are not barred
	// (core.Request.Barred), ascending. Those of the current step are the users with View.CanAct.
	Users map[int][]int64
	// Unreachable reports that no user is left to approve the step. Where a user may approve only
	// one of the steps, that is also the case if the other steps need all of its Users.
	Unreachable map[int]bool
}

// decidersFor returns the Deciders of steps. If once is true, a user may approve only one of them.
func decidersFor(steps []core.Step, reviewers []core.Reviewer, barred []int64, once bool) Deciders {
	users := map[int][]int64{}
	for _, step := range steps {
		ids := []int64{}
		for _, v := range reviewers {
			if v.MayActOn(step) && !slices.Contains(barred, v.UserID) {
				ids = append(ids, v.UserID)
			}
		}
		slices.Sort(ids)
		users[step.Order] = slices.Compact(ids)
	}
	return Deciders{users, unreachable(steps, users, once)}
}

// unreachable returns Deciders.Unreachable. If once is true, it assigns a different user to each
// step as far as it can (augmenting paths in a bipartite graph).
func unreachable(steps []core.Step, users map[int][]int64, once bool) map[int]bool {
	assigned := map[int64]int{} // the order of a step, by user
	var assign func(step int, tried map[int64]bool) bool
	assign = func(step int, tried map[int64]bool) bool {
		for _, user := range users[step] {
			if tried[user] {
				continue
			}
			tried[user] = true
			if other, taken := assigned[user]; !taken || !once || assign(other, tried) {
				assigned[user] = step
				return true
			}
		}
		return false
	}
	orders := map[int]bool{}
	for _, step := range steps {
		orders[step.Order] = !assign(step.Order, map[int64]bool{})
	}
	return orders
}

// decidersOf returns the Deciders of the current and the later steps of a pending request.
func decidersOf(r *core.Request, reviewers []core.Reviewer) Deciders {
	if r.CurrentStep() == nil {
		return Deciders{}
	}
	return decidersFor(r.Steps[r.Current:], reviewers, r.Barred(), !r.AllowSelfApproval)
}
