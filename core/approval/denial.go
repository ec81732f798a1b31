package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// denial returns the reason why the actor may not act on the current step of r, as one sentence in
// lower case, or "" if the actor may.
func denial(actor core.Actor, p *core.Project, r *core.Request) string {
	step := r.CurrentStep()
	switch {
	case step == nil && r.Status.Open():
		return "the request is approved and waits for its publication time"
	case step == nil:
		return "the request has ended: it is " + statusText(r.Status)
	case actor.User == nil || !actor.MayActOn(step, p):
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
	reason, thing := "you approved an earlier step", "the entry since its last publication"
	if r.Release != nil {
		thing = "the release or an entry of it"
	}
	changed := slices.IndexFunc(r.Contributors, func(by core.ActorRef) bool { return by.Person() == id })
	switch {
	case r.SubmittedBy.Person() == id && r.SubmittedBy.Kind == "user":
		reason = "you submitted this request"
	case r.SubmittedBy.Person() == id:
		reason = "a token that you created submitted this request"
	case changed >= 0 && r.Contributors[changed].Kind == "user":
		reason = "you changed " + thing
	case changed >= 0:
		reason = "a token that you created changed " + thing
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
	return core.Actor{User: &user, Grants: grants, CustomRoles: roles, Session: actor.Session}, err
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
