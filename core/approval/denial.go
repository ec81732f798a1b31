package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// denial returns the reason why a user of the standing s may not decide r, as one sentence in lower case, or "" if the
// user may.
func denial(r *review.Request, actor core.Actor, s review.Standing) string {
	switch s.Refusal {
	case review.RefusedWaits:
		return "the request is approved and waits for its publication time"
	case review.RefusedEnded:
		return "the request has ended: it is " + statusText(r.Status)
	case review.RefusedLender:
		return "the user on whose behalf you may decide submitted the request, changed what it publishes or approved an earlier step, and the workflow does not allow self-approval"
	case review.RefusedLenderSeated:
		return "the user on whose behalf you may decide approved this step already, or one that is open at the same time"
	case review.RefusedRole:
		return fmt.Sprintf("step %d is for: %s", r.CurrentStep().Order, decidersOf(r))
	default:
		return barred(actor, r, s.Refusal)
	}
}

// refused returns the error of a decision by a user of the standing s, or nil. It is core.KindConflict with the code
// "already_approved" for one who has approved, else core.KindForbidden.
func refused(r *review.Request, actor core.Actor, s review.Standing) error {
	switch why := denial(r, actor, s); {
	case s.Refusal == review.RefusedSeated || s.Refusal == review.RefusedLenderSeated:
		return core.Conflict("already_approved", "%s", why)
	case why != "":
		return core.Forbidden("%s", why)
	default:
		return nil
	}
}

// barred returns a reason of review.Request.Bars, as one sentence in lower case, or "" for review.MayDecide.
func barred(actor core.Actor, r *review.Request, why review.Refusal) string {
	thing := "the entry since its last publication"
	if r.Release != nil {
		thing = "the release or an entry of it"
	}
	by := r.SubmittedBy
	if why == review.RefusedContributor {
		by = r.Contributors[slices.IndexFunc(r.Contributors, func(by core.ActorRef) bool { return by.Person() == actor.UserID() })]
	}
	var reason string
	who := "you"
	switch by.Kind {
	case "user":
	case core.KindAssistant:
		who = "your assistant"
	default:
		who = "a token that you created"
	}
	switch why {
	case review.RefusedSubmitter:
		reason = who + " submitted this request"
	case review.RefusedContributor:
		reason = who + " changed " + thing
	case review.RefusedApprover:
		reason = "you approved an earlier step"
	case review.RefusedSeated:
		return "you approved this step already, or one that is open at the same time"
	default:
		return ""
	}
	return reason + ", and the workflow does not allow self-approval"
}

// barredLast returns the reason why allowSelfApproval keeps the actor from changing the times of r or publishing
// it, as one sentence in lower case, or "" if it does not. The approvers of the present step, or of the last one of
// an approved request, are not kept from it.
func barredLast(actor core.Actor, r *review.Request) string {
	why := r.Bars(actor.UserID(), r.Current+1)
	if why == review.RefusedSeated {
		return ""
	}
	return barred(actor, r, why)
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
	if actor.Assistant != nil {
		roles = nil
	}
	return core.Actor{User: &user, Grants: grants, CustomRoles: roles, Session: actor.Session, Assistant: actor.Assistant}, err
}

// decidersOf names the reviewers of the open steps of r, for an error message.
func decidersOf(r *review.Request) string {
	var all []string
	for _, id := range r.OpenSteps() {
		all = append(all, reviewersOf(&r.Steps[id-1]))
		if other := r.Escalated(id); other != nil {
			all = append(all, reviewersOf(other))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "; or ")
}

// reviewersOf names the reviewers of the step, for an error message.
func reviewersOf(step *review.Step) string {
	if step.CustomRoleID != 0 {
		return "the holders of its custom role"
	}
	return map[core.Role]string{
		core.RoleAdmin: "admins of the project", core.RoleDepartmentAdmin: "department admins", core.RoleTenantAdmin: "tenant admins",
	}[step.RoleKind] + " and roles above them"
}
